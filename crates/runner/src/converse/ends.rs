//! What follows from the end of a turn, and how a job that lives on the bus ends.

use baton_app::{Failure, bus::Ending};
use baton_core::{
    bus::{
        BusId,
        receiver::{Finished, Order, Step},
    },
    code::Kind as CodeKind,
    job::{Conversing, Outcome as End},
    turn::{self, Usage},
};
use serde_json::Map;

use super::{
    prompts,
    talk::Talk,
    turn::{Progress, Purpose, Turn},
};
use crate::{
    executor::{Cause, Conversation, Failed, Outcome},
    slice::{self, Kept},
    trouble::Met,
    turn::Ended,
    work::Halted,
};

impl Talk<'_, '_> {
    /// Takes the end of the turn, if it has ended. Too many failures in a row are the end of the job.
    pub(super) fn look_at_turn(&mut self) -> Result<Option<End>, Halted> {
        let Some(turn) = self.turn.take() else { return Ok(None) };
        let (turn, mut kept) = match turn.look() {
            Progress::Running(turn) => {
                self.turn = Some(turn);
                return Ok(None);
            }
            Progress::Over(turn, kept) => (turn, (*kept)?),
            Progress::Lost(turn) => {
                let failed = Failed {
                    why: "its turn was lost".to_owned(),
                    tail: String::new(),
                    conversation: Conversation::Doubtful,
                    cause: Cause::Job,
                };
                let (refs, meta, usage) = (Vec::new(), Map::new(), Usage::default());
                (turn, Kept { outcome: Outcome::Failed(failed), session: None, refs, usage, meta })
            }
        };
        let executor = slice::choose(self.work, &self.work.claimed.job)?;
        kept.usage = self.spent.of_turn(executor, kept.session.as_ref(), kept.usage);
        let mut ending = kept.ending();
        let Kept { outcome, session, refs, usage, mut meta } = kept;
        self.session = session.or(self.session.take());
        ending.session.clone_from(&self.session);
        meta.insert("usage".to_owned(), self.spent.add(&usage));
        self.own.extend(refs.iter().cloned());
        let shown = match &outcome {
            Outcome::Answered(_) => format!("turn {} answered", turn.number),
            Outcome::Failed(failed) => format!("turn {} failed: {}", turn.number, failed.why),
            Outcome::TimedOut => format!("turn {} took too long and was stopped", turn.number),
            Outcome::Stopped => format!("turn {} was interrupted", turn.number),
        };
        self.work.tell_slice(shown, &refs, meta)?;
        let mut trouble = None;
        let how = match outcome {
            Outcome::Answered(answer) => return self.answered(&turn, &answer.summary, ending),
            Outcome::Failed(failed) => {
                self.session.take_if(|_| failed.conversation == Conversation::Doubtful);
                trouble = match failed.cause {
                    Cause::Program(kind) => Some((kind, failed.clone())),
                    Cause::Job => None,
                };
                Finished::Failed(said(&failed))
            }
            Outcome::TimedOut => {
                let limit = self.work.settings.limits.slice.as_secs() / 60;
                Finished::Failed(format!("it took longer than {limit} minutes and was stopped"))
            }
            Outcome::Stopped => Finished::Stopped,
        };
        self.work.end_turn(turn.id, &ending)?;
        // Given back with what was asked, the job goes on where another runner or a later time can do it.
        let met = trouble.map_or(Ok(Met::Counts), |(kind, failed)| self.work.meet_trouble(kind, &failed))?;
        match &how {
            Finished::Failed(_) if met == Met::Waited => {}
            Finished::Failed(why) => self.failures_of(&turn, why),
            Finished::Stopped => {
                self.memory.add("You were interrupted.".to_owned());
                self.relay.iter_mut().for_each(|relay| relay.is_paused = true);
            }
            Finished::Done => {}
        }
        let steps = self.receiver.finish(&how);
        self.settle(steps)
    }

    /// Takes what the program said in a turn.
    fn answered(&mut self, turn: &Turn, text: &str, mut ending: Ended) -> Result<Option<End>, Halted> {
        self.work.breaker.close(slice::choose(self.work, &self.work.claimed.job)?.kind());
        let finished = match turn.purpose {
            Purpose::Compact | Purpose::CompactInPlace => {
                self.session.take_if(|_| turn.purpose == Purpose::Compact);
                self.heard = None;
                self.memory.clear();
                self.memory.add(format!("Your notes of what was said before: {text}"));
                Ok(())
            }
            Purpose::Answer => {
                self.memory.add(format!("You: {text}"));
                self.answer_all(&turn.orders, text)?
            }
            Purpose::Lead => {
                self.memory.add(format!("You: {text}"));
                return self.lead(turn, text, &ending);
            }
        };
        let how = match finished {
            Ok(()) => {
                self.failures = 0;
                Finished::Done
            }
            Err(failure) => {
                let why = format!("its answer could not be sent: {failure}");
                (ending.outcome, ending.why) = (turn::Outcome::Failed, Some(why.clone()));
                Finished::Failed(why)
            }
        };
        self.work.end_turn(turn.id, &ending)?;
        let steps = self.receiver.finish(&how);
        self.settle(steps)
    }

    /// Answers whoever asked, or tells why that cannot be.
    fn answer_all(&self, orders: &[Order], text: &str) -> Result<Result<(), Failure>, Halted> {
        for order in orders.iter().filter(|order| order.is_answered()) {
            if let Err(failure) = refusable(self.work.patiently(|| self.line.answer(order, text)))? {
                return Ok(Err(failure));
            }
        }
        Ok(Ok(()))
    }

    /// Hands on what the model of a relay said.
    fn lead(&mut self, turn: &Turn, text: &str, ending: &Ended) -> Result<Option<End>, Halted> {
        let (work, line) = (self.work, self.line);
        let context = self.relay.as_ref().and_then(|relay| relay.context.clone());
        let key = format!("{} {} relay {}", line.task, work.claimed.revision(), turn.number);
        let relayed = refusable(work.patiently(|| line.relay(text, context.as_ref(), &key)))?;
        // What was refused was said all the same, and its agent hears why.
        work.end_turn(turn.id, ending)?;
        let steps = match relayed {
            Ok(result) => {
                self.failures = 0;
                self.relay.iter_mut().for_each(|relay| relay.heard(&result));
                // It waits for the others now; or it is the end, which the next look finds, and what waits ends with the
                // job.
                self.receiver.carry_on(&Finished::Done)
            }
            Err(failure) => {
                let why = format!("What you sent was refused, all of it: {failure}");
                self.failures_of(turn, &why);
                self.relay.iter_mut().for_each(|relay| relay.results = why.clone());
                self.receiver.finish(&Finished::Done)
            }
        };
        self.settle(steps)
    }

    /// Notes what came of what a relay sent, for its next turn.
    pub(super) fn end_round(&mut self, group: &BusId) -> Result<(), Halted> {
        let (work, line) = (self.work, self.line);
        let actions = work.patiently(|| line.results(group))?;
        let colleagues = work.patiently(|| line.colleagues())?;
        let results = prompts::results(&actions, &colleagues);
        self.memory.add(format!("What came of it:\n{results}"));
        if let Some(relay) = &mut self.relay {
            relay.awaited = None;
            relay.results = results;
        }
        Ok(())
    }

    /// Has a relay that nobody asked anything go on by itself.
    pub(super) fn lead_on(&mut self) -> Result<(), Halted> {
        if self.relay.as_ref().is_some_and(|relay| !relay.is_paused) && self.receiver.begin() {
            self.start(Vec::new())?;
        }
        Ok(())
    }

    fn failures_of(&mut self, turn: &Turn, why: &str) {
        self.failures += 1;
        self.work.told.say(self.work.claimed.id(), &format!("turn {}: {why}", turn.number));
    }

    /// Does what follows from the end of a turn, unless there were too many failures in a row.
    fn settle(&mut self, steps: Vec<Step>) -> Result<Option<End>, Halted> {
        if self.failures < self.work.settings.failures_max {
            return self.follow(steps).map(|()| None);
        }
        // What was to begin ends with the job.
        let says = steps.into_iter().filter(|step| matches!(step, Step::Say { .. }));
        self.follow(says.collect())?;
        let why = format!("{} turns in a row came to nothing. Each is in its log.", self.failures);
        self.work.end(End::Failed, &why, &self.own).map(Some)
    }

    /// Ends the job because there is nothing more to do.
    pub(super) fn end_as(&mut self, ending: &Ending) -> Result<End, Halted> {
        self.stop();
        let summary = match ending {
            Ending::Done { summary: Some(summary), .. } => summary.clone(),
            Ending::Done { by, summary: None } => format!("{by} said that it is done."),
            Ending::Closed => "The session was closed.".to_owned(),
        };
        if *ending != Ending::Closed {
            let asking = self.relay.as_mut().map(|relay| std::mem::take(&mut relay.asking)).unwrap_or_default();
            for order in asking {
                if let Err(failure) = refusable(self.work.patiently(|| self.line.answer(&order, &summary)))? {
                    self.work.told.say(self.work.claimed.id(), &format!("could not answer {}: {failure}", order.from));
                }
            }
        }
        self.work.end(End::Done, &summary, &self.own)
    }

    pub(super) fn end_of_time(&mut self) -> Result<End, Halted> {
        self.stop();
        let hours = self.work.settings.job_limit.as_secs() / 3600;
        match self.how {
            Conversing::Conversation => {
                let summary = format!("It was there for {hours} h, and had {} turns.", self.number);
                self.work.end(End::Done, &summary, &self.own)
            }
            Conversing::Relay => self.work.end(End::Failed, &format!("It is not done after {hours} h."), &self.own),
        }
    }

    /// Stops the program that runs, and waits for its end.
    fn stop(&mut self) {
        let Some(turn) = self.turn.take() else { return };
        self.work.lifeline.interrupt();
        let id = turn.id;
        if let Some(kept) = turn.wait() {
            // Where the room was closed nothing more is put on record; the end of the job tells enough.
            let _ = self.work.end_turn(id, &Ended { outcome: turn::Outcome::Interrupted, ..kept.ending() });
        }
    }
}

/// Tells a refusal, which can be told to whoever asked, from what ends the work on the job.
fn refusable<T>(said: Result<T, Halted>) -> Result<Result<T, Failure>, Halted> {
    match said {
        Ok(said) => Ok(Ok(said)),
        Err(Halted::Refused(failure)) if failure.code.kind() != CodeKind::Failed => Ok(Err(failure)),
        Err(halted) => Err(halted),
    }
}

/// Why a turn failed, with the end of what the program complained about.
fn said(failed: &Failed) -> String {
    let tail = failed.tail.trim();
    let end = tail.char_indices().rev().nth(199).map_or(0, |(place, _)| place);
    if tail.is_empty() { failed.why.clone() } else { format!("{}: {}", failed.why, &tail[end..]) }
}
