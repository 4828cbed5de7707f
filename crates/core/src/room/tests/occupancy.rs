//! An id belongs to the process or the credential behind it.

use super::action::Action;
use super::scene::{Scene, actor, agent, handoff, incarnation, process};
use crate::{
    code::ErrorCode,
    process::{Keeps, Liveness, ProcessIdentity, SessionKind},
    room::{Actor, Call, Refusal, Shown},
    time::{Timestamp, Ttl},
};

/// Whether `by` may act under its id, and if not, who has it.
fn admitted(scene: &Scene, by: &Actor) -> Result<(), String> {
    scene.room.require_own_id(scene.now(), by, scene).map_err(|refusal| refusal.to_string())
}

fn guardian(name: &str, number: u32, leader: &ProcessIdentity) -> Actor {
    let keeps = Keeps {
        terminal: "pts/3".to_owned(),
        pid: leader.pid,
        start_ticks: leader.start_ticks,
        pidfd_inode: leader.pidfd_inode,
    };
    let process = ProcessIdentity { keeps: Some(keeps), ..process(name, number) };
    Actor::found(agent(name), Some(process), SessionKind::HumanGuardian)
}

#[test]
fn a_second_process_does_not_act_under_an_id_until_the_first_is_proven_gone() {
    let mut scene = Scene::with(&["codex", "claude"]);
    assert_eq!(admitted(&scene, &actor("codex")), Ok(()));
    let second = incarnation("codex", 1);
    let pid = process("codex", 0).pid;
    assert_eq!(admitted(&scene, &second), Err(format!("codex is in use by process {pid}.")));
    assert!(admitted(&scene, &second.clone().overridden(agent("claude"))).is_err(), "given by hand or not");
    let unseen = Actor { process: None, ..actor("codex") };
    assert!(admitted(&scene, &unseen).is_err(), "nobody knows what process it is");
    scene.kill("codex");
    assert_eq!(admitted(&scene, &second), Ok(()));
    scene.act_as(&second, Action::join()).unwrap();
    assert_eq!(scene.room.member(&agent("codex")).unwrap().process, second.process);
}

#[test]
fn a_process_that_cannot_be_seen_keeps_its_id_for_as_long_as_it_calls() {
    let scene = Scene::with(&["codex"]);
    let (unseen, second) = (|_: &ProcessIdentity| Liveness::Unknown, incarnation("codex", 1));
    let after = |minutes| scene.now().plus(Ttl::from_minutes(minutes));
    let refused = |at: Timestamp| scene.room.require_own_id(at, &second, &unseen).is_err();
    assert_eq!([after(0), after(14), after(15)].map(refused), [true, true, false]);
}

#[test]
fn an_id_that_a_credential_added_is_that_credentials_alone() {
    let mut scene = Scene::with(&[]);
    let by = |token: &str| Actor::found(agent("worker"), None, SessionKind::McpHarness).by_way_of(token);
    scene.act_as(&by("ci"), Action::join()).unwrap();
    assert_eq!(admitted(&scene, &by("ci")), Ok(()));
    let taken = "worker is in use by the holder of the credential \"ci\".";
    assert_eq!(admitted(&scene, &by("other")), Err(taken.to_owned()));
    let local = Actor { agent_id: agent("worker"), ..actor("shell") };
    assert_eq!(admitted(&scene, &local), Err(taken.to_owned()), "a process has no credential");
}

#[test]
fn a_job_agent_is_its_job_and_not_a_process() {
    let id = "job:JOB-001@test";
    let mut scene = Scene::with(&[]);
    scene.act_as(&incarnation(id, 0), Action::join()).unwrap();
    assert_eq!(admitted(&scene, &incarnation(id, 1)), Ok(()), "its capability is checked with its claim");
    let elsewhere = "job:JOB-001@other";
    scene.act_as(&incarnation(elsewhere, 0), Action::join()).unwrap();
    assert!(admitted(&scene, &incarnation(elsewhere, 1)).is_err(), "it is no job of this room");
}

#[test]
fn possession_of_a_lease_is_not_identity() {
    let mut scene = Scene::with(&["codex", "claude"]);
    let turn = scene.claim("codex").unwrap();
    let thief = incarnation("codex", 1);
    let ways = [
        Action::Release { shown: turn.clone(), handoff: handoff("mine now"), tree: None },
        Action::Pass { shown: turn.clone(), to: "claude".to_owned(), handoff: handoff("mine now"), tree: None },
        Action::Close {
            expected_turn: turn.turn,
            lease_id: Some(turn.lease_id.clone()),
            reason: None,
            authority: crate::room::Authority::Member,
        },
    ];
    for action in ways {
        let refused = scene.act_as(&thief, action).unwrap_err();
        assert_eq!(refused.code(), ErrorCode::StaleLease, "{refused}");
    }
    let (now, mut room) = (scene.now(), scene.room.clone());
    let refused = room.renew(Call { now, by: &thief, witness: &scene }, &turn).unwrap_err();
    assert!(matches!(refused, Refusal::StaleLease { .. }), "{refused}");
    assert!(room.renew(Call { now, by: &actor("codex"), witness: &scene }, &turn).is_ok());
}

#[test]
fn a_terminals_shell_acts_under_the_grant_of_its_guardian_and_no_other_shell_does() {
    let mut scene = Scene::with(&["claude"]);
    let person = Actor { session_kind: SessionKind::Human, ..incarnation("human", 0) };
    let guard = guardian("human", 1, person.process.as_ref().unwrap());
    scene.act_as(&person, Action::join()).unwrap();
    assert_eq!(admitted(&scene, &guard), Ok(()));
    scene.act_as(&guard, Action::join()).unwrap();
    let lease_id = scene.fresh_lease();
    scene.act_as(&guard, Action::Claim { lease_id }).unwrap();
    let shown: Shown = scene.shown();
    let stranger = Actor { session_kind: SessionKind::Human, ..incarnation("human", 2) };
    let pid = guard.process.as_ref().unwrap().pid;
    assert_eq!(admitted(&scene, &stranger), Err(format!("human is in use by process {pid} on pts/3.")));
    let release = |shown: &Shown| Action::Release { shown: shown.clone(), handoff: handoff("read"), tree: None };
    assert!(scene.act_as(&stranger, release(&shown)).is_err());
    assert_eq!(admitted(&scene, &person), Ok(()));
    assert!(scene.act_as(&person, release(&shown)).is_ok());
}

#[test]
fn a_person_is_there_for_as_long_as_their_shell_whatever_becomes_of_a_guardian() {
    let mut scene = Scene::with(&["claude"]);
    let person = Actor { session_kind: SessionKind::Human, ..incarnation("human", 0) };
    let guard = guardian("keeper", 0, person.process.as_ref().unwrap());
    scene.act_as(&Actor { agent_id: agent("human"), ..guard }, Action::join()).unwrap();
    scene.kill("keeper");
    assert_eq!(scene.room.member(&agent("human")).unwrap().liveness(&scene), Liveness::Alive);
    scene.kill("human");
    assert!(scene.room.member(&agent("human")).unwrap().liveness(&scene).is_gone());
}

#[test]
fn a_dead_member_is_retired_unless_the_stick_is_its_own_or_kept_for_it() {
    let mut scene = Scene::with(&["codex", "claude", "gemini"]);
    let turn = scene.claim("codex").unwrap();
    let retire = |name: &str| Action::Retire { agent: agent(name) };
    assert_eq!(scene.act("codex", retire("claude")), Ok(None), "it lives");
    scene.kill("claude");
    scene.kill("codex");
    assert_eq!(scene.act("gemini", retire("codex")), Ok(None), "it holds the stick");
    assert!(scene.act("gemini", retire("claude")).unwrap().is_some());
    assert_eq!(scene.room.members.iter().map(|m| m.agent_id.as_str()).collect::<Vec<_>>(), ["codex", "gemini"]);
    assert_eq!(scene.room.turn, turn.turn);
}
