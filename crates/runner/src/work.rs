//! Working on one job: slice after slice, until it is done, has failed, or is not ours any more.
#![expect(
    clippy::disallowed_methods,
    reason = "a job may take a day and no longer, and reports are not sent too often"
)]

use std::{
    path::PathBuf,
    sync::Arc,
    time::{Duration, Instant},
};

use baton_app::{Cancel, Failure, commands::jobs::Continuation};
use baton_core::{
    code::{ErrorCode, Kind},
    ids::Seq,
    job::{Conversing, Outcome as End, ReportKind, Shell, demand},
    limits,
    redact::redact,
    reference::Reference,
    runner::{Injection, TroubleKind},
    turn::TurnId,
};
use serde_json::{Map, Value};

use crate::{
    breaker::Breaker,
    converse::converse,
    desk::{Claimed, Desk, Said, is_over, is_sent_back, may_pass},
    executor::{Answer, AnswerStatus, Cause, Conversation, Form, Outcome, Session},
    gate::Verdict,
    ground::{Ground, Pack},
    keeper::Keeper,
    lifeline::{Cut, Lifeline},
    place::Place,
    process::{ClaimBounds, program_lock},
    prompt::{Briefing, Heard, Incoming, Prior},
    settings::Settings,
    slice::{self, Kept, Part},
    slots::{Slots, WorkerId, Yielded},
    spent::Spent,
    told::Told,
    trouble::Met,
    turn::{Begun, Ended},
    work_clock::WorkClock,
};

/// How long a slice that ended at once is waited for before the next, doubled each time.
const PAUSE: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(60));
/// How much of a summary is told. The whole answer is kept as a file.
const SUMMARY_CHARS: usize = 4_000;
const MODEL_DOWN: Cause = Cause::Program(TroubleKind::ModelDown);
/// How often a wait for a manager looks without having been rung for.
const SAFETY: Duration = Duration::from_secs(5);

/// A worker on one job.
pub(crate) struct Work<'a> {
    pub(crate) id: WorkerId,
    pub(crate) desk: &'a Desk,
    pub(crate) settings: &'a Settings,
    pub(crate) claimed: &'a Claimed,
    pub(crate) lifeline: &'a Arc<Lifeline>,
    pub(crate) told: &'a Told,
    pub(crate) slots: &'a Slots,
    pub(crate) breaker: &'a Breaker,
    /// Rings when the claim is over, somebody interrupts, a place is free, or the program may be tried again.
    pub(crate) bell: &'a Cancel,
}

/// What is carried from slice to slice.
#[derive(Default)]
struct Carried {
    slice: u32,
    prior: Prior,
    /// What a job that was sent back begins with, until a slice has answered.
    start: Prior,
    session: Option<Session>,
    /// What the conversation was told.
    heard: Option<Heard>,
    /// Where the thread was read to.
    read: u64,
    /// What all turns of the job took.
    spent: Spent,
    /// Whether the last turn was interrupted: the next begins at once.
    interrupted: bool,
    failures: u32,
    unproven: u32,
    quick: u32,
    /// The end that the agent said while a question of its own had no answer.
    held_end: Option<String>,
    /// The context pack that it works with.
    pack: Pack,
    /// What this runner kept by itself.
    own: Vec<Reference>,
}

/// Why work on a job is over without an end of the job.
pub(crate) enum Halted {
    /// The claim is over.
    Cut(Cut),
    /// Baton said no to something that must not be refused.
    Refused(Failure),
    /// The program fails whatever the job, and why: another runner or a later time may do better.
    Trouble(String),
}

impl From<Failure> for Halted {
    fn from(failure: Failure) -> Self {
        if is_over(&failure) { Self::Cut(Cut::Lost) } else { Self::Refused(failure) }
    }
}

impl Work<'_> {
    /// Works until there is nothing more to do.
    pub(crate) fn run(&self) {
        let id = self.claimed.id();
        let keeper = match Keeper::of(self.desk, self.claimed, self.lifeline) {
            Ok(keeper) => keeper,
            Err(error) => return self.told.say(id, &format!("its claim cannot be kept: {error}")),
        };
        let ended = match Conversing::named(&self.claimed.job.kind) {
            Some(how) => converse(self, how),
            None => self.to_the_end(),
        };
        drop(keeper);
        match ended {
            Ok(end) => {
                program_lock::remove(&self.lock());
                self.told.say(id, end.as_str());
            }
            Err(Halted::Cut(Cut::Lost)) => self.told.say(id, "is not ours any more"),
            Err(Halted::Cut(Cut::Leaving)) => self.give_back(&format!("{} stopped working on it", self.desk.runner)),
            Err(Halted::Trouble(reason)) => self.give_back(&reason),
            Err(Halted::Refused(failure)) => self.give_up(&failure),
        }
    }

    /// Ends a job that Baton says no to: trying again would not help. If it was Baton that failed, the claim runs out, and
    /// somebody tries again.
    fn give_up(&self, failure: &Failure) {
        self.told.say(self.claimed.id(), &format!("cannot go on: {failure}"));
        if failure.code.kind() != Kind::Failed
            && let Err(again) =
                self.desk.complete(self.claimed, End::Failed, &format!("It could not go on: {failure}"), &[])
        {
            self.told.say(self.claimed.id(), &format!("stays claimed until the claim runs out: {again}"));
        }
    }

    fn give_back(&self, reason: &str) {
        match self.desk.give_back(self.claimed, reason) {
            Ok(()) => {
                program_lock::remove(&self.lock());
                self.told.say(self.claimed.id(), "is back in the queue");
            }
            Err(failure) => {
                self.told.say(self.claimed.id(), &format!("stays claimed until the claim runs out: {failure}"))
            }
        }
    }

    fn to_the_end(&self) -> Result<End, Halted> {
        let clock = self.patiently(|| WorkClock::of(self.desk, self.claimed))?;
        let place = match Place::of(self.settings, self.claimed) {
            Ok(place) => place,
            Err(why) => return self.end(End::Failed, &why, &[]),
        };
        let mut carried = Carried { spent: Spent::noted(&self.claimed.job.meta), ..Carried::default() };
        if let Some(continuation) = self.patiently(|| self.desk.continuation(self.claimed.id()))? {
            self.go_on(&continuation, &place, &mut carried)?;
        }
        loop {
            if let Some(cut) = self.lifeline.cut() {
                return Err(Halted::Cut(cut));
            }
            if clock.elapsed() >= self.settings.job_limit {
                return self.end(End::Failed, &self.out_of_time(&carried), &carried.own);
            }
            let begun = Instant::now();
            let outcome = self.slice(&place, &mut carried)?;
            if let Some(end) = self.judge(outcome, &mut carried)? {
                return Ok(end);
            }
            if std::mem::take(&mut carried.interrupted) {
                continue;
            }
            self.await_manager(&clock)?;
            carried.quick = if begun.elapsed() < PAUSE.0 { carried.quick + 1 } else { 0 };
            if carried.quick > 1 {
                let pause = PAUSE.0 * 2_u32.saturating_pow(carried.quick.min(8) - 2);
                self.lifeline.pause(pause.min(PAUSE.1));
            }
        }
    }

    /// Begins where a job that was sent back ended: with its own changes, and in its own conversation if its program has one.
    fn go_on(&self, from: &Continuation, place: &Place, carried: &mut Carried) -> Result<(), Halted> {
        let executor = slice::choose(self, &self.claimed.job)?.kind();
        let known = from.conversation.as_ref().filter(|known| known.executor == executor);
        if let Some((session, known)) = known.and_then(|known| Some((Session::parse(&known.session)?, known))) {
            carried.spent = std::mem::take(&mut carried.spent).resuming(session.clone(), known.usage);
            carried.session = Some(session);
        }
        let restored = from.patch.as_ref().and_then(|patch| place.restore(patch));
        if let Some(restored) = &restored {
            self.told.say(self.claimed.id(), restored);
        }
        let summary = from.summary.as_deref().map(|summary| format!("This job ended before: {summary}"));
        let outcome: Vec<String> = summary.into_iter().chain(restored).collect();
        carried.start = Prior {
            outcome: Some(outcome.join("\n")),
            demand: Some("It was sent back with a review, which is in its thread. Do what the review asks.".to_owned()),
        };
        Ok(())
    }

    /// Plays one slice, and keeps what it leaves behind.
    fn slice(&self, place: &Place, carried: &mut Carried) -> Result<Outcome, Halted> {
        carried.slice += 1;
        self.lifeline.expect();
        // First the thread, then the inbox: what a manager says in between is told once, as a message.
        let (job, thread) = self.patiently(|| self.desk.look(self.claimed.id()))?;
        let injection = Injection::choose(&job.kind, &job.meta, self.settings.skill);
        let skill = injection.and_then(|injection| self.desk.skill(injection, self.shell().ok()?));
        let snapshot = job.task.map(|task| self.patiently(|| self.desk.snapshot(task))).transpose()?;
        let anchor = job.anchor.as_ref().and_then(|anchor| self.desk.anchor(anchor));
        let ground = self.patiently(|| Ground::of(self, &job))?;
        let begun = self.begin(carried.slice, None)?;
        let ground = ground.with_pack(self, &begun, (&mut carried.pack, carried.session.as_ref()))?;
        let is_new = |seq: u64| thread.iter().any(|event| event.seq.0 == seq && seq > carried.read);
        let incoming: Vec<Incoming> = begun.items.iter().filter(|item| !is_new(item.seq)).cloned().collect();
        let briefing = Briefing {
            room: self.desk.room.as_str(),
            job: &job,
            prompt: &self.claimed.prompt,
            ground: &ground.blocks(),
            skill: skill.as_deref(),
            snapshot: snapshot.as_deref(),
            anchor: anchor.as_deref(),
            thread: &thread,
            since: carried.read,
            prior: &carried.start.with(&carried.prior),
            incoming: &incoming,
            shell: self.shell()?,
        };
        let prompt = briefing.prompt(carried.session.as_ref().and(carried.heard.as_ref()));
        carried.heard = Some(prompt.heard());
        carried.read = thread.last().map_or(carried.read, |event| event.seq.0);
        let resume = carried.session.take();
        let Ground { name: role, context_ref, .. } = ground;
        let (form, number, turn) = (Form::Answer, carried.slice, begun.id);
        let part = Part {
            prompt,
            form,
            resume: resume.clone(),
            number,
            turn,
            role,
            context_ref,
            tokens_before: carried.spent.tokens(),
        };
        let mut kept = slice::play(self, place, &job, part)?;
        let is_down = matches!(&kept.outcome, Outcome::Failed(failed) if failed.cause == MODEL_DOWN);
        if kept.outcome == Outcome::Stopped || is_down {
            // It may have been stopped, or have given up, before it said how its conversation is called.
            kept.session = kept.session.or(resume);
        }
        if let Some(cut) = self.lifeline.cut() {
            return Err(Halted::Cut(cut));
        }
        let executor = slice::choose(self, &job)?;
        kept.usage = carried.spent.of_turn(executor, kept.session.as_ref(), kept.usage);
        self.end_turn(turn, &kept.ending())?;
        kept.meta.insert("usage".to_owned(), carried.spent.add(&kept.usage));
        let Kept { outcome, session, refs, meta, .. } = kept;
        carried.session = session;
        carried.own.extend(refs.iter().cloned());
        let shown = match &outcome {
            Outcome::Answered(answer) => format!("slice {} ended: {}", carried.slice, word(answer.status)),
            Outcome::Failed(failed) => format!("slice {} failed: {}", carried.slice, failed.why),
            Outcome::TimedOut => format!("slice {} took too long and was stopped", carried.slice),
            Outcome::Stopped => format!("slice {} was interrupted", carried.slice),
        };
        self.tell_slice(shown, &refs, meta)?;
        Ok(outcome)
    }

    /// Begins a turn of the job's agent, with what waits for it; of messages of the bus with these only, if they are named.
    pub(crate) fn begin(&self, number: u32, messages: Option<&[Seq]>) -> Result<Begun, Halted> {
        let executor = slice::choose(self, &self.claimed.job)?.kind();
        let begun = self.patiently(|| self.desk.begin(self.claimed, executor, messages, &format!("turn {number}")))?;
        if let Some(message) = begun.interrupt() {
            self.lifeline.heard(message);
        }
        Ok(begun)
    }

    /// Puts on record how a turn ended.
    pub(crate) fn end_turn(&self, turn: TurnId, ending: &Ended) -> Result<(), Halted> {
        self.patiently(|| self.desk.end_turn(self.claimed, turn, ending))
    }

    /// Tells how a slice ended, and where what it left behind is.
    pub(crate) fn tell_slice(&self, shown: String, refs: &[Reference], meta: Map<String, Value>) -> Result<(), Halted> {
        if let Some(cut) = self.lifeline.cut() {
            return Err(Halted::Cut(cut));
        }
        self.told.say(self.claimed.id(), &shown);
        let refs = refs.iter().map(Reference::to_string).collect();
        let tokens = Some(Spent::noted(&meta).tokens()).filter(|tokens| *tokens > 0);
        let said = Said { refs, meta, tokens, ..Said::new(ReportKind::Progress, shown) };
        match self.report(said.clone()) {
            // What is noted beside a job has a bound, which its creator or its agent may have used up.
            Err(Halted::Refused(failure)) if failure.code == ErrorCode::InvalidInput => {
                self.report(Said { meta: Map::new(), ..said })
            }
            reported => reported,
        }
    }

    /// What follows from a slice: the end of the job, or another slice.
    fn judge(&self, outcome: Outcome, carried: &mut Carried) -> Result<Option<End>, Halted> {
        match outcome {
            Outcome::Answered(answer) => self.judge_answer(&answer, carried),
            Outcome::TimedOut => {
                let limit = self.settings.limits.slice.as_secs() / 60;
                carried.prior = Prior {
                    outcome: Some(format!("The last slice was stopped after {limit} minutes, without an answer.")),
                    demand: Some("Land what you have, and answer within the time of a slice.".to_owned()),
                };
                Ok(None)
            }
            Outcome::Failed(failed) => {
                let met = match failed.cause {
                    Cause::Program(kind) => self.meet_trouble(kind, &failed)?,
                    Cause::Job => Met::Counts,
                };
                if met == Met::Waited {
                    // A conversation outlives an outage of its model.
                    carried.session.take_if(|_| failed.cause != MODEL_DOWN);
                    let outcome = Some(format!("The last slice was cut short: {}", failed.why));
                    carried.prior = Prior { outcome, demand: None };
                    return Ok(None);
                }
                carried.failures =
                    if met == Met::Exhausted { self.settings.failures_max } else { carried.failures + 1 };
                let tail: String =
                    redact(&failed.tail).trim().chars().rev().take(200).collect::<Vec<_>>().into_iter().rev().collect();
                let message = if tail.is_empty() { failed.why.clone() } else { format!("{}: {tail}", failed.why) };
                if carried.failures >= self.settings.failures_max {
                    let why = format!("Failed {} times in a row. {message}", self.settings.failures_max);
                    return self.end(End::Failed, &why, &carried.own).map(Some);
                }
                self.report(Said::new(ReportKind::Error, message))?;
                // What could not be gone on with is begun anew.
                carried.session.take_if(|_| failed.conversation == Conversation::Doubtful);
                carried.prior = Prior { outcome: Some(format!("The last slice failed: {}", failed.why)), demand: None };
                Ok(None)
            }
            Outcome::Stopped => {
                carried.interrupted = true;
                carried.prior = Prior { outcome: Some("Your last turn was interrupted.".to_owned()), demand: None };
                Ok(None)
            }
        }
    }

    fn judge_answer(&self, answer: &Answer, carried: &mut Carried) -> Result<Option<End>, Halted> {
        carried.failures = 0;
        carried.start = Prior::default();
        self.breaker.close(slice::choose(self, &self.claimed.job)?.kind());
        for note in &answer.notes {
            self.pass_on(note.clone().into())?;
        }
        carried.held_end = None;
        if answer.status != AnswerStatus::Continue && self.patiently(|| self.desk.job(self.claimed.id()))?.needs_manager
        {
            return self.hold_end(answer, carried);
        }
        if answer.status != AnswerStatus::Continue
            && self.patiently(|| self.desk.has_unheard_answer(self.claimed.id(), carried.read))?
        {
            carried.prior = Prior {
                outcome: Some(format!("You said {}: {}", word(answer.status), answer.summary)),
                demand: Some(
                    "Meanwhile the manager answered your question, in the thread. Do what follows from it, then answer \
                     again."
                        .to_owned(),
                ),
            };
            return Ok(None);
        }
        match answer.status {
            AnswerStatus::Failed if self.patiently(|| self.desk.pending_review(self.claimed.id()))?.is_some() => {
                carried.prior = sent_back("FAILED", &answer.summary);
                Ok(None)
            }
            AnswerStatus::Failed => {
                self.end(End::Failed, &answer.summary, &self.patiently(|| self.leading(answer))?).map(Some)
            }
            AnswerStatus::Continue => {
                carried.unproven = 0;
                carried.prior = Prior { outcome: Some(format!("So far: {}", answer.summary)), demand: None };
                Ok(None)
            }
            AnswerStatus::Done => match self.patiently(|| self.desk.weigh(self.claimed.id(), answer))? {
                Verdict::Proven(refs) => match self.end(End::Done, &answer.summary, &refs) {
                    Err(Halted::Refused(failure)) if is_sent_back(&failure) => {
                        carried.unproven = 0;
                        carried.prior = sent_back("DONE", &answer.summary);
                        Ok(None)
                    }
                    ended => ended.map(Some),
                },
                Verdict::Unproven(why) => {
                    carried.unproven += 1;
                    if carried.unproven >= self.settings.failures_max {
                        let times = carried.unproven;
                        let why = format!("{why} This was so {times} times in a row. It said: {}", answer.summary);
                        return self.end(End::Failed, &why, &carried.own).map(Some);
                    }
                    self.report(Said::new(ReportKind::ProofGate, why.clone()))?;
                    carried.prior = Prior {
                        outcome: Some(format!("You said DONE: {}", answer.summary)),
                        demand: Some(format!("{why} {}", demand(self.shell()?))),
                    };
                    Ok(None)
                }
            },
        }
    }

    /// Holds the end that an agent said beside a question: the answer may change it. The next slice is told both.
    fn hold_end(&self, answer: &Answer, carried: &mut Carried) -> Result<Option<End>, Halted> {
        let (word, summary) = (word(answer.status), &answer.summary);
        carried.held_end = Some(format!("It said {word}: {summary}"));
        let held = format!("said {word} beside an unanswered question; the job ends after the answer");
        self.told.say(self.claimed.id(), &held);
        self.report(Said::new(ReportKind::Progress, held))?;
        carried.prior = Prior {
            outcome: Some(format!("You said {word} while your question had no answer yet: {summary}")),
            demand: Some(format!(
                "The manager's answer is in the thread. Do what follows from it, then answer again: {word} with its refs \
                 if it still holds."
            )),
        };
        Ok(None)
    }

    /// The reason of a job that ran out of time.
    fn out_of_time(&self, carried: &Carried) -> String {
        let hours = self.settings.job_limit.as_secs() / 3600;
        match &carried.held_end {
            Some(said) => format!("Nobody answered its question within {hours} h. {said}"),
            None => format!(
                "It is not done after {hours} h, counted from its first claim. Requeue it to allow as much again."
            ),
        }
    }

    /// Passes on what an agent reports with its answer. What it points to may be wrong; what it says is not lost for that.
    fn pass_on(&self, said: Said) -> Result<(), Halted> {
        let wrong_refs = match self.report(said.clone()) {
            Err(Halted::Refused(_)) => true,
            Err(Halted::Cut(Cut::Lost)) => self.patiently(|| self.desk.holds(self.claimed))?,
            reported => return reported,
        };
        if wrong_refs { self.report(Said { refs: Vec::new(), ..said }) } else { Err(Halted::Cut(Cut::Lost)) }
    }

    pub(crate) fn report(&self, said: Said) -> Result<(), Halted> {
        self.patiently(|| self.desk.report(self.claimed, said.clone())).map(|_| ())
    }

    /// Renews the claim.
    pub(crate) fn renew(&self) -> Result<(), Halted> {
        self.patiently(|| self.desk.renew(self.claimed))
    }

    /// Waits until no program of an earlier claim on the job runs, and gives the bounds for the next one.
    pub(crate) fn await_turn(&self) -> Result<ClaimBounds, Halted> {
        let (lock, revision) = (self.lock(), self.claimed.revision().0);
        let bounds = ClaimBounds { lock, revision, until: self.claimed.deadline.at() };
        let mut is_told = false;
        let is_clear = program_lock::await_turn(&bounds, self.claimed.not_before, |process, time| {
            if !std::mem::replace(&mut is_told, true) {
                self.told.say(self.claimed.id(), "waits for the end of its earlier program");
            }
            self.lifeline.pause_for(process, time).is_none()
        });
        match self.lifeline.cut() {
            Some(cut) => Err(Halted::Cut(cut)),
            None if is_clear => Ok(ClaimBounds { until: self.claimed.deadline.at(), ..bounds }),
            None => Err(Halted::Cut(Cut::Lost)),
        }
    }

    /// The lock file of the job.
    fn lock(&self) -> PathBuf {
        self.settings.locks.join(format!("{}.{}.lock", self.desk.room, self.claimed.id()))
    }

    /// Whether the program that does this job can run commands.
    pub(crate) fn shell(&self) -> Result<Shell, Failure> {
        Ok(slice::choose(self, &self.claimed.job)?.shell(slice::is_read_only(&self.claimed.job)))
    }

    fn leading(&self, answer: &Answer) -> Result<Vec<Reference>, Failure> {
        let named = answer.refs.iter().filter_map(|text| text.parse().ok()).collect();
        self.desk.resolving(named)
    }

    /// Ends the job.
    pub(crate) fn end(&self, end: End, summary: &str, refs: &[Reference]) -> Result<End, Halted> {
        // Before it is cut: a part of a secret is not recognised.
        let summary = redact(summary);
        let chars = summary.chars().count();
        let mut said: String = summary.chars().take(SUMMARY_CHARS).collect();
        if chars > SUMMARY_CHARS {
            said += &format!("… [cut: {chars} characters]");
        }
        // Of many, the last: they are what the job came to.
        let refs = &refs[refs.len().saturating_sub(limits::REFERENCES)..];
        self.patiently(|| self.desk.complete(self.claimed, end, &said, refs)).map(|()| end)
    }

    /// Says something to Baton. A store that cannot be reached is waited for: what was done is not to be lost for that.
    pub(crate) fn patiently<T>(&self, say: impl Fn() -> Result<T, Failure>) -> Result<T, Halted> {
        let mut pause = PAUSE.0;
        loop {
            match say() {
                Err(failure) if may_pass(&failure) => {
                    self.told.say(self.claimed.id(), &format!("has to wait for the store: {failure}"));
                    if let Some(cut) = self.lifeline.pause(pause) {
                        return Err(Halted::Cut(cut));
                    }
                    pause = (pause * 2).min(PAUSE.1);
                }
                said => return Ok(said?),
            }
        }
    }

    /// Waits for a manager's word, where one is needed. The claim is kept meanwhile, the place is another job's.
    fn await_manager(&self, clock: &WorkClock) -> Result<(), Halted> {
        let mut watch = self.patiently(|| self.desk.watch())?;
        let mut yielded = None;
        loop {
            let job = self.patiently(|| self.desk.job(self.claimed.id()))?;
            let interrupted = self.patiently(|| self.desk.interrupted(self.claimed))?.is_some();
            if !job.needs_manager || interrupted || clock.elapsed() >= self.settings.job_limit {
                break;
            }
            if yielded.is_none() {
                self.told.say(self.claimed.id(), "waits for a manager's answer");
                yielded = Some(self.slots.give_up(self.id));
            }
            watch.wait(SAFETY, self.lifeline.bell())?;
            if let Some(cut) = self.lifeline.cut() {
                return Err(Halted::Cut(cut));
            }
        }
        if yielded == Some(Yielded::Yes) { self.take_place_again() } else { Ok(()) }
    }

    /// Waits until there is a place to go on in.
    fn take_place_again(&self) -> Result<(), Halted> {
        self.slots.ask_back(self.id, self.bell.clone());
        let mut is_told = false;
        while !self.slots.has_place(self.id) {
            if let Some(cut) = self.lifeline.cut() {
                return Err(Halted::Cut(cut));
            }
            if !is_told {
                self.told.say(self.claimed.id(), "has its answer, and waits for a place");
                is_told = true;
            }
            self.bell.wait(SAFETY);
            self.bell.clear();
        }
        Ok(())
    }
}

/// What the next slice begins with, when a review came in before the job could end.
fn sent_back(word: &str, summary: &str) -> Prior {
    Prior {
        outcome: Some(format!("You said {word}: {summary}")),
        demand: Some("It was sent back with a review, which is in its thread. Do what the review asks.".to_owned()),
    }
}

const fn word(status: AnswerStatus) -> &'static str {
    match status {
        AnswerStatus::Done => "DONE",
        AnswerStatus::Failed => "FAILED",
        AnswerStatus::Continue => "CONTINUE",
    }
}
