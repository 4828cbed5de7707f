//! Random stories on a real store: whatever members do, the log tells it all.

use baton_core::{ids::RoomId, room::Event};
use baton_testkit::{Agent, TestApp, Turn, handoff, on_every_backend};
use proptest::{collection::vec, prelude::*};
use serde_json::json;

const CAST: [&str; 4] = ["codex", "claude", "gemini", "opencode"];

#[derive(Clone, Debug)]
enum Step {
    Join(usize),
    Wait(usize),
    Release { who: usize, stale: bool },
    Pass { who: usize, to: usize },
    Take(usize),
    Heartbeat { who: usize, stale: bool },
    Leave(usize),
    Reorder(usize),
    Policy(usize, u64),
    Note(usize),
    Look(usize),
    Close(usize),
    Die(usize),
    Later(u64),
}

fn step() -> impl Strategy<Value = Step> {
    let who = 0..CAST.len();
    prop_oneof![
        3 => who.clone().prop_map(Step::Join),
        8 => who.clone().prop_map(Step::Wait),
        6 => (who.clone(), any::<bool>()).prop_map(|(who, stale)| Step::Release { who, stale }),
        3 => (who.clone(), who.clone()).prop_map(|(who, to)| Step::Pass { who, to }),
        5 => who.clone().prop_map(Step::Take),
        3 => (who.clone(), any::<bool>()).prop_map(|(who, stale)| Step::Heartbeat { who, stale }),
        2 => who.clone().prop_map(Step::Leave),
        1 => who.clone().prop_map(Step::Reorder),
        1 => (who.clone(), 6..90_u64).prop_map(|(who, minutes)| Step::Policy(who, minutes)),
        1 => who.clone().prop_map(Step::Note),
        1 => who.clone().prop_map(Step::Look),
        1 => (0..40_usize).prop_map(Step::Close),
        1 => who.prop_map(Step::Die),
        6 => (0..70_u64).prop_map(Step::Later),
    ]
}

/// The agents, and every turn that was granted.
struct Story<'a> {
    app: &'a TestApp,
    cast: Vec<Agent<'a>>,
    dead: [bool; CAST.len()],
    turns: Vec<Turn>,
}

impl<'a> Story<'a> {
    fn begin(app: &'a TestApp) -> Self {
        let cast = CAST.map(|name| app.living_agent(name)).into();
        let story = Self { app, cast, dead: [false; CAST.len()], turns: Vec::new() };
        story.cast[..2].iter().for_each(|agent| drop(agent.join()));
        for agent in &story.cast[2..] {
            agent.enter(&story.cast[0].room());
        }
        story
    }

    fn room(&self) -> RoomId {
        self.cast[0].room()
    }

    /// The fence a caller shows: the newest one, or one that has ended.
    fn shown(&self, stale: bool) -> Option<&Turn> {
        if stale { self.turns.iter().rev().nth(1) } else { self.turns.last() }
    }

    fn play(&mut self, step: &Step) {
        let open = json!({"expected_turn_id": self.app.stored(&self.room()).turn});
        match *step {
            Step::Join(who) => {
                let room = self.room();
                let _ = self.cast[who].call("room.join", json!({"context_path": self.app.workspace().at("")}));
                self.cast[who].enter(&room);
            }
            Step::Wait(who) => {
                let answer = self.cast[who].call("stick.wait", json!({"max_wait_ms": 0}));
                if let Ok(answer) = answer
                    && answer["status"] == "your_turn"
                    && answer.get("resumed").is_none()
                {
                    self.turns.push(Turn::of(answer));
                }
            }
            Step::Take(who) => {
                if let Ok(answer) = self.cast[who].call("stick.takeover", self.cast[who].taking()) {
                    self.turns.push(Turn::of(answer));
                }
            }
            Step::Release { who, stale } => {
                let Some(turn) = self.shown(stale) else { return };
                let done = self.cast[who].call("stick.release", turn.showing(json!({"handoff": handoff("done")})));
                assert!(!(stale && done.is_ok()), "an ended fence writes nothing");
            }
            Step::Pass { who, to } => {
                let Some(turn) = self.shown(false) else { return };
                let input = turn.showing(json!({"handoff": handoff("done"), "to_agent_id": CAST[to]}));
                let _ = self.cast[who].call("stick.pass", input);
            }
            Step::Heartbeat { who, stale } => {
                let Some(turn) = self.shown(stale) else { return };
                let done = self.cast[who].call("stick.heartbeat", turn.showing(json!({})));
                assert!(!(stale && done.is_ok()), "an ended fence renews nothing");
            }
            Step::Leave(who) => drop(self.cast[who].call("room.leave", json!({}))),
            Step::Reorder(who) => {
                let members = self.app.stored(&self.room()).members;
                let mut order: Vec<_> = members.iter().map(|member| &member.agent_id).collect();
                order.reverse();
                drop(self.cast[who].call("room.reorder", json!({"order": order})));
            }
            Step::Policy(who, minutes) => {
                let policy = json!({"policy": {"owner_lease_ttl_ms": minutes * 60_000}});
                if self.cast[who].call("room.policy", policy.clone()).is_err() {
                    let operator = self.app.person("human:operator:pts9");
                    operator.enter(&self.room());
                    drop(operator.call("room.policy", policy));
                }
            }
            Step::Note(who) => drop(self.cast[who].call("room.note", json!({"text": "note"}))),
            Step::Look(who) => drop(self.cast[who].state()),
            Step::Close(who) => drop(self.cast.get(who).map(|agent| agent.call("room.close", open))),
            Step::Die(who) => {
                if !std::mem::replace(&mut self.dead[who], true) {
                    self.cast[who].dies();
                }
            }
            Step::Later(minutes) => self.app.later_minutes(minutes),
        }
    }

    fn check(&self) {
        for room in self.app.rooms() {
            let (stored, log) = (self.app.stored(&room), self.app.log(&room));
            assert_eq!(self.app.folded(&room), stored, "folding the log gives the stored room");
            let seqs: Vec<u64> = log.iter().map(|recorded| recorded.seq.0).collect();
            assert_eq!(seqs, (1..=stored.last_seq.0).collect::<Vec<_>>(), "seq has no gap");
            let grant = |event: &Event| match event {
                Event::Claimed(claimed) => Some(claimed.grant.turn_id.0),
                Event::TakenOver(taken) => Some(taken.grant.turn_id.0),
                _ => None,
            };
            let turns: Vec<u64> = log.iter().filter_map(|recorded| recorded.event.room().and_then(grant)).collect();
            assert_eq!(turns, (1..=stored.turn.0).collect::<Vec<_>>(), "turn ids grow by one");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_members_do_the_log_folds_to_the_stored_room(steps in vec(step(), 1..60)) {
        on_every_backend(|app| {
            let mut story = Story::begin(&app);
            for step in &steps {
                story.play(step);
                story.check();
            }
            let leases: std::collections::HashSet<_> = story.turns.iter().map(|turn| &turn.lease_id).collect();
            assert_eq!(leases.len(), story.turns.len(), "a lease id is never granted twice");
        });
    }
}
