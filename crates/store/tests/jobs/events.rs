//! Every kind of event about jobs, runners and the library, with all that it can carry and with as little as it may.

use std::collections::BTreeSet;

use baton_core::{
    claimant::Backing,
    event::Event,
    ids::Seq,
    job::{
        self, Applied, Branched, Canceled, Choice, Claimed, Created, Ended, Executor, ExpectedArtifact, Isolation,
        JobId, Lineage, Manager, Policy, Priority, Profile, Proven, ReclaimReason, Reclaimed, Reported, Requeued,
        Routing, Standing,
    },
    lease::Fence,
    library::{
        self, AnchorSet, ArtifactId, ArtifactKept, ArtifactKind, CardCreated, CardId, CardKind, CardPinned,
        PatchOrigin, PlanCreated, PlanId,
    },
    process::SessionKind,
    reference::Reference,
    runner::{self, Ability, Capabilities, Registered, Retired},
    task::TaskId,
    turn::TurnId,
};
use baton_testkit::rows::assert_events_are_read_back;
use serde_json::{Map, Value, json};

use super::support::{agent, anchor, at, backing, digest, lineage, odd};

/// The highest number that a room gives out.
const LAST: u32 = 999_999_999;

fn every_standing() -> Vec<Proven> {
    let stands = |(reference, standing): (Reference, &Standing)| Proven { reference, standing: *standing };
    every_reference().into_iter().zip(Standing::ALL.iter().cycle()).map(stands).collect()
}

/// One of every kind of reference.
pub(crate) fn every_reference() -> Vec<Reference> {
    vec![
        Reference::Job(JobId(LAST)),
        Reference::JobEvent(JobId(1), Seq(999_999_999_999_999_999)),
        Reference::Task(TaskId(7)),
        Reference::Card(CardId(1)),
        Reference::Plan(PlanId(LAST)),
        Reference::Note(Seq(17)),
        Reference::Anchor(anchor("a:core/http-api_2.x")),
        Reference::Runner(agent("bm_runner:42")),
        Reference::Artifact(ArtifactKind::Transcript, 3),
        Reference::Command("cargo test -- \"ünï\" '✓' \\ | cat 漢字".to_owned()),
        Reference::Link("https://example.org/?q=%20_%25#x".to_owned()),
    ]
}

/// Notes of every shape, with a key that is hard on quoting.
pub(crate) fn notes() -> Map<String, Value> {
    let notes = json!({odd(): odd(), "deep": {"list": [1, -1.5, null, true, u64::MAX, [], {}]}, "": ""});
    notes.as_object().unwrap().clone()
}

/// Demands on whoever does a job, with everything that can be said about them.
pub(crate) fn routing() -> Routing {
    Routing {
        executor: Choice::Auto,
        executor_profile: Some(Profile::Audit),
        executor_model: Some(odd()),
        policy: Some(Policy {
            prefer: vec![Executor::ClaudeCode, Executor::Codex],
            forbid: vec![Executor::Command],
            min_profile: Some(Profile::Deep),
        }),
        expected_artifacts: ExpectedArtifact::ALL.to_vec(),
        isolation: Isolation::Worktree,
    }
}

fn creations() -> Vec<job::Event> {
    let bare = |executor| Routing {
        executor,
        executor_profile: None,
        executor_model: None,
        policy: None,
        expected_artifacts: Vec::new(),
        isolation: Isolation::Workspace,
    };
    let full = Created {
        job: JobId(LAST),
        title: odd(),
        prompt: odd().repeat(1000),
        kind: odd(),
        priority: Priority::High,
        task: Some(TaskId(7)),
        anchor: Some(anchor("a:core")),
        routing: routing(),
        meta: notes(),
        lineage: lineage(),
    };
    let little = |executor, priority| Created {
        job: JobId(1),
        priority,
        prompt: String::new(),
        task: None,
        anchor: None,
        routing: bare(executor),
        meta: Map::new(),
        lineage: Lineage::default(),
        ..full.clone()
    };
    let empty_policy = Created { routing: Routing { policy: Some(Policy::default()), ..routing() }, ..full.clone() };
    let mut all = vec![full.clone(), empty_policy];
    all.extend(Choice::ALL.iter().zip(Priority::ALL.iter().cycle()).map(|(choice, rank)| little(*choice, *rank)));
    all.into_iter().map(job::Event::Created).collect()
}

fn claims() -> Vec<job::Event> {
    let claimed = Claimed {
        job: JobId(LAST),
        runner_id: agent("bm_runner:42"),
        revision: Fence(u64::MAX),
        expires_at: at(-1),
        executor: Some(Executor::Command),
        backing: backing(),
        capability_sha256: Some(digest()),
    };
    let reclaimed = |reason, previous: Option<&str>, executor| Reclaimed {
        job: JobId(1),
        runner_id: agent("r1"),
        revision: Fence(1),
        expires_at: at(253_402_000_000_000),
        executor,
        backing: Backing { process: None, via: Some(odd()) },
        capability_sha256: None,
        meta: job_meta(reason, previous),
    };
    vec![
        job::Event::Claimed(Claimed { executor: None, backing: Backing::default(), ..claimed.clone() }),
        job::Event::Claimed(claimed),
        job::Event::Reclaimed(reclaimed(ReclaimReason::TtlExpired, Some("r2"), Some(Executor::Codex))),
        job::Event::Reclaimed(reclaimed(ReclaimReason::RunnerGone, Some("r2"), None)),
        job::Event::Reclaimed(reclaimed(ReclaimReason::Manual, None, None)),
        job::Event::Reclaimed(reclaimed(ReclaimReason::ConflictResolved, None, Some(Executor::ClaudeCode))),
    ]
}

/// From whom, and why, as it is written: the type has no name outside the core.
fn job_meta<T: serde::de::DeserializeOwned>(reason: ReclaimReason, previous: Option<&str>) -> T {
    let proof = (reason == ReclaimReason::RunnerGone).then_some("exited");
    serde_json::from_value(json!({"reason": reason, "previous_runner_id": previous, "proof": proof})).unwrap()
}

fn reports() -> Vec<job::Event> {
    let full = Reported {
        job: JobId(1),
        revision: Fence(2),
        message: odd(),
        percent: Some(100),
        refs: every_reference(),
        proves: true,
        meta: notes(),
    };
    let bare = Reported { percent: None, refs: Vec::new(), proves: false, meta: Map::new(), ..full.clone() };
    let kinds =
        [job::Event::Progress, job::Event::Checkpoint, job::Event::Question, job::Event::ProofGate, job::Event::Error];
    let both = kinds.into_iter().flat_map(|kind| [kind(full.clone()), kind(bare.clone())]);
    both.chain([job::Event::Progress(Reported { percent: Some(0), ..bare.clone() })]).collect()
}

fn words_and_ends() -> Vec<job::Event> {
    let said = Manager {
        job: JobId(1),
        sender_kind: Some(SessionKind::Human),
        message: odd(),
        refs: every_reference(),
        proves: true,
        sends_back: true,
    };
    let ended = Ended {
        job: JobId(1),
        revision: Fence(3),
        summary: odd(),
        refs: every_reference(),
        proof: Some(every_standing()),
        meta: notes(),
    };
    let bare = Ended { summary: String::new(), refs: Vec::new(), proof: None, meta: Map::new(), ..ended.clone() };
    let runner = Some(agent("r1"));
    vec![
        job::Event::Manager(Manager { refs: Vec::new(), proves: false, sends_back: false, ..said.clone() }),
        job::Event::Manager(said),
        job::Event::Completed(ended.clone()),
        job::Event::Completed(bare.clone()),
        job::Event::Failed(ended),
        job::Event::Failed(bare),
        job::Event::Canceled(Canceled { job: JobId(1), reason: odd(), runner_id: runner.clone() }),
        job::Event::Canceled(Canceled { job: JobId(1), reason: String::new(), runner_id: None }),
        job::Event::Requeued(Requeued { job: JobId(1), reason: odd(), runner_id: runner, ..requeued(true) }),
        job::Event::Requeued(Requeued { job: JobId(1), reason: String::new(), runner_id: None, ..requeued(false) }),
        job::Event::Applied(Applied {
            job: JobId(1),
            patch: Reference::Artifact(ArtifactKind::Diff, 3),
            base: odd(),
            head: odd(),
            files: u32::MAX,
            message: odd(),
        }),
        job::Event::Branched(Branched {
            job: JobId(1),
            patch: Reference::Artifact(ArtifactKind::Diff, 3),
            base: odd(),
            branch: odd(),
            commit: odd(),
            message: odd(),
        }),
    ]
}

/// A job that is queued again, with all that can be said of it or with as little.
pub(crate) fn requeued(full: bool) -> Requeued {
    Requeued {
        job: JobId(1),
        reason: String::new(),
        runner_id: None,
        given_back: full,
        sent_back: full,
        patch: full.then_some(Reference::Artifact(ArtifactKind::Diff, 3)),
    }
}

fn runner_events() -> Vec<runner::Event> {
    let able = |executor: &Executor| Ability { executor: *executor, profiles: Profile::ALL.to_vec(), trouble: None };
    let full = Capabilities {
        executors: Executor::ALL.iter().map(able).collect(),
        max_parallel: 64,
        supports_artifacts: true,
        sandbox_policy: Some(odd()),
    };
    let bare = Capabilities { executors: Vec::new(), max_parallel: 1, supports_artifacts: false, sandbox_policy: None };
    let registered =
        |capabilities, backing| runner::Event::Registered(Registered { runner_id: agent("r1"), capabilities, backing });
    vec![
        registered(Some(full), backing()),
        registered(Some(bare), Backing { process: None, via: Some(odd()) }),
        registered(None, Backing::default()),
        runner::Event::Retired(Retired { runner_id: agent("bm_runner:42") }),
    ]
}

fn library_events() -> Vec<library::Event> {
    let card = CardCreated {
        card: CardId(LAST),
        kind: CardKind::Evidence,
        title: odd(),
        text: odd().repeat(100),
        tags: vec![odd(), String::new()],
        pinned: true,
        task: Some(TaskId(7)),
        anchor: Some(anchor("a:core")),
        job: Some(JobId(1)),
        refs: every_reference(),
    };
    let bare = |kind: &CardKind| CardCreated {
        card: CardId(1),
        kind: *kind,
        tags: Vec::new(),
        pinned: false,
        task: None,
        anchor: None,
        job: None,
        refs: Vec::new(),
        ..card.clone()
    };
    let described = AnchorSet { anchor: anchor("a:core"), title: odd(), text: odd() };
    let plan = PlanCreated { plan: PlanId(1), title: odd(), text: odd(), tasks: vec![TaskId(7), TaskId(1)] };
    let kept = ArtifactKept {
        artifact: ArtifactId(1),
        kind: ArtifactKind::Diff,
        name: odd(),
        sha256: "0".repeat(64),
        bytes: u64::MAX,
        host: odd(),
        job: Some(JobId(1)),
        revision: Some(Fence(2)),
        node: Some(agent("job:JOB-001@1")),
        turn: Some(TurnId(3)),
        refs: vec![Reference::Artifact(ArtifactKind::Log, 2)],
        redacted: true,
        patch: Some(PatchOrigin { base: odd(), repository: odd(), cut: true, too_large: vec![odd()] }),
    };
    let file = |kind: &ArtifactKind| ArtifactKept {
        kind: *kind,
        bytes: 0,
        job: None,
        revision: None,
        node: None,
        turn: None,
        refs: Vec::new(),
        redacted: false,
        patch: None,
        ..kept.clone()
    };
    let mut all: Vec<library::Event> = CardKind::ALL.iter().map(bare).map(library::Event::CardCreated).collect();
    all.extend(ArtifactKind::ALL.iter().map(file).map(library::Event::ArtifactKept));
    all.extend([
        library::Event::CardCreated(card),
        library::Event::CardPinned(CardPinned { card: CardId(1), pinned: true }),
        library::Event::CardPinned(CardPinned { card: CardId(LAST), pinned: false }),
        library::Event::AnchorSet(AnchorSet { text: String::new(), ..described.clone() }),
        library::Event::AnchorSet(described),
        library::Event::PlanCreated(PlanCreated { text: String::new(), tasks: Vec::new(), ..plan.clone() }),
        library::Event::PlanCreated(plan),
        library::Event::ArtifactKept(kept),
    ]);
    all
}

fn every_event() -> Vec<Event> {
    let jobs = [creations(), claims(), reports(), words_and_ends()].concat().into_iter().map(Event::from);
    let runners = runner_events().into_iter().map(Event::from);
    jobs.chain(runners).chain(library_events().into_iter().map(Event::from)).collect()
}

#[test]
fn every_kind_of_event_about_jobs_runners_and_the_library_is_read_back_as_it_was_written() {
    let events = every_event();
    let kinds: BTreeSet<&str> = events.iter().map(Event::kind).collect();
    let all = [
        "job.created job.claimed job.reclaimed job.progress job.checkpoint job.question job.proof_gate job.error",
        "job.manager job.completed job.failed job.canceled job.requeued job.applied job.branched",
        "runner.register runner.retire",
        "card.create card.pin anchor.set plan.create artifact.keep",
    ];
    assert_eq!(kinds, all.iter().flat_map(|kinds| kinds.split(' ')).collect());
    assert_events_are_read_back(&events);
}
