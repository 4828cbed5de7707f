//! Going on as somebody else: on what evidence, from whom, and what becomes of them.

use super::action::Action;
use super::scene::{Scene, actor, agent, process};
use crate::{
    agent::{Adopting, Evidence, Former, Presence, Rejection, ResumeReason, StaleAfter, Target},
    limits,
    process::{Liveness, ProcessIdentity, SessionKind},
    room::{Actor, Call, Event, NewIdentity, Refusal, Resumed},
};

fn evidence(changed: &[&str], in_progress: &[&str]) -> Evidence {
    Evidence {
        scopes: vec!["src".to_owned()],
        changed: changed.iter().map(|file| (*file).to_owned()).collect(),
        in_progress: in_progress.iter().map(|id| id.parse().unwrap()).collect(),
        ..Evidence::default()
    }
}

fn dirty() -> Evidence {
    evidence(&["src/a.rs"], &[])
}

fn adopting(scene: &Scene, target: &str, evidence: Evidence) -> Adopting {
    let agent_id = agent(target);
    let name = scene.room.member(&agent_id).map_or("amber-otter".to_owned(), |member| member.display_name.clone());
    let target = Target { agent_id, name };
    Adopting { target, evidence, stale_after: StaleAfter::default(), former: Vec::new() }
}

/// Adopts, and tells the resume or why not.
fn adopt(scene: &mut Scene, by: &str, target: &str, evidence: Evidence) -> Result<Resumed, Rejection> {
    let adopting = adopting(scene, target, evidence);
    judged(scene.act_as(&actor(by), Action::Adopt { adopting }))
}

fn judged(decided: Result<Option<Event>, Refusal>) -> Result<Resumed, Rejection> {
    match decided {
        Ok(Some(Event::Resumed(resumed))) => Ok(resumed),
        Err(Refusal::AdoptionRejected { reason, .. }) => Err(reason),
        other => panic!("{other:?}"),
    }
}

/// The reason only.
fn reason(resumed: Result<Resumed, Rejection>) -> Result<ResumeReason, Rejection> {
    resumed.map(|resumed| resumed.resume_reason)
}

#[test]
fn an_identity_is_resumed_on_changes_or_on_a_task_and_on_nothing_else() {
    let confirmed = Evidence { confirmed: true, ..evidence(&[], &[]) };
    for (found, expected) in [
        (evidence(&[], &[]), Err(Rejection::NoEvidence)),
        (evidence(&["src/a.rs"], &[]), Ok(ResumeReason::UncommittedScope)),
        (evidence(&[], &["TASK-001"]), Ok(ResumeReason::InProgressOwnership)),
        (evidence(&["src/a.rs"], &["TASK-001"]), Ok(ResumeReason::UncommittedScope)),
        (confirmed, Ok(ResumeReason::ConfirmedByPerson)),
    ] {
        let mut scene = Scene::with(&["codex", "claude"]);
        scene.kill("codex");
        let words = found.summary();
        assert_eq!(reason(adopt(&mut scene, "claude", "codex", found)), expected, "{words}");
    }
}

#[test]
fn a_session_that_is_there_keeps_its_identity_whatever_speaks_for_another() {
    let mut scene = Scene::with(&["codex", "claude"]);
    for minutes in [0, 15, 14] {
        scene.later(minutes);
        assert_eq!(reason(adopt(&mut scene, "claude", "codex", dirty())), Err(Rejection::IdentityInUse));
    }
    scene.later(1);
    let resumed = adopt(&mut scene, "claude", "codex", dirty()).unwrap();
    assert_eq!((resumed.prior_presence, resumed.prior_liveness), (Presence::Evicted, Liveness::Alive));
}

#[test]
fn a_session_whose_process_is_gone_is_resumed_at_once() {
    let mut scene = Scene::with(&["codex", "claude"]);
    assert_eq!(reason(adopt(&mut scene, "claude", "codex", dirty())), Err(Rejection::IdentityInUse));
    scene.kill("codex");
    let resumed = adopt(&mut scene, "claude", "codex", dirty()).unwrap();
    assert_eq!(resumed.prior_presence, Presence::Evicted);
}

#[test]
fn another_conversation_of_the_same_process_goes_on_as_the_one_before_once_that_is_silent() {
    let mut scene = Scene::with(&["codex:1"]);
    let cleared = Actor { process: Some(process("codex:1", 0)), ..actor("codex:2") };
    let action = Action::Adopt { adopting: adopting(&scene, "codex:1", dirty()) };
    assert_eq!(reason(judged(scene.act_as(&cleared, action.clone()))), Err(Rejection::IdentityInUse));
    scene.later(15);
    assert_eq!(reason(judged(scene.act_as(&actor("codex:2"), action.clone()))), Err(Rejection::IdentityInUse));
    assert_eq!(reason(judged(scene.act_as(&cleared, action))), Ok(ResumeReason::UncommittedScope));
}

#[test]
fn a_session_that_cannot_be_looked_at_is_believed_for_as_long_as_it_calls() {
    let blind = |_: &ProcessIdentity| Liveness::Unknown;
    let away = ProcessIdentity { host_id: "elsewhere".to_owned(), ..process("claude", 0) };
    for by in [Some(away), Some(process("claude", 0)), None] {
        let mut scene = Scene::with(&["codex"]);
        let by = Actor { process: by, ..actor("claude") };
        let mut verdict = |minutes| {
            scene.later(minutes);
            let action = Action::Adopt { adopting: adopting(&scene, "codex", dirty()) };
            let call = Call { now: scene.now(), by: &by, witness: &blind };
            reason(judged(action.decide(&scene.room, call)))
        };
        assert_eq!(verdict(14), Err(Rejection::IdentityInUse), "{by:?}");
        assert_eq!(verdict(1), Ok(ResumeReason::UncommittedScope), "{by:?}");
    }
}

#[test]
fn an_active_session_is_never_adopted_even_if_no_process_is_known_of_it() {
    let mut scene = Scene::with(&[]);
    scene.act_as(&Actor { process: None, ..actor("codex") }, Action::join()).unwrap();
    let confirmed = Evidence { confirmed: true, ..dirty() };
    for minutes in [0, 14] {
        scene.later(minutes);
        for found in [dirty(), confirmed.clone()] {
            let adopting = adopting(&scene, "codex", found);
            let refusal = scene.act_as(&actor("claude"), Action::Adopt { adopting }).unwrap_err();
            let seen = scene.room.member(&agent("codex")).unwrap().last_seen_at;
            let Refusal::AdoptionRejected { reason, prior_presence, prior_last_seen_at, .. } = &refusal else {
                panic!("{refusal:?}");
            };
            assert_eq!(
                (*reason, *prior_presence, *prior_last_seen_at),
                (Rejection::IdentityInUse, Presence::Active, Some(seen))
            );
            assert!(
                refusal.to_string().contains(&format!("codex, is active and was last seen at {seen}")),
                "{refusal}"
            );
        }
    }
    scene.later(1);
    assert_eq!(reason(adopt(&mut scene, "claude", "codex", evidence(&[], &[]))), Err(Rejection::NoEvidence));
    assert_eq!(reason(adopt(&mut scene, "claude", "codex", dirty())), Ok(ResumeReason::UncommittedScope));
}

#[test]
fn nobody_adopts_itself_or_changes_its_name_while_it_holds_the_stick() {
    let mut scene = Scene::with(&["codex", "claude"]);
    scene.kill("codex");
    assert_eq!(reason(adopt(&mut scene, "claude", "claude", dirty())), Err(Rejection::OwnIdentity));
    let shown = scene.claim("claude").unwrap();
    assert_eq!(reason(adopt(&mut scene, "claude", "codex", dirty())), Err(Rejection::AdopterHoldsStick));
    scene.release("claude", &shown).unwrap();
    assert_eq!(reason(adopt(&mut scene, "claude", "codex", dirty())), Ok(ResumeReason::UncommittedScope));
}

#[test]
fn the_name_and_the_role_go_on_and_the_prior_session_has_left() {
    let mut scene = Scene::with(&["claude"]);
    let identity = NewIdentity {
        name: Some("amber-otter".parse().unwrap()),
        role: Some("reviewer".parse().unwrap()),
        former: Vec::new(),
    };
    scene.act("codex", Action::Join { identity }).unwrap();
    scene.kill("codex");
    let resumed = adopt(&mut scene, "gemini", "codex", dirty()).unwrap();
    assert!(resumed.joins, "an adopter need not be a member before");
    let member = scene.room.member(&agent("gemini")).unwrap();
    assert_eq!((&*member.display_name, member.role.as_ref().unwrap().as_str()), ("amber-otter", "reviewer"));
    assert_eq!(scene.room.member(&agent("codex")), None);
    assert_eq!(scene.folded(), scene.room);
}

#[test]
fn whoever_holds_the_stick_or_is_next_stays_a_member_under_another_name() {
    let mut scene = Scene::with(&["codex", "claude", "gemini"]);
    let name = |scene: &Scene, who| scene.room.member(&agent(who)).map(|member| member.display_name.clone());
    let shown = scene.claim("codex").unwrap();
    let before = name(&scene, "codex").unwrap();
    scene.later(30);
    adopt(&mut scene, "claude", "codex", dirty()).unwrap();
    assert_eq!(scene.room.owner(), Some(&agent("codex")), "the stick is never adopted");
    assert_eq!(name(&scene, "claude"), Some(before.clone()));
    assert!(name(&scene, "codex").is_some_and(|now| now != before), "{:?}", scene.room.members);

    scene.release("codex", &shown).unwrap();
    assert_eq!(scene.reserved_for(), Some("claude"));
    scene.later(30);
    adopt(&mut scene, "gemini", "claude", dirty()).unwrap();
    assert_eq!(scene.reserved_for(), Some("claude"), "a reservation is not adopted either");
    assert_eq!(name(&scene, "gemini"), Some(before));
    assert_eq!(scene.folded(), scene.room);
}

#[test]
fn whoever_left_is_resumed_under_the_name_and_role_it_had() {
    let mut scene = Scene::with(&["claude"]);
    let former = Former {
        retired: false,
        name: "amber-otter".to_owned(),
        agent_id: agent("codex"),
        role: Some("reviewer".parse().unwrap()),
        until: scene.now(),
        added_by: None,
    };
    let adopting = Adopting { former: vec![former], ..adopting(&scene, "codex", dirty()) };
    let resumed = judged(scene.act("claude", Action::Adopt { adopting })).unwrap();
    assert_eq!((resumed.prior_presence, resumed.prior_stays_as), (Presence::Evicted, None), "it has only just left");
    let member = scene.room.member(&agent("claude")).unwrap();
    assert_eq!((&*member.display_name, member.role.as_ref().unwrap().as_str()), ("amber-otter", "reviewer"));
}

#[test]
fn a_full_room_takes_an_adopter_for_whom_somebody_goes_and_no_other() {
    let names: Vec<String> = (0..limits::MEMBERS).map(|number| format!("codex:{number}")).collect();
    let mut scene = Scene::with(&names.iter().map(String::as_str).collect::<Vec<_>>());
    scene.claim("codex:0").unwrap();
    scene.kill("codex:0");
    scene.kill("codex:1");
    // The dead count for no limit: two more fill the room again.
    for name in ["gemini:1", "gemini:2"] {
        scene.act(name, Action::join()).unwrap();
    }
    let action = Action::Adopt { adopting: adopting(&scene, "codex:0", dirty()) };
    let refused = scene.act("claude", action).unwrap_err();
    assert!(matches!(refused, Refusal::TooManyMembers { .. }), "its holder stays for the stick: {refused}");
    assert!(adopt(&mut scene, "codex:2", "codex:0", dirty()).is_ok(), "who is a member takes no more room");
    assert!(adopt(&mut scene, "claude", "codex:1", dirty()).is_ok());
    assert_eq!(scene.room.members.len(), limits::MEMBERS + 2);
}

#[test]
fn a_person_is_an_actor_of_its_own() {
    let mut scene = Scene::with(&["codex"]);
    scene.kill("codex");
    let by = Actor { session_kind: SessionKind::Human, ..actor("human:ana") };
    let action = Action::Adopt { adopting: adopting(&scene, "codex", dirty()) };
    let resumed = judged(scene.act_as(&by, action)).unwrap();
    assert_eq!((resumed.agent_id, resumed.session_kind), (by.agent_id, SessionKind::Human));
}

#[test]
fn a_summary_says_what_was_found_and_what_could_not_be_looked_at() {
    let files: Vec<String> = (1..=7).map(|number| format!("src/{number}.rs")).collect();
    let many = Evidence { changed: files, ..evidence(&[], &["TASK-001", "bb-u6f.6.3"]) };
    let blind = Evidence { gaps: vec!["git is not there".to_owned()], confirmed: true, ..Evidence::default() };
    let said = [many, evidence(&["src/a.rs"], &[]), evidence(&[], &[]), blind].map(|found| found.summary());
    insta::assert_snapshot!(said.join("\n"), @r"
    7 uncommitted files in src: src/1.rs, src/2.rs, src/3.rs, src/4.rs, src/5.rs and 2 more; in progress: TASK-001, bb-u6f.6.3
    1 uncommitted file in src: src/a.rs
    no uncommitted changes in src; no task of its own in progress
    it has claimed no scope; no task of its own in progress; git is not there; confirmed by a person at a terminal
    ");
}
