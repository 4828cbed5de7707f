//! Storing jobs: as little as became different.

use baton_core::{
    ids::{AnchorId, RoomId},
    job::{CapabilityDigest, Executor, Job, Jobs, Marker},
    time::Timestamp,
};
use serde::Serialize;

use super::{Asked, rank};
use crate::{
    StoreError,
    engine::{Changes, Param, Tx},
    fields::{bad, number},
};

/// Adds a job.
const INSERT: &str = "
    INSERT INTO jobs (room_id, number, status, revision, runner, claimant, claim_executor, claim_expires_at_ms, losses,
                      last_question, last_manager, open_gate, open_error, attention, summary, refs, meta, last_seq,
                      last_kind, last_preview, active_at_ms, capability, claim_process, claim_via, progress,
                      earlier_claim_ends_at_ms, title, kind, priority, task, anchor, executor, routing, created_seq,
                      created_by, created_at_ms)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24,
            ?25, ?26, ?27, ?28, ?29, ?30, ?31, ?32, ?33, ?34, ?35, ?36)
";

/// Stores what may change of a job.
const UPDATE: &str = "
    UPDATE jobs
       SET status = ?3, revision = ?4, runner = ?5, claimant = ?6, claim_executor = ?7, claim_expires_at_ms = ?8,
           losses = ?9, last_question = ?10, last_manager = ?11, open_gate = ?12, open_error = ?13, attention = ?14,
           summary = ?15, refs = ?16, meta = ?17, last_seq = ?18, last_kind = ?19, last_preview = ?20,
           active_at_ms = ?21, capability = ?22, claim_process = ?23, claim_via = ?24, progress = ?25,
           earlier_claim_ends_at_ms = ?26
     WHERE room_id = ?1 AND number = ?2
";

/// Moves the end of a claim and the progress.
const RENEW: &str = "
    UPDATE jobs
       SET claim_expires_at_ms = ?3, active_at_ms = ?4, progress = ?6
     WHERE room_id = ?1 AND number = ?2 AND revision = ?5
";

/// Stores what became different of some jobs.
pub fn save(tx: &mut dyn Tx, room: &RoomId, before: &Jobs, after: &Jobs) -> Result<(), StoreError> {
    for job in &after.jobs {
        match before.find(job.id) {
            None => insert(tx, room, job)?,
            Some(known) if known == job => {}
            Some(known) if known.last == job.last => renew(tx, room, job)?,
            Some(_) => update(tx, room, job)?,
        }
    }
    Ok(())
}

fn renew(tx: &mut dyn Tx, room: &RoomId, job: &Job) -> Result<(), StoreError> {
    let expires_at = job.claim.as_ref().map(|claim| claim.lease.expires_at.as_millis());
    let progress = json(room, &job.progress)?;
    let params = [
        room.as_str().into(),
        i64::from(job.id.0).into(),
        expires_at.into(),
        job.active_at.as_millis().into(),
        number(job.revision.0).into(),
        progress.as_str().into(),
    ];
    tx.execute(RENEW, &params, Changes::One("jobs"))
}

fn insert(tx: &mut dyn Tx, room: &RoomId, job: &Job) -> Result<(), StoreError> {
    let texts = Texts::of(room, job)?;
    let routing = json(room, &Asked { routing: job.routing.clone(), lineage: job.lineage.clone() })?;
    let fixed = [
        job.title.as_str().into(),
        job.kind.as_str().into(),
        rank(job.priority).into(),
        job.task.map(|task| i64::from(task.0)).into(),
        job.anchor.as_ref().map(AnchorId::as_str).into(),
        job.routing.executor.as_str().into(),
        routing.as_str().into(),
        number(job.created_seq.0).into(),
        job.created_by.as_str().into(),
        job.created_at.as_millis().into(),
    ];
    let params = [&moving(room, job, &texts)[..], &fixed].concat();
    tx.execute(INSERT, &params, Changes::One("jobs"))
}

fn update(tx: &mut dyn Tx, room: &RoomId, job: &Job) -> Result<(), StoreError> {
    let texts = Texts::of(room, job)?;
    tx.execute(UPDATE, &moving(room, job, &texts), Changes::One("jobs"))
}

/// What is stored as JSON and may change.
struct Texts {
    refs: String,
    meta: String,
    claim_process: Option<String>,
    progress: String,
}

impl Texts {
    fn of(room: &RoomId, job: &Job) -> Result<Self, StoreError> {
        let process = job.claim.as_ref().and_then(|claim| claim.claimant.backing.process.as_ref());
        let claim_process = process.map(|process| json(room, process)).transpose()?;
        let (refs, meta) = (json(room, &job.refs)?, json(room, &job.meta)?);
        Ok(Self { refs, meta, claim_process, progress: json(room, &job.progress)? })
    }
}

/// The key and all that may change, in the order of both statements.
fn moving<'a>(room: &'a RoomId, job: &'a Job, texts: &'a Texts) -> [Param<'a>; 26] {
    let claim = job.claim.as_ref();
    [
        room.as_str().into(),
        i64::from(job.id.0).into(),
        job.status.as_str().into(),
        number(job.revision.0).into(),
        claim.map(|claim| claim.lease.holder.as_str()).into(),
        claim.map(|claim| claim.claimant.agent.as_str()).into(),
        claim.and_then(|claim| claim.executor).map(Executor::as_str).into(),
        claim.map(|claim| claim.lease.expires_at.as_millis()).into(),
        i64::from(job.losses).into(),
        number(job.last_question.0).into(),
        number(job.last_manager.0).into(),
        number(job.open_gate.map_or(0, |seq| seq.0)).into(),
        number(job.open_error.map_or(0, |seq| seq.0)).into(),
        i64::from(job.kept_marker().map_or(0, Marker::rank)).into(),
        job.summary.as_deref().into(),
        texts.refs.as_str().into(),
        texts.meta.as_str().into(),
        number(job.last.seq.0).into(),
        job.last.kind.as_str().into(),
        job.last.preview.as_str().into(),
        job.active_at.as_millis().into(),
        claim.and_then(|claim| claim.capability.as_ref()).map(CapabilityDigest::as_str).into(),
        texts.claim_process.as_deref().into(),
        claim.and_then(|claim| claim.claimant.backing.via.as_deref()).into(),
        texts.progress.as_str().into(),
        job.earlier_claim_ends_at.map(Timestamp::as_millis).into(),
    ]
}

fn json(room: &RoomId, value: &impl Serialize) -> Result<String, StoreError> {
    serde_json::to_string(value).map_err(|error| bad("jobs", room.as_str(), error))
}
