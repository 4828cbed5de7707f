//! A target's own runtime: what it says to whatever it is asked, and what it does when.

use std::collections::{HashMap, HashSet};

use proptest::{collection::vec, prelude::*};

use crate::{
    bus::{
        BusId, Control, Kind, Status, What,
        receiver::{Finished, Order, Receiver, Step},
    },
    ids::{AgentId, Seq},
    limits,
};

fn id(name: &str) -> BusId {
    name.parse().unwrap()
}

fn order(name: &str, what: What) -> Order {
    let from: AgentId = "ana".parse().unwrap();
    let seq = Seq(name.bytes().map(u64::from).sum());
    let sender_name = "ana".to_owned();
    Order { seq, action_id: Some(id(name)), from, sender_name, context_id: id("c"), what, after: None }
}

fn message(name: &str, kind: Kind) -> Order {
    order(name, What::Message { kind, text: format!("do {name}"), reply_to_action_id: None, plan: None })
}

fn user(name: &str) -> Order {
    message(name, Kind::User)
}

fn reply(name: &str) -> Order {
    message(name, Kind::Reply)
}

fn control(name: &str, command: Control) -> Order {
    order(name, What::Control { command, args: None })
}

fn after(new: &str, order: Order) -> Order {
    Order { after: Some(id(new)), ..order }
}

/// What is fed to a runtime.
enum Fed {
    Asked(Order),
    Ended(Finished),
    Begun,
    CarriedOn,
}

use Fed::{Asked, Begun, CarriedOn, Ended};

/// A line for whatever is fed, with what the runtime says and does.
fn play(fed: Vec<Fed>) -> String {
    let mut receiver = Receiver::default();
    let lines = fed.into_iter().map(|fed| match fed {
        Asked(order) => {
            let name = order.action_id.as_ref().map_or("a message", BusId::as_str).to_owned();
            format!("{name}: {}", told(&receiver.deliver(order)))
        }
        Ended(how) => format!("{how:?}: {}", told(&receiver.finish(&how))),
        CarriedOn => format!("carries on: {}", told(&receiver.carry_on(&Finished::Done))),
        Begun => format!("begins by itself: {}", receiver.begin()),
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn told(steps: &[Step]) -> String {
    let one = |step: &Step| match step {
        Step::Say { action_id, report } => {
            let mut said = format!("{action_id} {}", report.status.as_str());
            said += &report.detail.as_ref().map(|why| format!(" ({why})")).unwrap_or_default();
            let names = report.data.iter().flat_map(|data| [&data.new_context_id, &data.new_task_id]);
            said += &names.flatten().map(|name| format!(" {name}")).collect::<String>();
            said
        }
        Step::Renew => "forget".to_owned(),
        Step::Start(orders) => {
            let names = orders.iter().map(|order| order.action_id.as_ref().map_or("a message", BusId::as_str));
            format!("start {}", names.collect::<Vec<_>>().join("+"))
        }
        Step::Stop => "stop".to_owned(),
    };
    if steps.is_empty() { "nothing".to_owned() } else { steps.iter().map(one).collect::<Vec<_>>().join(", ") }
}

#[test]
fn messages_are_worked_on_one_at_a_time_and_in_order() {
    insta::assert_snapshot!(play(vec![
        Asked(user("a")), Asked(user("b")), Asked(user("c")),
        Ended(Finished::Done), Ended(Finished::Failed("no disk".to_owned())), Ended(Finished::Done), Ended(Finished::Done),
    ]), @"
    a: a accepted, start a
    b: b queued
    c: c queued
    Done: a completed, b accepted, start b
    Failed(\"no disk\"): b error (no disk), c accepted, start c
    Done: c completed
    Done: nothing
    ");
}

#[test]
fn an_idle_target_begins_a_fresh_context_at_once() {
    insta::assert_snapshot!(play(vec![Asked(control("n", Control::New)), Asked(after("n", user("a")))]), @"
    n: forget, n completed ctx_110_new task_110_new
    a: a accepted, start a
    ");
}

#[test]
fn a_busy_target_begins_it_when_its_turn_has_ended_and_what_follows_belongs_to_it() {
    insta::assert_snapshot!(play(vec![
        Asked(user("a")), Asked(control("n", Control::New)), Asked(after("n", user("b"))),
        Ended(Finished::Done), Ended(Finished::Done),
    ]), @"
    a: a accepted, start a
    n: n queued
    b: b queued
    Done: a completed, forget, n completed ctx_110_new task_110_new, b accepted, start b
    Done: b completed
    ");
}

#[test]
fn a_second_new_is_rejected_while_one_waits_and_with_it_what_comes_after() {
    insta::assert_snapshot!(play(vec![
        Asked(user("a")), Asked(control("n", Control::New)), Asked(control("m", Control::New)),
        Asked(after("m", user("b"))), Asked(after("m", control("c", Control::Compact))), Asked(user("d")),
        Ended(Finished::Done), Asked(after("m", user("e"))), Asked(after("m", control("o", Control::New))),
        Ended(Finished::Done),
    ]), @"
    a: a accepted, start a
    n: n queued
    m: m rejected (another `new` waits already: n)
    b: b rejected (the `new` before it came to nothing: m)
    c: c rejected (the `new` before it came to nothing: m)
    d: d queued
    Done: a completed, forget, n completed ctx_110_new task_110_new, d accepted, start d
    e: e rejected (the `new` before it came to nothing: m)
    o: o queued
    Done: d completed, forget, o completed ctx_111_new task_111_new
    ");
}

#[test]
fn a_busy_target_is_blocked_for_compact_and_review_and_does_them_when_it_is_free() {
    insta::assert_snapshot!(play(vec![
        Asked(control("c", Control::Compact)), Asked(control("r", Control::Review)), Asked(user("a")),
        Ended(Finished::Done), Ended(Finished::Done), Ended(Finished::Done),
    ]), @"
    c: c accepted, start c
    r: r blocked
    a: a queued
    Done: c completed, r accepted, start r
    Done: r completed, a accepted, start a
    Done: a completed
    ");
}

#[test]
fn an_interrupt_stops_what_runs_and_the_next_goes_on() {
    insta::assert_snapshot!(play(vec![
        Asked(control("i", Control::Interrupt)), Asked(user("a")), Asked(user("b")),
        Asked(control("j", Control::Interrupt)), Asked(control("k", Control::Interrupt)), Ended(Finished::Stopped),
        Ended(Finished::Done),
    ]), @"
    i: i rejected (no task was running)
    a: a accepted, start a
    b: b queued
    j: j accepted, stop
    k: k accepted
    Stopped: a error (interrupted), j completed, k completed, b accepted, start b
    Done: b completed
    ");
}

#[test]
fn an_interrupt_that_comes_too_late_interrupted_nothing() {
    let fed = vec![Asked(user("a")), Asked(control("i", Control::Interrupt)), Ended(Finished::Done)];
    insta::assert_snapshot!(play(fed), @"
    a: a accepted, start a
    i: i accepted, stop
    Done: a completed, i rejected (what was running had just ended)
    ");
}

#[test]
fn replies_to_a_busy_owner_wait_for_the_end_of_its_turn_and_are_heard_together() {
    insta::assert_snapshot!(play(vec![
        Begun, Asked(reply("a")), Asked(reply("b")), Asked(user("c")), Asked(reply("d")), Begun,
        Ended(Finished::Done), Ended(Finished::Done), Ended(Finished::Done), Ended(Finished::Done), Begun,
    ]), @"
    begins by itself: true
    a: a queued
    b: b queued
    c: c queued
    d: d queued
    begins by itself: false
    Done: a accepted, b accepted, start a+b
    Done: a completed, b completed, c accepted, start c
    Done: c completed, d accepted, start d
    Done: d completed
    begins by itself: true
    ");
}

#[test]
fn an_owner_that_carries_on_by_itself_stays_busy_for_the_others() {
    insta::assert_snapshot!(play(vec![
        Asked(user("a")), Asked(reply("b")), CarriedOn, Asked(reply("c")), Ended(Finished::Done), Ended(Finished::Done),
    ]), @"
    a: a accepted, start a
    b: b queued
    carries on: a completed
    c: c queued
    Done: b accepted, c accepted, start b+c
    Done: b completed, c completed
    ");
}

#[test]
fn a_message_that_is_no_action_is_worked_on_and_nothing_is_said_of_it() {
    let plain = || Order { action_id: None, ..user("a") };
    insta::assert_snapshot!(play(vec![Asked(plain()), Asked(plain()), Ended(Finished::Done), Ended(Finished::Stopped)]), @"
    a message: start a message
    a message: nothing
    Done: start a message
    Stopped: nothing
    ");
}

#[test]
fn only_what_asks_for_it_is_answered() {
    assert!(user("a").is_answered() && control("r", Control::Review).is_answered());
    assert!(!reply("b").is_answered() && !control("c", Control::Compact).is_answered());
}

#[test]
fn more_than_can_wait_is_rejected() {
    let mut receiver = Receiver::default();
    for number in 0..=limits::RECEIVER_WAITING {
        receiver.deliver(user(&number.to_string()));
    }
    assert_eq!(receiver.waiting(), limits::RECEIVER_WAITING);
    assert_eq!(told(&receiver.deliver(user("x"))), "x rejected (1000 things wait already)");
    assert_eq!(told(&receiver.deliver(control("i", Control::Interrupt))), "i accepted, stop");
}

#[derive(Clone, Debug)]
enum Move {
    User,
    Reply,
    Control(Control),
    End(Finished),
}

fn moves() -> impl Strategy<Value = Vec<(Move, bool)>> {
    let one = prop_oneof![
        6 => Just(Move::User),
        3 => Just(Move::Reply),
        2 => Just(Move::Control(Control::New)),
        1 => Just(Move::Control(Control::Compact)),
        1 => Just(Move::Control(Control::Review)),
        2 => Just(Move::Control(Control::Interrupt)),
        4 => Just(Move::End(Finished::Done)),
        1 => Just(Move::End(Finished::Failed("x".to_owned()))),
    ];
    vec((one, any::<bool>()), 0..60)
}

/// What a runtime was seen to do.
#[derive(Default)]
struct Seen {
    ended: HashMap<BusId, Status>,
    started: Vec<BusId>,
    running: bool,
    stopping: bool,
}

impl Seen {
    fn see(&mut self, steps: &[Step]) -> Result<(), TestCaseError> {
        for step in steps {
            match step {
                Step::Say { action_id, report } => {
                    let before = self.ended.get(action_id);
                    prop_assert!(before.is_none(), "{action_id} ended before, as {before:?}: {report:?}");
                    if report.status.is_terminal() {
                        self.ended.insert(action_id.clone(), report.status);
                    }
                }
                Step::Start(orders) => {
                    prop_assert!(!self.running, "one at a time");
                    self.running = true;
                    self.started.extend(orders.iter().filter_map(|order| order.action_id.clone()));
                }
                Step::Stop => {
                    prop_assert!(self.running && !self.stopping);
                    self.stopping = true;
                }
                Step::Renew => prop_assert!(!self.running),
            }
        }
        Ok(())
    }

    fn finish(&mut self, receiver: &mut Receiver, how: &Finished) -> Result<(), TestCaseError> {
        let how = if self.stopping { Finished::Stopped } else { how.clone() };
        (self.running, self.stopping) = (false, false);
        self.see(&receiver.finish(&how))
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_024, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_is_fed_ends_once_and_is_begun_in_order(moves in moves()) {
        let (mut receiver, mut seen) = (Receiver::default(), Seen::default());
        let (mut fed, mut news) = (Vec::new(), Vec::<BusId>::new());
        for (number, (next, follows)) in moves.into_iter().enumerate() {
            let name = format!("a{number}");
            let order = match next {
                Move::User => user(&name),
                Move::Reply => reply(&name),
                Move::Control(command) => control(&name, command),
                Move::End(how) => {
                    seen.finish(&mut receiver, &how)?;
                    continue;
                }
            };
            let after = news.last().filter(|_| follows).cloned();
            fed.push((id(&name), after.clone()));
            if order.control_of() == Some(Control::New) {
                news.push(id(&name));
            }
            seen.see(&receiver.deliver(Order { after, ..order }))?;
            prop_assert!(receiver.waiting() == 0 || !receiver.is_idle());
        }
        while !receiver.is_idle() {
            seen.finish(&mut receiver, &Finished::Done)?;
        }
        let all: HashSet<_> = fed.iter().map(|(name, _)| name.clone()).collect();
        prop_assert_eq!(seen.ended.keys().cloned().collect::<HashSet<_>>(), all);
        let place = |name: &BusId| fed.iter().position(|(fed, _)| fed == name);
        prop_assert!(seen.started.is_sorted_by_key(place), "{:?}", seen.started);
        for (name, new) in fed.iter().filter_map(|(name, after)| Some((name, after.as_ref()?))) {
            let lost = seen.ended[new] != Status::Completed;
            prop_assert!(!lost || !seen.started.contains(name), "{name} was begun, though {new} came to nothing");
        }
    }
}

impl Order {
    fn control_of(&self) -> Option<Control> {
        match self.what {
            What::Control { command, .. } => Some(command),
            What::Message { .. } => None,
        }
    }
}
