//! Jobs and text that these tests share.

use baton_core::{
    claimant::Backing,
    ids::{AnchorId, RoomId, Seq},
    job::{
        Capability, CapabilityDigest, Choice, Claim, Isolation, Job, JobId, Kind, Last, Lineage, Priority, Progress,
        Routing, Status,
    },
    lease::{Fence, Lease},
    part::Rows,
    process::{Keeps, ProcessIdentity},
    spawn::Grants,
};
use baton_store::{
    Store, StoreError,
    table::{self, Table},
};
pub(crate) use baton_testkit::rows::{ODD, agent, all, at, find, on_two_rooms, put, read, write};
use serde_json::Map;

pub(crate) fn odd() -> String {
    ODD.to_owned()
}

pub(crate) fn anchor(name: &str) -> AnchorId {
    name.parse().unwrap()
}

/// A job that waits, with as little as it may have. Its last event is its creation, at the place of its number.
pub(crate) fn job(id: u32) -> Job {
    let routing = Routing {
        executor: Choice::Auto,
        executor_profile: None,
        executor_model: None,
        policy: None,
        expected_artifacts: Vec::new(),
        isolation: Isolation::Workspace,
    };
    Job {
        id: JobId(id),
        title: "x".to_owned(),
        kind: "codex_cli".to_owned(),
        priority: Priority::Medium,
        status: Status::Queued,
        task: None,
        anchor: None,
        routing,
        revision: Fence(0),
        claim: None,
        earlier_claim_ends_at: None,
        losses: 0,
        last_question: Seq(0),
        last_manager: Seq(0),
        open_gate: None,
        open_error: None,
        summary: None,
        refs: Vec::new(),
        meta: Map::new(),
        lineage: Lineage::default(),
        last: Last { seq: Seq(u64::from(id)), kind: Kind::Created, preview: String::new() },
        progress: Progress::default(),
        created_seq: Seq(u64::from(id)),
        created_by: agent("ana"),
        created_at: at(0),
        active_at: at(0),
    }
}

/// The job with a runner at it, whose claim ends then.
pub(crate) fn claimed(job: Job, runner: &str, expires_at: i64) -> Job {
    let revision = job.revision.next();
    let lease = Lease { holder: agent(runner), fence: revision, expires_at: at(expires_at) };
    let claim = Some(Claim { lease, claimant: agent("ana").into(), capability: None, executor: None });
    Job { status: Status::Running, revision, claim, ..job }
}

/// Jobs in the order of their numbers.
pub(crate) fn in_order(jobs: Vec<Job>) -> Rows<Job> {
    jobs.into_iter().collect()
}

/// Stores what differs from how it is stored.
pub(crate) fn save<T: Table>(store: &Store, room: &RoomId, rows: &Rows<T>) -> Result<(), StoreError> {
    store.write(|tx| table::save(tx, room, &mut rows.clone()))
}

pub(crate) fn numbers(found: &[Job]) -> Vec<u32> {
    found.iter().map(|job| job.id.0).collect()
}

/// Whom a job may come from, and all that it may be allowed.
pub(crate) fn lineage() -> Lineage {
    Lineage { parent: Some(agent("job:JOB-001@1")), grants: Grants { spawn_nodes: true, read_only: true } }
}

/// A process and a credential with all that they can have.
pub(crate) fn backing() -> Backing {
    let keeps = Keeps { terminal: odd(), pid: 7, start_ticks: u64::MAX, pidfd_inode: Some(u64::MAX) };
    let process = ProcessIdentity {
        host_id: odd(),
        boot_id: odd(),
        pid_namespace: u64::MAX,
        pid: u32::MAX,
        start_ticks: u64::MAX,
        pidfd_inode: Some(u64::MAX),
        process_started_at: at(-1),
        keeps: Some(keeps),
    };
    Backing { process: Some(Box::new(process)), via: Some(odd()) }
}

/// The digest of a capability.
pub(crate) fn digest() -> CapabilityDigest {
    "cap_0123456789abcdefghjkmnpqrs".parse::<Capability>().unwrap().digest()
}
