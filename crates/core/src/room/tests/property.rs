//! Random commands on a moving clock, against a model that is too simple to be wrong.
//!
//! The model knows only who may write: the last one granted, until they let go. It checks what must hold
//! whatever the members do: at most one owner, no fence accepted twice, turn ids only grow by one, somebody
//! can always move, and the log folds to the room.

use std::collections::HashSet;

use proptest::{collection::vec, prelude::*};

use super::action::Action;
use super::scene::{Scene, agent};
use crate::{
    ids::LeaseId,
    policy::{PolicyChange, Resume},
    room::{Authority, Call, Prospect, Shown, Stick},
    time::Ttl,
};

const CAST: [&str; 4] = ["codex", "claude", "gemini", "opencode"];

#[derive(Clone, Debug)]
enum Step {
    Join(usize),
    Claim(usize),
    Release { who: usize, stale: bool },
    Pass { who: usize, to: usize },
    Take(usize),
    Heartbeat { who: usize, stale: bool },
    Leave(usize),
    Rest { who: usize, of: usize },
    Resume(bool),
    Reorder(usize),
    Policy(usize, u64),
    Note(usize),
    Close(usize),
    Kill(usize),
    Wait(u64),
}

fn step() -> impl Strategy<Value = Step> {
    let who = 0..CAST.len();
    prop_oneof![
        3 => who.clone().prop_map(Step::Join),
        8 => who.clone().prop_map(Step::Claim),
        6 => (who.clone(), any::<bool>()).prop_map(|(who, stale)| Step::Release { who, stale }),
        3 => (who.clone(), who.clone()).prop_map(|(who, to)| Step::Pass { who, to }),
        5 => who.clone().prop_map(Step::Take),
        3 => (who.clone(), any::<bool>()).prop_map(|(who, stale)| Step::Heartbeat { who, stale }),
        2 => who.clone().prop_map(Step::Leave),
        2 => (who.clone(), who.clone()).prop_map(|(who, of)| Step::Rest { who, of }),
        1 => any::<bool>().prop_map(Step::Resume),
        1 => who.clone().prop_map(Step::Reorder),
        1 => (who.clone(), 6..90_u64).prop_map(|(who, minutes)| Step::Policy(who, minutes)),
        1 => who.clone().prop_map(Step::Note),
        1 => (0..40_usize).prop_map(Step::Close),
        1 => who.prop_map(Step::Kill),
        6 => (0..70_u64).prop_map(Step::Wait),
    ]
}

/// Who may write, as anybody would say it.
#[derive(Default)]
struct Model {
    owner: Option<Shown>,
    turns: u64,
    used: HashSet<LeaseId>,
    ended: Vec<Shown>,
}

impl Model {
    fn granted(&mut self, shown: Shown) {
        self.turns += 1;
        assert_eq!(shown.turn.0, self.turns, "turn ids grow by one with each grant");
        assert!(self.used.insert(shown.lease_id.clone()), "a lease id is never granted twice");
        self.ended.extend(self.owner.replace(shown));
    }

    fn let_go(&mut self) {
        self.ended.extend(self.owner.take());
    }
}

fn play(scene: &mut Scene, model: &mut Model, step: &Step) {
    let shown = |scene: &Scene, model: &Model, stale: bool| match (stale, model.ended.last()) {
        (true, Some(old)) => Some(old.clone()),
        (true, None) => None,
        (false, _) => scene.room.ownership().map(|_| scene.shown()),
    };
    match *step {
        Step::Join(who) => drop(scene.act(CAST[who], Action::join())),
        Step::Claim(who) => {
            if let Ok(turn) = scene.claim(CAST[who]) {
                assert!(model.owner.is_none(), "nobody is granted a stick that is held");
                model.granted(turn);
            }
        }
        Step::Take(who) => {
            if let Ok(turn) = scene.take(CAST[who]) {
                model.granted(turn);
            }
        }
        Step::Release { who, stale } => {
            if let Some(shown) = shown(scene, model, stale)
                && scene.release(CAST[who], &shown).is_ok()
            {
                assert_eq!(model.owner.as_ref(), Some(&shown), "an ended fence writes nothing");
                model.let_go();
            }
        }
        Step::Pass { who, to } => {
            if let Some(shown) = shown(scene, model, false)
                && scene.pass(CAST[who], &shown, CAST[to]).is_ok()
            {
                model.let_go();
            }
        }
        Step::Heartbeat { who, stale } => {
            if let Some(shown) = shown(scene, model, stale)
                && scene.heartbeat(CAST[who], &shown).is_ok()
            {
                assert_eq!(model.owner.as_ref(), Some(&shown), "an ended fence renews nothing");
            }
        }
        Step::Leave(who) => drop(scene.act(CAST[who], Action::Leave)),
        Step::Rest { who, of } => drop(scene.act(CAST[who], Action::Rest { agent: agent(CAST[of]) })),
        Step::Resume(is_on) => {
            let resume = Some(if is_on { Resume::On } else { Resume::Off });
            drop(scene.set_policy(CAST[0], PolicyChange { resume, ..PolicyChange::default() }));
        }
        Step::Reorder(who) => {
            let mut order: Vec<_> = scene.room.members.iter().map(|member| member.agent_id.to_string()).collect();
            let by = order.len().min(1);
            order.rotate_left(by);
            drop(scene.act(CAST[who], Action::Reorder { order, authority: Authority::Member }));
        }
        Step::Policy(who, minutes) => {
            let change =
                PolicyChange { owner_lease_ttl_ms: Some(Ttl::from_minutes(minutes)), ..PolicyChange::default() };
            drop(scene.set_policy(CAST[who], change));
        }
        Step::Note(who) => {
            drop(scene.act(CAST[who], Action::Note { text: "note".to_owned(), authority: Authority::Member }));
        }
        Step::Close(who) => {
            let Some(name) = CAST.get(who) else { return };
            let expected_turn = scene.room.turn;
            let lease_id = scene.room.ownership().map(|ownership| ownership.lease_id.clone());
            if scene
                .act(name, Action::Close { expected_turn, lease_id, reason: None, authority: Authority::Member })
                .is_ok()
            {
                model.let_go();
            }
        }
        Step::Kill(who) => scene.kill(CAST[who]),
        Step::Wait(minutes) => scene.later(minutes),
    }
}

/// Whether some member can claim, go on, or take over: now, or once the running deadline has passed.
fn somebody_can_move(scene: &mut Scene) -> bool {
    if scene.room.stick == Stick::Closed {
        return true;
    }
    // A newcomer is always possible, so an empty or a dead room is not a deadlock.
    let _ = scene.act("newcomer", Action::join());
    let movable = |scene: &Scene| {
        ["newcomer"].into_iter().chain(CAST).any(|name| {
            scene.room.member(&agent(name)).is_some()
                && matches!(
                    scene.prospect(name),
                    Prospect::Claimable { .. } | Prospect::Holding | Prospect::Takeover { .. }
                )
        })
    };
    if movable(scene) {
        return true;
    }
    if let Some(deadline) = scene.room.next_deadline() {
        scene.later_ms(deadline.since(scene.now()).as_millis());
        scene.seen("newcomer");
    }
    movable(scene)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_members_do_there_is_one_owner_and_the_log_tells_it(steps in vec(step(), 1..120)) {
        let mut scene = Scene::with(&CAST[..2]);
        let mut model = Model::default();
        for step in &steps {
            play(&mut scene, &mut model, step);
            let owner = scene.room.ownership().map(|_| scene.shown());
            prop_assert_eq!(&owner, &model.owner, "after {:?}", step);
            prop_assert_eq!(scene.room.turn.0, model.turns);
            let folded = scene.folded();
            prop_assert_eq!(&folded, &scene.room, "after {:?}", step);
            for old in &model.ended {
                let by = super::scene::actor("codex");
                let call = Call { now: scene.now(), by: &by, witness: &scene };
                let refused = scene.room.clone().renew(call, old);
                prop_assert!(refused.is_err(), "an ended fence stays ended");
            }
        }
        prop_assert!(somebody_can_move(&mut scene), "stuck in {:?}", scene.room.stick);
    }
}
