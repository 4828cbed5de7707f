//! Whether runners are there, and what of what they say is news.

use serde_json::json;

use super::{able, agent, at, heartbeat, runner};
use crate::{
    claimant::{Backing, Claimant},
    code::ErrorCode,
    event::Recorded,
    ids::Seq,
    job::{Executor, JobId, Profile},
    lease::Fence,
    limits,
    part::{Part, Rows},
    process::{Liveness, ProcessIdentity, Proof},
    runner::{
        Ability, Capabilities, Event, Heartbeat, Phase, Refusal, Registered, Retired, Runner, Seen, Standing, Tally,
    },
};

/// Nothing can be seen of any process.
fn unseen(_: &ProcessIdentity) -> Liveness {
    Liveness::Unknown
}

/// Folds an event at a time.
fn happens(runners: &mut Rows<Runner>, millis: i64, by: &str, event: Event) {
    let (kind, payload) = (event.kind(), event.payload().unwrap());
    let read = crate::event::Event::read(kind, &payload).unwrap();
    assert_eq!(read, event.into(), "it is read back as it was stored");
    let room_id = "room_test".parse().unwrap();
    runners.apply(&Recorded {
        overridden: false,
        room_id,
        seq: Seq(1),
        at: at(millis),
        actor: agent(by),
        turn: Fence(0),
        event: read,
    });
}

/// A runner says something at a time: what is news is folded, and the lease is renewed.
fn hears(runners: &mut Rows<Runner>, millis: i64, by: &str, said: &Heartbeat) -> Result<bool, Refusal> {
    let news = said.news(at(millis), runners.get(&said.runner), &agent(by).into(), &unseen)?;
    let is_news = news.is_some();
    news.into_iter().for_each(|event| happens(runners, millis, by, event));
    assert!(runners.get(&said.runner).is_some(), "who is heard is known");
    runners.change(&said.runner, |runner| runner.hear(at(millis), said));
    Ok(is_news)
}

fn with(capabilities: Capabilities, said: Heartbeat) -> Heartbeat {
    Heartbeat { capabilities: Some(capabilities), ..said }
}

#[test]
fn a_runner_is_there_until_the_very_millisecond_in_which_its_lease_runs_out() {
    for (phase, standing) in [(Phase::Idle, Standing::Idle), (Phase::Live, Standing::Live)] {
        let runner = runner("r1", phase, &[]);
        assert_eq!([0, 19_999].map(|millis| runner.standing(at(millis))), [standing; 2]);
        assert_eq!([20_000, 20_001].map(|millis| runner.standing(at(millis))), [Standing::Offline; 2]);
    }
}

#[test]
fn only_what_is_new_about_a_runner_is_news() {
    let mut runners = Rows::of_new_room();
    let idle = heartbeat("r1", Phase::Idle, &[]);
    let codex = with(able(&[Executor::Codex]), idle.clone());
    assert_eq!(hears(&mut runners, 0, "ana", &idle), Ok(true), "that it exists");
    assert_eq!(hears(&mut runners, 1, "ana", &idle), Ok(false), "that it is still there");
    assert_eq!(hears(&mut runners, 2, "ana", &heartbeat("r1", Phase::Live, &[1])), Ok(false), "what it is doing");
    assert_eq!(hears(&mut runners, 3, "ana", &codex), Ok(true), "what it can do");
    assert_eq!(hears(&mut runners, 4, "ana", &codex), Ok(false), "that it still can");
    assert_eq!(hears(&mut runners, 5, "ana", &idle), Ok(false), "to say nothing about it takes nothing back");
    assert_eq!(runners.nth(0).capabilities, Some(able(&[Executor::Codex])));
    assert_eq!(hears(&mut runners, 6, "ana", &with(able(&[Executor::Command]), idle.clone())), Ok(true));
    assert_eq!(hears(&mut runners, 60_000, "ana", &idle), Ok(false), "that it is back");
    assert_eq!(hears(&mut runners, 120_000, "ben", &idle), Ok(true), "that another speaks for it");
    let known = runners.nth(0);
    assert_eq!((&known.claimant.agent, &known.capabilities), (&agent("ben"), &Some(able(&[Executor::Command]))));
}

#[test]
fn a_runner_that_is_there_is_spoken_for_by_one_agent() {
    let mut runners = Rows::of_new_room();
    let idle = heartbeat("r1", Phase::Idle, &[]);
    hears(&mut runners, 0, "ana", &idle).unwrap();
    let refusal = hears(&mut runners, 19_999, "ben", &idle).unwrap_err();
    insta::assert_snapshot!(refusal, @"The runner id r1 is in use by ana.");
    insta::assert_snapshot!(serde_json::to_string(&refusal).unwrap(), @r#"{"runner_id":"r1","agent_id":"ana"}"#);
    assert_eq!(refusal.code(), ErrorCode::IdInUse);
    assert_eq!(hears(&mut runners, 20_000, "ben", &idle), Ok(true), "once its lease has run out");
    assert!(hears(&mut runners, 20_001, "ana", &idle).is_err());
}

#[test]
fn two_processes_with_one_runner_id_are_told_apart() {
    let process = |pid| ProcessIdentity {
        host_id: "host".to_owned(),
        boot_id: "boot".to_owned(),
        pid_namespace: 1,
        pid,
        start_ticks: 7,
        pidfd_inode: None,
        process_started_at: at(0),
        keeps: None,
    };
    let by =
        |pid| Claimant { agent: agent("r1"), backing: Backing { process: Some(Box::new(process(pid))), via: None } };
    let mut runners = Rows::of_new_room();
    let idle = heartbeat("r1", Phase::Idle, &[]);
    let first = idle.news(at(0), None, &by(4711), &unseen).unwrap().unwrap();
    happens(&mut runners, 0, "r1", first);
    runners.change(&agent("r1"), |runner| runner.hear(at(0), &idle));
    let known = runners.nth(0);
    let heard = |millis, pid, seen: Liveness| idle.news(at(millis), Some(known), &by(pid), &|_: &_| seen.clone());
    assert_eq!(heard(1, 4711, Liveness::Alive), Ok(None), "its own process only renews");
    let refusal = heard(60_000, 4712, Liveness::Alive).expect_err("a process that lives keeps its id, late or not");
    insta::assert_snapshot!(refusal, @"The runner id r1 is in use by r1 (process 4711).");
    insta::assert_snapshot!(refusal.next().unwrap(), @"Choose a runner id of your own, or end the process that has this one.");
    assert!(heard(19_999, 4712, Liveness::Unknown).is_err(), "where nothing is seen, the lease decides");
    assert!(matches!(heard(20_000, 4712, Liveness::Unknown), Ok(Some(_))), "another process is news");
    assert!(matches!(heard(1, 4712, Liveness::Gone(Proof::Exited)), Ok(Some(_))), "proof beats the lease");
}

#[test]
fn a_runner_that_signed_off_is_gone_at_once_and_can_come_back() {
    let mut runners = Rows::of_new_room();
    hears(&mut runners, 0, "ana", &heartbeat("r1", Phase::Live, &[1])).unwrap();
    happens(&mut runners, 5, "ana", Event::Retired(Retired { runner_id: agent("r1") }));
    assert_eq!(runners.nth(0).standing(at(5)), Standing::Offline);
    insta::assert_snapshot!(Seen::of(runners.nth(0), at(5)).line(), @"runner offline r1 last=idle | open id=runner:r1");
    assert_eq!(hears(&mut runners, 6, "ana", &heartbeat("r1", Phase::Idle, &[])), Ok(true), "that it is back is news");
    assert!(!runners.nth(0).retired);
    happens(&mut runners, 7, "ana", Event::Retired(Retired { runner_id: agent("nobody") }));
    assert_eq!(runners.iter().count(), 1);
}

#[test]
fn what_runners_say_of_themselves_has_bounds() {
    let refused = |said: Heartbeat| {
        let refusal = said.news(at(0), None, &agent("ana").into(), &unseen).unwrap_err();
        assert_eq!(refusal.code(), ErrorCode::InvalidInput);
        refusal.to_string()
    };
    let idle = || heartbeat("r1", Phase::Idle, &[]);
    let of = |change: fn(&mut Capabilities)| {
        let mut capabilities = able(&[Executor::Codex]);
        change(&mut capabilities);
        with(capabilities, idle())
    };
    insta::assert_snapshot!(refused(of(|can| can.executors.clear())), @"capabilities.executors must name one to eight executors.");
    insta::assert_snapshot!(refused(of(|can| can.executors[0].profiles.clear())), @"capabilities.executors must give each a profile: fast, deep or audit.");
    insta::assert_snapshot!(refused(of(|can| can.executors.push(can.executors[0].clone()))), @"capabilities.executors must name each executor once.");
    insta::assert_snapshot!(refused(of(|can| can.max_parallel = 0)), @"capabilities.max_parallel must be from 1 to 64.");
    insta::assert_snapshot!(refused(of(|can| can.max_parallel = limits::RUNNER_PARALLEL + 1)), @"capabilities.max_parallel must be from 1 to 64.");
    insta::assert_snapshot!(refused(of(|can| can.sandbox_policy = Some("ä".repeat(201)))), @"capabilities.sandbox_policy must have at most 200 characters.");
    let many: Vec<u32> = (1..=65).collect();
    insta::assert_snapshot!(refused(heartbeat("r1", Phase::Live, &many)), @"active_jobs names too many jobs.");
    for fine in [of(|can| can.max_parallel = 64), of(|can| can.sandbox_policy = Some("ä".repeat(200)))] {
        assert!(fine.news(at(0), None, &agent("ana").into(), &unseen).is_ok());
    }
    assert!(heartbeat("r1", Phase::Live, &many[..64]).news(at(0), None, &agent("ana").into(), &unseen).is_ok());
}

#[test]
fn capabilities_are_read_as_the_contract_names_them() {
    let read: Capabilities = serde_json::from_value(json!({
        "executors": [{ "executor": "claude_code", "profiles": ["fast", "audit"] }],
        "max_parallel": 2,
        "supports_artifacts": true,
        "sandbox_policy": "workspace-write",
    }))
    .unwrap();
    assert!(read.has(Executor::ClaudeCode, Profile::Audit));
    assert!(!read.has(Executor::ClaudeCode, Profile::Deep) && !read.has(Executor::Codex, Profile::Fast));
    let least = json!({ "executors": [{ "executor": "codex", "profiles": ["fast"] }] });
    let least: Capabilities = serde_json::from_value(least).unwrap();
    assert_eq!((least.max_parallel, least.supports_artifacts, least.sandbox_policy), (1, false, None));
    let unknown = serde_json::from_value::<Ability>(json!({ "executor": "gemini", "profiles": [] })).unwrap_err();
    insta::assert_snapshot!(unknown, @"unknown variant `gemini`, expected one of `codex`, `claude_code`, `command`");
}

#[test]
fn events_of_runners_are_stored_in_a_form_that_never_changes() {
    let capabilities = Some(able(&[Executor::Codex]));
    let registered = Registered { runner_id: agent("r1"), capabilities, backing: Backing::default() };
    let events = [Event::Registered(registered), Event::Retired(Retired { runner_id: agent("r1") })];
    let lines = events.map(|event| format!("{} {}", event.kind(), event.payload().unwrap()));
    insta::assert_snapshot!(lines.join("\n"), @r#"
    runner.register {"runner_id":"r1","capabilities":{"executors":[{"executor":"codex","profiles":["fast","deep","audit"]}],"max_parallel":1,"supports_artifacts":true}}
    runner.retire {"runner_id":"r1"}
    "#);
}

#[test]
fn runners_are_kept_in_the_order_of_their_ids() {
    let mut runners = Rows::of_new_room();
    for name in ["r2", "r1", "r3", "r2"] {
        hears(&mut runners, 0, "ana", &heartbeat(name, Phase::Idle, &[])).unwrap();
    }
    assert_eq!(runners.iter().map(|runner| runner.id.as_str()).collect::<Vec<_>>(), ["r1", "r2", "r3"]);
}

#[test]
fn what_moves_without_events_is_left_out_of_what_a_log_gives() {
    let mut runners = Rows::of_new_room();
    hears(&mut runners, 0, "ana", &heartbeat("r1", Phase::Idle, &[])).unwrap();
    let before = runners.nth(0).clone();
    hears(&mut runners, 5, "ana", &heartbeat("r1", Phase::Live, &[1, 2])).unwrap();
    let after = runners.nth(0).clone();
    assert_eq!((after.phase, &after.active), (Phase::Live, &vec![JobId(1), JobId(2)]));
    assert_ne!(before, after);
    assert_eq!(before.without_presence(), after.without_presence());
}

#[test]
fn runners_together_stand_as_the_busiest_of_them() {
    for (live, idle, offline, standing, shown) in [
        (0, 0, 0, Standing::Offline, "none"),
        (0, 0, 3, Standing::Offline, "live:0 idle:0 offline:3"),
        (0, 2, 3, Standing::Idle, "live:0 idle:2 offline:3"),
        (1, 0, 0, Standing::Live, "live:1 idle:0 offline:0"),
        (1, 2, 3, Standing::Live, "live:1 idle:2 offline:3"),
    ] {
        let tally = Tally { live, idle, offline };
        assert_eq!((tally.state(), tally.to_string().as_str()), (standing, shown));
    }
}
