//! Wakes of a member: chosen by itself or by an operator, and by nobody else.

use super::action::Action;
use super::scene::{Scene, agent};
use crate::{
    code::ErrorCode,
    policy::{PolicyChange, Wake},
    room::{Authority, Event, Refusal},
};

fn choose(name: &str, wake: Option<Wake>, authority: Authority) -> Action {
    Action::ChooseWake { agent: agent(name), wake, authority }
}

fn in_force(scene: &Scene, name: &str) -> Wake {
    scene.room.wake_of(scene.room.member(&agent(name)).unwrap())
}

#[test]
fn a_member_chooses_for_itself_and_the_rooms_policy_counts_without_a_choice() {
    let mut scene = Scene::with(&["codex", "claude"]);
    assert_eq!(in_force(&scene, "codex"), Wake::All);
    let chosen = scene.act("codex", choose("codex", Some(Wake::Messages), Authority::Member)).unwrap();
    assert!(matches!(chosen, Some(Event::WakeChosen(_))), "{chosen:?}");
    let again = scene.act("codex", choose("codex", Some(Wake::Messages), Authority::Member)).unwrap();
    assert_eq!(again, None, "it is so already");
    let change = PolicyChange { wake: Some(Wake::Off), ..PolicyChange::default() };
    scene.set_policy("operator", change).unwrap();
    assert_eq!((in_force(&scene, "codex"), in_force(&scene, "claude")), (Wake::Messages, Wake::Off));
    scene.act("codex", choose("codex", None, Authority::Member)).unwrap();
    assert_eq!(in_force(&scene, "codex"), Wake::Off);
    assert_eq!(scene.folded(), scene.room);
}

#[test]
fn nobody_but_an_operator_silences_another_member() {
    let mut scene = Scene::with(&["codex", "claude"]);
    for authority in [Authority::Member, Authority::JobAgent] {
        let refused = scene.act("claude", choose("codex", Some(Wake::Off), authority)).unwrap_err();
        assert_eq!(refused, Refusal::WakesAnother { agent_id: agent("codex"), needs: "operator" });
        assert_eq!(refused.code(), ErrorCode::Forbidden);
    }
    scene.act("operator", choose("codex", Some(Wake::Off), Authority::Operator)).unwrap();
    assert_eq!((in_force(&scene, "codex"), scene.folded()), (Wake::Off, scene.room.clone()));
    let nobody = scene.act("operator", choose("nobody", None, Authority::Operator)).unwrap_err();
    assert_eq!(nobody.code(), ErrorCode::UnknownMember);
}

#[test]
fn a_choice_ends_with_the_membership() {
    let mut scene = Scene::with(&["codex", "claude"]);
    scene.act("codex", choose("codex", Some(Wake::Off), Authority::Member)).unwrap();
    scene.act("codex", Action::Leave).unwrap();
    scene.act("codex", Action::join()).unwrap();
    assert_eq!((in_force(&scene, "codex"), scene.folded()), (Wake::All, scene.room.clone()));
}
