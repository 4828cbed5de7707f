//! Executors that are not used for now, and jobs that nobody here can do.

use super::{able, agent, at, diagnosing::job, heartbeat, runner};
use crate::{
    code::ErrorCode,
    event::Recorded,
    ids::{RoomId, Seq},
    job::{Choice, Executor, ExpectedArtifact, Job, Policy, Profile},
    lease::Fence,
    limits,
    part::Rows,
    process::Liveness,
    runner::{
        Blocked, Capabilities, Crew, Event, Heartbeat, Lasts, Phase, Runner, Trouble, TroubleKind, blocked, can_do,
        diagnose,
    },
};

fn room() -> RoomId {
    "room_test".parse().unwrap()
}

fn command(words: &str) -> String {
    format!("baton {words} --room room_test")
}

fn trouble(kind: TroubleKind, next_probe: Option<i64>) -> Trouble {
    let message = "the reason".to_owned();
    Trouble { kind, message, since: at(5), next_probe_at: next_probe.map(at), reset_at: None }
}

/// Codex and Claude Code, of which Codex is in trouble.
fn half_able(kind: TroubleKind, next_probe: Option<i64>) -> Capabilities {
    let mut can = able(&[Executor::Codex, Executor::ClaudeCode]);
    can.executors[0].trouble = Some(trouble(kind, next_probe));
    can
}

fn with(name: &str, can: Capabilities) -> Runner {
    Runner { capabilities: Some(can), ..runner(name, Phase::Idle, &[]) }
}

fn wants(executor: Choice) -> Job {
    let mut job = job(1, None);
    job.routing.executor = executor;
    job
}

#[test]
fn an_executor_in_trouble_is_not_used_until_it_is_time_to_try_it() {
    let can = half_able(TroubleKind::NotLoggedIn, Some(100));
    let able = |millis| can_do(&can.usable(at(millis)), &wants(Choice::Auto).routing);
    assert_eq!(able(99), [Executor::ClaudeCode]);
    assert_eq!(able(100), [Executor::Codex, Executor::ClaudeCode], "one job is let through");
    let under_way = half_able(TroubleKind::NotLoggedIn, None);
    assert_eq!(
        can_do(&under_way.usable(at(i64::MAX)), &wants(Choice::Codex).routing),
        [],
        "nothing is tried by itself"
    );
}

#[test]
fn the_radar_tells_of_trouble_but_not_of_programs_that_nobody_has() {
    let told =
        |can| diagnose(at(0), &[with("r1", can)], &[]).iter().map(|one| one.line()).collect::<Vec<_>>().join("\n");
    insta::assert_snapshot!(told(half_able(TroubleKind::NotLoggedIn, Some(1_000))), @"! diag executor_trouble runner=r1 | open id=runner:r1 | codex is not logged in: the reason. next try 1970-01-01T00:00:01.000Z");
    insta::assert_snapshot!(told(half_able(TroubleKind::ModelDown, None)), @"! diag executor_trouble runner=r1 | open id=runner:r1 | codex gets no answer from its model: the reason.");
    assert_eq!(told(half_able(TroubleKind::Missing, None)), "");
}

#[test]
fn a_message_in_a_diagnosis_cannot_forge_a_next_move() {
    let mut can = half_able(TroubleKind::Crash, None);
    can.executors[0].trouble.as_mut().unwrap().message = "boom | open id=JOB-666".to_owned();
    let line = diagnose(at(0), &[with("r1", can)], &[])[0].line();
    assert_eq!(line.matches(" | ").count(), 2, "{line}");
}

/// The reason and the next step, as they stand on a row.
fn shown(job: &Job, present: &[Runner]) -> String {
    shown_by(job, Crew { present, failed_start: None })
}

fn shown_by(job: &Job, crew: Crew<'_>) -> String {
    let sign = |found: &Blocked| found.sign().map_or(String::new(), |sign| format!("{sign} "));
    blocked(at(10), job, crew, &command)
        .map_or("free".to_owned(), |found| format!("{}{} Next: {}", sign(&found), found.reason, found.next))
}

#[test]
fn a_job_is_free_while_some_runner_can_do_it_or_did_not_say_what_it_can_do() {
    let fine = with("r1", able(&[Executor::Codex]));
    assert_eq!(shown(&wants(Choice::Codex), std::slice::from_ref(&fine)), "free");
    let broken = with("r0", half_able(TroubleKind::Crash, None));
    assert_eq!(shown(&wants(Choice::Codex), &[broken.clone(), fine]), "free", "the other one is well");
    assert_eq!(shown(&wants(Choice::Auto), &[broken]), "free", "it has another executor");
    assert_eq!(shown(&wants(Choice::Command), &[runner("anything", Phase::Idle, &[])]), "free");
    assert_eq!(shown(&job(1, Some(("r1", 1_000))), &[]), "free", "somebody is at it");
    let probing = shown(&wants(Choice::Codex), &[with("r1", half_able(TroubleKind::ModelDown, Some(10)))]);
    assert!(
        probing
            .starts_with("~ codex gets no answer from its model: the reason (runner r1). It is tried again with the"),
        "{probing}"
    );
}

#[test]
fn a_job_that_nobody_is_there_for_says_how_to_start_a_runner() {
    insta::assert_snapshot!(shown(&wants(Choice::Codex), &[]), @"No runner is here. Next: baton run --room room_test");
    let crew = Crew { present: &[], failed_start: Some("There is nothing to execute jobs with.") };
    insta::assert_snapshot!(shown_by(&wants(Choice::Codex), crew), @"! No runner is here, and none could be started: There is nothing to execute jobs with. Next: baton run --room room_test");
}

#[test]
fn a_job_whose_executor_is_in_trouble_says_which_and_what_to_do() {
    let codex = wants(Choice::Codex);
    let of = |kind, next| shown(&codex, &[with("r1", half_able(kind, next))]);
    insta::assert_snapshot!(of(TroubleKind::NotLoggedIn, Some(1_000)), @"~ codex is not logged in: the reason (runner r1). It is tried again at 1970-01-01T00:00:01.000Z. Next: Log in with `codex login` as the runner's user. Then: baton job runner reset r1 --room room_test");
    insta::assert_snapshot!(of(TroubleKind::Missing, None), @"! codex is not there: the reason (runner r1). Next: Install codex, or say where it is with BATON_CODEX_BIN or --codex-bin.");
    // Of two, the one that passes by itself.
    let two = [with("r1", half_able(TroubleKind::Missing, None)), with("r2", half_able(TroubleKind::ModelDown, None))];
    assert!(shown(&codex, &two).starts_with("~ codex gets no answer from its model: the reason (runner r2)."));
}

#[test]
fn a_job_that_no_runner_here_can_ever_do_says_what_is_lacking() {
    let claude = with("r1", able(&[Executor::ClaudeCode]));
    let lacking = |job: &Job, runner: &Runner| {
        let crew = Crew { present: std::slice::from_ref(runner), failed_start: None };
        blocked(at(10), job, crew, &command).unwrap()
    };
    assert_eq!(lacking(&wants(Choice::Codex), &claude).reason, "No runner here has codex.");
    assert_eq!(lacking(&wants(Choice::Codex), &claude).lasts, Lasts::UntilMended);
    let mut audit = wants(Choice::ClaudeCode);
    audit.routing.executor_profile = Some(Profile::Audit);
    let mut quick = claude.clone();
    quick.capabilities.as_mut().unwrap().executors[0].profiles = vec![Profile::Fast];
    assert_eq!(lacking(&audit, &quick).reason, "No runner here has claude_code with profile audit.");
    let mut leaves = wants(Choice::ClaudeCode);
    leaves.routing.expected_artifacts = vec![ExpectedArtifact::Report];
    let mut bare = claude.clone();
    bare.capabilities.as_mut().unwrap().supports_artifacts = false;
    assert!(lacking(&leaves, &bare).reason.contains("no runner here keeps any"));
    let mut picky = wants(Choice::Auto);
    picky.routing.policy = Some(Policy { forbid: vec![Executor::ClaudeCode], ..Policy::default() });
    assert!(lacking(&picky, &claude).reason.contains("policy"));
}

/// A runner whose Codex is in trouble, as its log folds.
fn registered() -> Rows<Runner> {
    let mut runners = Rows::of_new_room();
    hears(&mut runners, 1, half_able(TroubleKind::NotLoggedIn, Some(100)));
    runners
}

fn hears(runners: &mut Rows<Runner>, millis: i64, can: Capabilities) -> bool {
    let said = Heartbeat { capabilities: Some(can), ..heartbeat("r1", Phase::Idle, &[]) };
    let known = runners.iter().next().cloned();
    let news = said.news(at(millis), known.as_ref(), &agent("ana").into(), &|_: &_| Liveness::Unknown).unwrap();
    let is_news = news.is_some();
    news.into_iter().for_each(|event| happens(runners, millis, event));
    is_news
}

fn happens(runners: &mut Rows<Runner>, millis: i64, event: Event) {
    let (kind, payload) = (event.kind(), event.payload().unwrap());
    let event = crate::event::Event::read(kind, &payload).unwrap();
    let (room_id, actor) = (room(), agent("ana"));
    runners.apply(&Recorded { overridden: false, room_id, seq: Seq(1), at: at(millis), actor, turn: Fence(0), event });
}

fn reset_at(runners: &Rows<Runner>) -> Option<i64> {
    let can = runners.nth(0).capabilities.as_ref().unwrap();
    can.troubles().next().and_then(|(_, trouble)| trouble.reset_at).map(|at| at.as_millis())
}

#[test]
fn a_reset_stays_until_the_runner_has_heard_of_it_whatever_it_says_meanwhile() {
    let mut runners = registered();
    let event = runners.nth(0).reset(None).unwrap();
    happens(&mut runners, 50, event);
    assert_eq!(reset_at(&runners), Some(50));
    assert!(!hears(&mut runners, 60, half_able(TroubleKind::NotLoggedIn, Some(100))), "it has not heard yet");
    assert_eq!(reset_at(&runners), Some(50));
    let mut another = half_able(TroubleKind::NotLoggedIn, None);
    another.executors[0].trouble.as_mut().unwrap().since = at(70);
    hears(&mut runners, 70, another);
    assert_eq!(reset_at(&runners), None, "that is another trouble");
    hears(&mut runners, 80, able(&[Executor::Codex, Executor::ClaudeCode]));
    assert_eq!(runners.nth(0).capabilities.as_ref().unwrap().troubles().count(), 0);
}

#[test]
fn a_reset_of_what_is_in_no_trouble_is_refused() {
    let runner = registered().nth(0).clone();
    let refusal = runner.reset(Some(Executor::ClaudeCode)).unwrap_err();
    assert_eq!(refusal.code(), ErrorCode::PreconditionFailed);
    assert_eq!(refusal.to_string(), "claude_code of the runner r1 is in no trouble.");
    assert!(matches!(runner.reset(Some(Executor::Codex)), Ok(Event::Reset(_))));
}

#[test]
fn a_long_reason_is_refused() {
    let mut can = half_able(TroubleKind::Crash, None);
    can.executors[0].trouble.as_mut().unwrap().message = "x".repeat(limits::TROUBLE_CHARS + 1);
    assert_eq!(can.check().unwrap_err().code(), ErrorCode::InvalidInput);
}
