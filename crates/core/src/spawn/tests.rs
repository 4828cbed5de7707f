//! Nobody gets more than who asked has, and a request is decided once.

use super::*;
use crate::{
    code::ErrorCode,
    envelope::Payload,
    ids::{AgentId, Seq},
    job::{Choice, Executor, Isolation, JobId, Policy, Priority, Profile, Routing},
    policy::Spawning,
    time::Timestamp,
};

fn agent(id: &str) -> AgentId {
    id.parse().unwrap()
}

fn routing() -> Routing {
    Routing {
        executor: Choice::Auto,
        executor_profile: None,
        executor_model: None,
        policy: None,
        expected_artifacts: Vec::new(),
        isolation: Isolation::Workspace,
    }
}

fn spec() -> NodeSpec {
    NodeSpec {
        title: "Read the logs".to_owned(),
        prompt: "Read them all.".to_owned(),
        kind: "task".to_owned(),
        role: Some("reader".to_owned()),
        priority: Priority::Medium,
        task: None,
        anchor: None,
        routing: routing(),
        grants: Grants::default(),
        payload: Payload {
            message: "Here they are".to_owned(),
            structured: None,
            artifacts: Vec::new(),
            status: None,
            response: None,
        },
        context_ref: None,
    }
}

fn granted(spawn_nodes: bool, read_only: bool) -> Bounds {
    Bounds::of_member(Grants { spawn_nodes, read_only })
}

/// A job's agent that may spawn, deep, not with codex, in a worktree.
fn job_bounds() -> Bounds {
    let policy = Policy { forbid: vec![Executor::Codex], ..Policy::default() };
    let own = Routing {
        executor_profile: Some(Profile::Deep),
        policy: Some(policy),
        isolation: Isolation::Worktree,
        ..routing()
    };
    Bounds { grants: Grants { spawn_nodes: true, read_only: false }, job: Some(own) }
}

#[test]
fn who_may_ask_is_granted_and_the_policy_goes_before_it() {
    let ana = agent("ana");
    for policy in [Spawning::Ask, Spawning::Auto] {
        assert_eq!(granted(true, true).require_spawning(policy, &ana), Ok(()));
        let refused = granted(false, false).require_spawning(policy, &ana).unwrap_err();
        assert_eq!(
            (refused.code(), &refused),
            (ErrorCode::SpawnForbidden, &Refusal::NotGranted { agent_id: ana.clone() })
        );
    }
    assert_eq!(Bounds::of_operator().require_spawning(Spawning::Off, &ana), Err(Refusal::Off));
}

#[test]
fn grants_that_are_not_said_are_clamped_and_those_that_are_too_much_are_refused() {
    let fit = |bounds: &Bounds, spawn_nodes, read_only| {
        let wishes = Wishes { spawn_nodes, read_only, isolation: None };
        bounds.fit(wishes, &routing()).map(|(_, grants)| (grants.spawn_nodes, grants.read_only)).map_err(|refusal| {
            match refusal {
                Refusal::Exceeds { field, .. } => field,
                other => panic!("{other}"),
            }
        })
    };
    assert_eq!(fit(&Bounds::of_operator(), None, None), Ok((false, false)), "nothing is given that is not asked for");
    assert_eq!(fit(&Bounds::of_operator(), Some(true), Some(true)), Ok((true, true)));
    assert_eq!(fit(&granted(true, false), Some(true), None), Ok((true, false)));
    assert_eq!(fit(&granted(false, false), Some(true), None), Err("spawn_nodes"));
    assert_eq!(fit(&granted(true, true), None, None), Ok((false, true)), "who only looks gets one who only looks");
    assert_eq!(fit(&granted(true, true), None, Some(false)), Err("read_only"));
    assert_eq!(fit(&granted(false, false), Some(false), Some(true)), Ok((false, true)));
}

#[test]
fn a_jobs_agent_gets_no_dearer_executor_and_none_that_is_forbidden_to_it() {
    let bounds = job_bounds();
    let fit = |routing: Routing, isolation| bounds.fit(Wishes { isolation, ..Wishes::default() }, &routing);
    let field = |refused: Result<(Routing, Grants), Refusal>| match refused.unwrap_err() {
        Refusal::Exceeds { field, .. } => field,
        other => panic!("{other}"),
    };
    let (fitted, _) = fit(routing(), None).unwrap();
    assert_eq!(fitted.policy.unwrap().forbid, [Executor::Codex], "what is forbidden stays forbidden");
    assert_eq!(fitted.isolation, Isolation::Worktree);
    let deep = |profile| Routing { executor_profile: Some(profile), ..routing() };
    assert!(fit(deep(Profile::Deep), None).is_ok());
    assert_eq!(field(fit(deep(Profile::Audit), None)), "executor_profile");
    let least = Policy { min_profile: Some(Profile::Audit), ..Policy::default() };
    assert_eq!(field(fit(Routing { policy: Some(least), ..routing() }, None)), "executor_profile");
    assert_eq!(field(fit(Routing { executor: Choice::Codex, ..routing() }, None)), "executor");
    assert!(fit(Routing { executor: Choice::ClaudeCode, ..routing() }, None).is_ok());
    let prefers = Policy { prefer: vec![Executor::Codex], ..Policy::default() };
    assert_eq!(field(fit(Routing { policy: Some(prefers), ..routing() }, None)), "policy");
    assert_eq!(field(fit(routing(), Some(Isolation::Workspace))), "isolation");
    assert!(fit(routing(), Some(Isolation::Worktree)).is_ok());
}

#[test]
fn a_request_is_what_a_job_and_an_envelope_may_be() {
    let field = |spec: NodeSpec| match spec.check(&agent("ana")).unwrap_err() {
        Refusal::Invalid { field, .. } => field,
        other => panic!("{other}"),
    };
    assert_eq!(spec().check(&agent("ana")), Ok(()));
    assert_eq!(field(NodeSpec { title: " ".to_owned(), ..spec() }), "title");
    assert_eq!(field(NodeSpec { prompt: String::new(), ..spec() }), "prompt");
    assert_eq!(field(NodeSpec { role: Some("two words".to_owned()), ..spec() }), "role");
    assert_eq!(field(NodeSpec { context_ref: Some("CARD-1".to_owned()), ..spec() }), "context_ref");
    let silent = Payload { message: "\u{200b}".to_owned(), ..spec().payload };
    assert_eq!(field(NodeSpec { payload: silent, ..spec() }), "message");
    let job = spec().job(&agent("ana"));
    assert_eq!((job.lineage.parent, job.meta["role"].as_str()), (Some(agent("ana")), Some("reader")));
}

#[test]
fn a_request_is_changed_within_the_same_bounds() {
    let changes = Changes {
        title: Some("Read one log".to_owned()),
        executor: Some(Choice::ClaudeCode),
        priority: Some("high".to_owned()),
        message: Some("token=ghp_0123456789abcdefghijABCDEFGHIJ".to_owned()),
        read_only: Some(true),
        ..Changes::default()
    };
    assert_eq!(changes.fields(), ["title", "priority", "executor", "read_only", "message"]);
    let changed = spec().changed(&changes, &job_bounds()).unwrap();
    assert_eq!((changed.title.as_str(), changed.priority), ("Read one log", Priority::High));
    assert!(changed.payload.message.contains("[redacted:"));
    assert!(changed.grants.read_only);
    let more = Changes { executor_profile: Some(Profile::Audit), ..Changes::default() };
    assert_eq!(spec().changed(&more, &job_bounds()).unwrap_err().code(), ErrorCode::SpawnForbidden);
    let odd = Changes { priority: Some("urgent".to_owned()), ..Changes::default() };
    assert_eq!(spec().changed(&odd, &job_bounds()).unwrap_err().code(), ErrorCode::InvalidInput);
    let able = NodeSpec { grants: Grants { spawn_nodes: true, read_only: false }, ..spec() };
    let revoked = able.changed(&Changes::default(), &granted(false, false));
    assert_eq!(revoked.unwrap_err().code(), ErrorCode::SpawnForbidden, "what was taken away since is not given");
}

fn pending() -> Approval {
    Approval {
        id: ApprovalId(1),
        requested_by: agent("bo"),
        title: "x".to_owned(),
        status: ApprovalStatus::Pending,
        job: None,
        decided_by: None,
        reason: None,
        seq: Seq(3),
        requested_at: Timestamp::from_millis(0),
        decided_at: None,
    }
}

#[test]
fn a_digest_tells_every_part_of_a_request_and_whose_it_is() {
    let (id, bo) = (ApprovalId(1), agent("bo"));
    let digest = spec().digest(id, &bo);
    assert_eq!(digest.to_string().len(), 16);
    assert_eq!(digest, spec().digest(id, &bo));
    let structured = |text: &str| Payload { structured: serde_json::from_str(text).ok(), ..spec().payload };
    let others = [
        spec().digest(ApprovalId(2), &bo),
        spec().digest(id, &agent("ana")),
        NodeSpec { title: "Read the log".to_owned(), ..spec() }.digest(id, &bo),
        NodeSpec { prompt: "Read them all. And delete them.".to_owned(), ..spec() }.digest(id, &bo),
        NodeSpec { role: None, ..spec() }.digest(id, &bo),
        NodeSpec { grants: Grants { spawn_nodes: true, read_only: false }, ..spec() }.digest(id, &bo),
        NodeSpec { routing: Routing { executor: Choice::Codex, ..routing() }, ..spec() }.digest(id, &bo),
        NodeSpec { payload: structured(r#"{"a": 1, "b": [2]}"#), ..spec() }.digest(id, &bo),
        NodeSpec { payload: structured(r#"{"a": 1, "b": 2}"#), ..spec() }.digest(id, &bo),
        NodeSpec { context_ref: Some("contextpack://pack/x".to_owned()), ..spec() }.digest(id, &bo),
    ];
    let all: std::collections::HashSet<_> = others.iter().chain([&digest]).map(ToString::to_string).collect();
    assert_eq!(all.len(), others.len() + 1);
    let reordered = NodeSpec { payload: structured(r#"{"b": [2], "a": 1}"#), ..spec() }.digest(id, &bo);
    assert_eq!(reordered, others[7], "however an engine orders keys");
}

#[test]
fn only_what_was_shown_is_approved() {
    let approval = pending();
    let shown = spec().digest(approval.id, &approval.requested_by);
    assert_eq!(approval.require_shown(&spec(), Some(&shown)), Ok(()));
    let unseen = approval.require_shown(&spec(), None).unwrap_err();
    assert_eq!((unseen.code(), unseen.next().is_some()), (ErrorCode::InvalidInput, true));
    let now = NodeSpec { grants: Grants { spawn_nodes: false, read_only: true }, ..spec() };
    let refused = approval.require_shown(&now, Some(&shown)).unwrap_err();
    let digest = now.digest(approval.id, &approval.requested_by);
    assert_eq!(
        (refused.code(), refused),
        (ErrorCode::PreconditionFailed, Refusal::Changed { approval: approval.id, digest: digest.clone() })
    );
    let Event::Approved(approved) = approval.approve(JobId(3), &now, Vec::new(), None).unwrap() else { panic!() };
    assert_eq!(approved.digest, Some(digest), "of what was made");
}

#[test]
fn a_request_is_decided_once() {
    let approval = pending();
    assert!(matches!(approval.deny(Some("no")), Ok(Event::Denied(denied)) if denied.requested_by == agent("bo")));
    assert_eq!(approval.deny(Some(" ")).unwrap_err().code(), ErrorCode::InvalidInput);
    let decided =
        Approval { status: ApprovalStatus::Approved, decided_by: Some(agent("ana")), job: Some(JobId(2)), ..approval };
    let refused = decided.approve(JobId(3), &spec(), Vec::new(), None).unwrap_err();
    assert_eq!(refused.code(), ErrorCode::Conflict);
    assert_eq!(refused.to_string(), "APPROVAL-1 is approved already, by ana.");
    assert_eq!(decided.deny(None).unwrap_err().code(), ErrorCode::Conflict);
}
