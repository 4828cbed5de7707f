//! What a target makes of what it is asked: the rules of its own runtime.
//!
//! A runtime feeds what is delivered to it, in order, and the end of each of its turns; it is told what to report and
//! what to do. It works on one thing at a time: whoever comes while it is busy waits, and goes on only when a turn has
//! ended, never because time has passed. How a turn is played is the runtime's own business. Start at
//! [`Receiver::deliver`] and [`Receiver::finish`].
//!
//! What must stay true: whatever is fed ends once, in the order in which it was fed, but for an `interrupt`, which acts at
//! once, and for what is rejected; and no reply is answered, so that two runtimes cannot keep each other talking.

use std::collections::VecDeque;

use super::{BusId, Control, Data, Kind, Report, Status, What};
use crate::{
    ids::{AgentId, Seq},
    limits,
};

/// How many contexts that were begun are remembered by the `new` that began them. Whoever was delivered together with
/// a `new` is fed right after it, so it need not be more than fits into one delivery.
const BEGUN: usize = limits::ACTIONS_MAX as usize * 2;

/// Something that a target is asked.
#[derive(Clone, Debug, PartialEq)]
pub struct Order {
    /// Its event, which is its place in the target's order.
    pub seq: Seq,
    /// Its name. A message without one wants no result.
    pub action_id: Option<BusId>,
    /// Who asks.
    pub from: AgentId,
    /// What people call whoever asks.
    pub sender_name: String,
    /// Which conversation it belongs to.
    pub context_id: BusId,
    /// What is asked.
    pub what: What,
    /// The `new` before it in its group, unless that had completed when this was delivered.
    pub after: Option<BusId>,
}

impl Order {
    /// Whether what comes of it is sent back: a reply is not replied to.
    pub const fn is_answered(&self) -> bool {
        match &self.what {
            What::Message { kind, .. } => matches!(kind, Kind::User),
            What::Control { command, .. } => matches!(command, Control::Review),
        }
    }

    const fn is_reply(&self) -> bool {
        matches!(self.what, What::Message { kind: Kind::Reply, .. })
    }

    const fn control(&self) -> Option<Control> {
        match self.what {
            What::Control { command, .. } => Some(command),
            What::Message { .. } => None,
        }
    }
}

/// What a runtime is to do next.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// Say how far an action is.
    Say {
        /// Which.
        action_id: BusId,
        /// How far.
        report: Report,
    },
    /// Forget what was said so far: a fresh context begins.
    Renew,
    /// Begin a turn about this: one thing, or replies that came meanwhile. Its end is told to [`Receiver::finish`].
    Start(Vec<Order>),
    /// Stop the turn that runs. Its end is told to [`Receiver::finish`] as well.
    Stop,
}

/// How a turn ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Finished {
    /// Something came of it.
    Done,
    /// Nothing did, and why.
    Failed(String),
    /// It was stopped.
    Stopped,
}

/// A target's runtime.
#[derive(Clone, Debug, Default)]
pub struct Receiver {
    running: Option<Turn>,
    /// In order. Nothing waits unless something runs.
    waiting: VecDeque<Order>,
    /// The last `new`s that began a context.
    begun: VecDeque<BusId>,
}

/// A turn that runs. One that the runtime began by itself is about nothing that was asked.
#[derive(Clone, Debug, Default)]
struct Turn {
    orders: Vec<Order>,
    /// Who wants it stopped.
    interrupts: Vec<Order>,
}

impl Receiver {
    /// Whether nothing runs, and so nothing waits.
    pub const fn is_idle(&self) -> bool {
        self.running.is_none()
    }

    /// What it works on. Nothing that was asked, if it is idle or has begun by itself.
    pub fn orders(&self) -> &[Order] {
        self.running.as_ref().map_or(&[], |turn| &turn.orders)
    }

    /// How many wait.
    pub fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// Begins a turn by itself, if it is idle, and tells whether it was.
    pub fn begin(&mut self) -> bool {
        let idle = self.is_idle();
        self.running.get_or_insert_default();
        idle
    }

    /// Takes what is delivered.
    pub fn deliver(&mut self, order: Order) -> Vec<Step> {
        if order.control() == Some(Control::Interrupt) {
            return self.interrupt(order);
        }
        if let Some(why) = self.refuses(&order) {
            return say(&order, Status::Rejected, Some(why), None).into_iter().collect();
        }
        if self.running.is_some() {
            let status = match order.control() {
                Some(Control::Compact | Control::Review) => Status::Blocked,
                Some(Control::New | Control::Interrupt) | None => Status::Queued,
            };
            let steps = say(&order, status, None, None).into_iter().collect();
            self.waiting.push_back(order);
            return steps;
        }
        self.waiting.push_back(order);
        self.advance()
    }

    /// Takes the end of the turn that runs, and goes on with what waits.
    pub fn finish(&mut self, how: &Finished) -> Vec<Step> {
        let mut steps = self.end(how);
        steps.extend(self.advance());
        steps
    }

    /// Takes the end of the turn that runs, and goes on with one of its own that follows from it: what waits waits for
    /// that, too.
    pub fn carry_on(&mut self, how: &Finished) -> Vec<Step> {
        let steps = self.end(how);
        self.begin();
        steps
    }

    fn end(&mut self, how: &Finished) -> Vec<Step> {
        let Some(turn) = self.running.take() else { return Vec::new() };
        let (status, why) = match how {
            Finished::Done => (Status::Completed, None),
            Finished::Failed(why) => (Status::Error, Some(why.as_str())),
            Finished::Stopped => (Status::Error, Some("interrupted")),
        };
        let mut steps: Vec<Step> =
            turn.orders.iter().filter_map(|order| say(order, status, why.map(str::to_owned), None)).collect();
        let (status, why) = match how {
            Finished::Stopped => (Status::Completed, None),
            Finished::Done | Finished::Failed(_) => {
                (Status::Rejected, Some("what was running had just ended".to_owned()))
            }
        };
        steps.extend(turn.interrupts.iter().filter_map(|order| say(order, status, why.clone(), None)));
        steps
    }

    fn interrupt(&mut self, order: Order) -> Vec<Step> {
        let Some(turn) = &mut self.running else {
            return say(&order, Status::Rejected, Some("no task was running".to_owned()), None).into_iter().collect();
        };
        let mut steps: Vec<Step> = say(&order, Status::Accepted, None, None).into_iter().collect();
        if turn.interrupts.is_empty() {
            steps.push(Step::Stop);
        }
        turn.interrupts.push(order);
        steps
    }

    /// Why something is not done at all, if it is not.
    fn refuses(&self, order: &Order) -> Option<String> {
        let waits = |id: &BusId| self.waiting.iter().any(|other| other.action_id.as_ref() == Some(id));
        if order.control() == Some(Control::New) {
            let other = self.waiting.iter().find(|other| other.control() == Some(Control::New))?;
            let other = other.action_id.as_ref().map(BusId::as_str).unwrap_or_default();
            return Some(format!("another `new` waits already: {other}"));
        }
        if let Some(new) = order.after.as_ref().filter(|new| !self.begun.contains(new) && !waits(new)) {
            return Some(format!("the `new` before it came to nothing: {new}"));
        }
        let full = self.waiting.len() >= limits::RECEIVER_WAITING;
        full.then(|| format!("{} things wait already", limits::RECEIVER_WAITING))
    }

    /// Goes on with what waits, until a turn begins or nothing is left.
    fn advance(&mut self) -> Vec<Step> {
        let mut steps = Vec::new();
        while let Some(order) = self.waiting.pop_front() {
            if order.control() == Some(Control::New) {
                steps.push(Step::Renew);
                steps.extend(say(&order, Status::Completed, None, Some(fresh(order.seq))));
                if self.begun.len() == BEGUN {
                    self.begun.pop_front();
                }
                self.begun.extend(order.action_id);
                continue;
            }
            let mut orders = vec![order];
            // Replies that came meanwhile are heard together.
            while orders[0].is_reply() && self.waiting.front().is_some_and(Order::is_reply) {
                orders.extend(self.waiting.pop_front());
            }
            steps.extend(orders.iter().filter_map(|order| say(order, Status::Accepted, None, None)));
            self.running = Some(Turn { orders: orders.clone(), interrupts: Vec::new() });
            steps.push(Step::Start(orders));
            break;
        }
        steps
    }
}

/// What is said of an action; nothing of a message that is none.
fn say(order: &Order, status: Status, detail: Option<String>, data: Option<Data>) -> Option<Step> {
    let action_id = order.action_id.clone()?;
    Some(Step::Say { action_id, report: Report { status, detail, data } })
}

/// The names of the context and the task that a `new` begins, from its place in the log, which nothing else has.
fn fresh(seq: Seq) -> Data {
    let named = |what: &str| format!("{what}_{seq}_new").parse().ok();
    Data { new_context_id: named("ctx"), new_task_id: named("task") }
}
