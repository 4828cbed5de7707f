//! The loop of a job that lives on the bus.

use std::{
    thread::{self, Scope},
    time::Duration,
};

use baton_app::{Cancel, Failure, bus::Ending, commands::bus::Delivery};
use baton_core::{
    bus::{
        What,
        receiver::{Finished, Order, Receiver, Step},
    },
    code::ErrorCode,
    ids::Seq,
    job::{Conversing, Kind, Outcome as End, Status},
    reference::Reference,
    turn::TurnId,
};

use super::{
    line::Line,
    memory::Memory,
    prompts::{self, Scene},
    relay::Relay,
    turn::{Purpose, Turn},
};
use crate::{
    executor::{COMPACT, Form, Session},
    ground::{Ground, Pack},
    lifeline::Cut,
    place::Place,
    prompt::{Heard, Prompt},
    slice::{self, Part},
    spent::Spent,
    work::{Halted, Work},
    work_clock::WorkClock,
};

/// How often the loop looks without having been rung for.
const SAFETY: Duration = Duration::from_secs(5);

/// Plays a job that lives on the bus, until it is told to end.
pub(crate) fn converse(work: &Work<'_>, how: Conversing) -> Result<End, Halted> {
    let place = match Place::of(work.settings, work.claimed) {
        Ok(place) => place,
        Err(why) => return work.end(End::Failed, &why, &[]),
    };
    let bell = Cancel::new().map_err(|error| {
        Failure::new(ErrorCode::Internal, format!("A bell for a conversation could not be made: {error}."))
    })?;
    work.lifeline.also_ring(bell.clone());
    let line = work.patiently(|| Line::open(work.desk, work.claimed))?;
    work.told.say(work.claimed.id(), &format!("is {} in the session", line.name));
    let ended = thread::scope(|scope| {
        let ended = Talk::new(work, &place, &line, how, (scope, bell)).live();
        if ended.is_err() {
            // Whatever still runs has nobody to answer to.
            work.lifeline.interrupt();
        }
        ended
    });
    match &ended {
        Err(Halted::Cut(cut)) => hang_up(work, &line, *cut),
        Err(Halted::Trouble(_)) => hang_up(work, &line, Cut::Leaving),
        Ok(_) | Err(Halted::Refused(_)) => {}
    }
    ended
}

/// Notes that this runner is not there for the job's agent any more, unless another one is already.
fn hang_up(work: &Work<'_>, line: &Line, cut: Cut) {
    let is_ours = match cut {
        Cut::Leaving => true,
        Cut::Lost => work.desk.job(work.claimed.id()).is_ok_and(|job| job.status == Status::Queued),
    };
    if is_ours && let Err(failure) = line.close("its runner does not work on it any more") {
        work.told.say(work.claimed.id(), &format!("could not be signed off from the session: {failure}"));
    }
}

/// A job's agent at its place on the bus.
pub(super) struct Talk<'scope, 'env> {
    pub(super) work: &'env Work<'env>,
    pub(super) place: &'env Place,
    pub(super) line: &'env Line,
    pub(super) how: Conversing,
    pub(super) scope: &'scope Scope<'scope, 'env>,
    /// Rings when a turn is over, and when the lifeline is cut.
    pub(super) bell: Cancel,
    pub(super) receiver: Receiver,
    pub(super) memory: Memory,
    pub(super) session: Option<Session>,
    /// What the conversation was told, as long as it remembers.
    pub(super) heard: Option<Heard>,
    pub(super) turn: Option<Turn>,
    pub(super) relay: Option<Relay>,
    pub(super) number: u32,
    pub(super) failures: u32,
    /// Where the thread of the job was read to.
    pub(super) read: u64,
    /// What this runner kept by itself.
    pub(super) own: Vec<Reference>,
    /// What all turns of the job took.
    pub(super) spent: Spent,
    /// The context pack that it works with.
    pack: Pack,
    /// Whether its agent said that it is done while a question had no answer.
    is_end_held: bool,
}

/// A turn that was begun, and what it is told.
struct Telling {
    prompt: Prompt,
    /// To where it tells the thread of the job.
    read: u64,
    turn: TurnId,
    ground: Ground,
}

impl<'scope, 'env> Talk<'scope, 'env> {
    fn new(
        work: &'env Work<'env>,
        place: &'env Place,
        line: &'env Line,
        how: Conversing,
        (scope, bell): (&'scope Scope<'scope, 'env>, Cancel),
    ) -> Self {
        Self {
            work,
            place,
            line,
            how,
            scope,
            bell,
            receiver: Receiver::default(),
            memory: Memory::default(),
            session: None,
            heard: None,
            turn: None,
            relay: (how == Conversing::Relay).then(Relay::default),
            number: 0,
            failures: 0,
            read: 0,
            own: Vec::new(),
            spent: Spent::noted(&work.claimed.job.meta),
            pack: Pack::default(),
            is_end_held: false,
        }
    }

    fn live(mut self) -> Result<End, Halted> {
        let (work, line) = (self.work, self.line);
        let clock = work.patiently(|| WorkClock::of(work.desk, work.claimed))?;
        let mut watch = work.patiently(|| line.watch())?;
        // First the place, then the look: what is sent in between is taken up, and is nothing that was said before.
        let end = work.patiently(|| line.end_of_log())?;
        let resumed = work.patiently(|| line.take(Some(Seq::default())))?;
        let place = resumed.first().map_or(end, |first| first.seq);
        self.memory = work.patiently(|| Memory::recall(line, place))?;
        self.feed(resumed)?;
        loop {
            if let Some(cut) = work.lifeline.cut() {
                return Err(Halted::Cut(cut));
            }
            if let Some(end) = self.look_at_turn()? {
                return Ok(end);
            }
            if let Some(ending) = work.patiently(|| line.ending())?
                && self.may_end(&ending)?
            {
                return self.end_as(&ending);
            }
            match self.hear().and_then(|()| self.lead_on()) {
                // It was closed just now, which is an end like any other.
                Err(Halted::Cut(Cut::Lost)) if self.is_closed() => return self.end_as(&Ending::Closed),
                heard => heard?,
            }
            let left = work.settings.job_limit.saturating_sub(clock.elapsed());
            if left.is_zero() {
                return self.end_of_time();
            }
            watch.wait(SAFETY.min(left), &self.bell)?;
            self.bell.clear();
        }
    }

    /// Whether an end is one now. Its own agent's word waits while a question of the job has no answer, and then until the
    /// agent has heard the answer; others know what they end.
    fn may_end(&mut self, ending: &Ending) -> Result<bool, Halted> {
        let (work, line) = (self.work, self.line);
        if !matches!(ending, Ending::Done { by, .. } if *by == line.agent) {
            return Ok(true);
        }
        if work.patiently(|| work.desk.job(work.claimed.id()))?.needs_manager {
            if !self.is_end_held {
                work.told.say(work.claimed.id(), "waits for a manager's answer before it ends");
                self.is_end_held = true;
            }
            // A relay that said its last word still counts as busy. Left so, the answer would begin no turn.
            if self.turn.is_none() && !self.receiver.is_idle() {
                self.relay.iter_mut().for_each(|relay| relay.is_paused = true);
                let steps = self.receiver.finish(&Finished::Done);
                self.follow(steps)?;
            }
            return Ok(false);
        }
        let is_awaited = || work.desk.app.is_awaited(&work.desk.room, &line.agent);
        Ok(!self.is_end_held || (self.turn.is_none() && !work.patiently(is_awaited)?))
    }

    fn is_closed(&self) -> bool {
        self.work.lifeline.cut().is_none() && matches!(self.line.ending(), Ok(Some(Ending::Closed)))
    }

    /// Takes what was sent, and what came of what a relay sent.
    fn hear(&mut self) -> Result<(), Halted> {
        let (work, line) = (self.work, self.line);
        let awaited = self.relay.as_ref().and_then(|relay| relay.awaited.clone());
        // Asked before the inbox is emptied: what was answered by the end of all of it is there then.
        let ended = match &awaited {
            Some(group) => work.patiently(|| line.has_ended(group))?,
            None => false,
        };
        let taken = work.patiently(|| line.take(None))?;
        self.feed(taken)?;
        // An interrupt may have come just now, and then nothing is awaited any more.
        let still = self.relay.as_ref().and_then(|relay| relay.awaited.clone());
        if let Some(group) = still.filter(|_| ended) {
            self.end_round(&group)?;
            let steps = self.receiver.finish(&Finished::Done);
            self.follow(steps)?;
        }
        self.attend()
    }

    /// Begins a turn about what came otherwise than over the bus. A relay that waits for others is called back by a person
    /// who interrupts it.
    fn attend(&mut self) -> Result<(), Halted> {
        let (work, agent) = (self.work, &self.line.agent);
        let waits = self.turn.is_none() && self.relay.as_ref().is_some_and(|relay| relay.awaited.is_some());
        if waits && work.patiently(|| work.desk.interrupted(work.claimed))?.is_some() {
            self.follow(vec![Step::Stop])?;
        }
        if self.receiver.is_idle()
            && work.patiently(|| work.desk.app.is_awaited(&work.desk.room, agent))?
            && self.receiver.begin()
        {
            self.start(Vec::new())?;
        }
        Ok(())
    }

    fn feed(&mut self, deliveries: Vec<Delivery>) -> Result<(), Halted> {
        for delivery in deliveries {
            let steps = self.receiver.deliver(order(delivery));
            self.follow(steps)?;
        }
        Ok(())
    }

    /// Does what the rules say.
    pub(super) fn follow(&mut self, steps: Vec<Step>) -> Result<(), Halted> {
        let (work, line) = (self.work, self.line);
        for step in steps {
            match step {
                Step::Say { action_id, report } => work.patiently(|| line.say(&action_id, &report))?,
                Step::Renew => {
                    self.session = None;
                    self.memory.clear();
                    self.relay.iter_mut().for_each(Relay::renew);
                }
                Step::Start(orders) => self.start(orders)?,
                Step::Stop if self.turn.is_some() => work.lifeline.interrupt(),
                // A relay that waits has no program to stop; it waits no more.
                Step::Stop => {
                    if let Some(group) = self.relay.as_mut().and_then(|relay| relay.awaited.take()) {
                        self.end_round(&group)?;
                    }
                    self.relay.iter_mut().for_each(|relay| relay.is_paused = true);
                    let next = self.receiver.finish(&Finished::Stopped);
                    self.follow(next)?;
                }
            }
        }
        Ok(())
    }

    /// Begins a turn about what was asked.
    pub(super) fn start(&mut self, orders: Vec<Order>) -> Result<(), Halted> {
        let can_compact = slice::choose(self.work, &self.work.claimed.job)?.can_compact() && self.session.is_some();
        let purpose = Purpose::of(&orders, self.relay.is_some(), can_compact);
        if purpose == Purpose::Compact && self.session.is_none() && self.memory.is_empty() {
            let steps = self.receiver.finish(&Finished::Done);
            return self.follow(steps);
        }
        self.work.lifeline.expect();
        let telling = self.tell(&orders)?;
        let prompt = telling.prompt;
        let (prompt, form) = match purpose {
            Purpose::CompactInPlace => (prompt.replaced_by(COMPACT), Form::Notes),
            Purpose::Answer | Purpose::Lead | Purpose::Compact => {
                self.heard = Some(prompt.heard());
                self.read = telling.read;
                self.relay.iter_mut().for_each(|relay| relay.results.clear());
                (prompt, Form::Words)
            }
        };
        orders.iter().filter_map(prompts::remembered).for_each(|line| self.memory.add(line));
        if let Some(relay) = &mut self.relay {
            relay.is_paused = false;
            relay.asking.extend(
                orders.iter().filter(|_| purpose == Purpose::Lead).filter(|order| order.is_answered()).cloned(),
            );
        }
        self.number += 1;
        let Ground { name: role, context_ref, .. } = telling.ground;
        let (resume, number, turn) = (self.session.clone(), self.number, telling.turn);
        let tokens_before = self.spent.tokens();
        let part = Part { prompt, form, resume, number, turn, role, context_ref, tokens_before };
        let about = (purpose, orders);
        self.turn = Some(Turn::start(self.scope, self.work, self.place, about, part, self.bell.clone()));
        Ok(())
    }

    /// Begins a turn of the agent about what was asked, with what else waits for it.
    fn tell(&mut self, orders: &[Order]) -> Result<Telling, Halted> {
        let (work, line) = (self.work, self.line);
        let (_, thread) = work.patiently(|| work.desk.look(work.claimed.id()))?;
        let said: Vec<_> =
            thread.iter().filter(|event| event.seq.0 > self.read && event.kind == Kind::Manager).collect();
        let manager =
            said.iter().map(|event| format!("{}: {}", event.by, event.message)).collect::<Vec<_>>().join("\n");
        let read = thread.last().map_or(self.read, |event| event.seq.0);
        let colleagues = work.patiently(|| line.colleagues())?;
        let ground = work.patiently(|| Ground::of(work, &work.claimed.job))?;
        let messages: Vec<Seq> =
            orders.iter().filter(|order| matches!(order.what, What::Message { .. })).map(|order| order.seq).collect();
        let mut begun = work.begin(self.number + 1, Some(&messages))?;
        let ground = ground.with_pack(work, &begun, (&mut self.pack, self.session.as_ref()))?;
        let is_told = |seq: u64| messages.contains(&Seq(seq)) || said.iter().any(|event| event.seq.0 == seq);
        begun.items.retain(|item| !is_told(item.seq));
        let memory = self.memory.text();
        let scene = Scene {
            room: work.desk.room.as_str(),
            claimed: work.claimed,
            line,
            how: self.how,
            ground: &ground.blocks(),
            incoming: &begun.items,
            colleagues: &colleagues,
            memory: &memory,
            manager: &manager,
            results: self.relay.as_ref().map_or("", |relay| &relay.results),
            shell: self.work.shell()?,
        };
        let prompt = scene.prompt(orders, self.session.as_ref().and(self.heard.as_ref()));
        Ok(Telling { prompt, read, turn: begun.id, ground })
    }
}

fn order(delivery: Delivery) -> Order {
    Order {
        seq: delivery.seq,
        action_id: delivery.action_id,
        from: delivery.src,
        sender_name: delivery.sender_name,
        context_id: delivery.context.context_id,
        what: delivery.what,
        after: delivery.after_action_id,
    }
}
