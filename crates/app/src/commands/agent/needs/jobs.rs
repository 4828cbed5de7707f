//! Jobs that ask, that went wrong, that show nothing, or that nobody is at any more.

use std::collections::BTreeSet;

use baton_core::{
    agent::ConnectionStatus,
    event::{Event, Recorded},
    job::{self, Job, Status, agent_of},
    process::Liveness,
    time::Timestamp,
};
use baton_store::{StoreError, engine::Tx, log};

use super::{
    Evidence, Need, NeedKind, Whom,
    scene::{Scene, cut},
};
use crate::{Failure, commands::jobs::Serving, connection::AgentConnection};

/// A job that wants a manager, whatever it wants most.
pub(super) fn pressing(tx: &mut dyn Tx, scene: &Scene<'_>, job: &Job) -> Result<Option<Need>, StoreError> {
    // A word to it answers a question and an error alike, so there is one card, about what somebody has to think of.
    let kind = match () {
        () if job.needs_manager() => NeedKind::Question,
        () if job.has_error() => NeedKind::Failed,
        () if job.needs_proof() => NeedKind::Proof,
        () => return Ok(None),
    };
    let place = match kind {
        NeedKind::Question => Some(job.last_question),
        NeedKind::Failed => job.open_error,
        _ => job.open_gate,
    };
    let said = place.map(|seq| log::find(tx, &scene.room.id, seq)).transpose()?.flatten();
    let since = said.as_ref().map_or(job.created_at, |recorded| recorded.at);
    let words = said.as_ref().and_then(words).unwrap_or(&job.last.preview);
    let command = match kind {
        NeedKind::Proof => format!("job message {} 'What shows it?' --ref CARD-1", job.id),
        _ => format!("job message {} 'Your answer'", job.id),
    };
    Ok(Some(of(scene, job, kind, since, words, &command)))
}

/// A job that failed lately, and that nobody had done again.
pub(super) fn failed(scene: &Scene<'_>, job: &Job) -> Need {
    let words = job.summary.as_deref().unwrap_or(&job.last.preview);
    let command = format!("job requeue {} --reason 'Try again'", job.id);
    of(scene, job, NeedKind::Failed, job.active_at, words, &command)
}

/// A job whose claim ran out.
pub(super) fn stale(tx: &mut dyn Tx, scene: &Scene<'_>, job: &Job) -> Result<Option<Need>, Failure> {
    let Some(claim) = &job.claim else { return Ok(None) };
    let lease = &claim.lease;
    let AgentConnection { state, why, .. } = AgentConnection::of_job(tx, &scene.vantage(), job)?;
    let words = format!("Its runner {} fell silent: the claim ran out, and nobody has taken it up.", lease.holder);
    let command = format!("job requeue {} --reason 'Its runner fell silent'", job.id);
    let evidence = Evidence {
        basis: None,
        liveness: Liveness::Unknown,
        connection: Some(ConnectionStatus { state, why }),
        words: words.clone(),
        lease_expires_at: lease.expires_at,
        last_seen_at: Some(job.active_at),
        pid: None,
        turn_id: None,
    };
    let need = of(scene, job, NeedKind::Stuck, lease.expires_at, &words, &command);
    Ok(Some(Need { evidence: Some(evidence), ..need }))
}

/// Jobs at the head of their queue that nobody here can do: each reason once, with the job that waits the longest for it.
pub(super) fn blocked(tx: &mut dyn Tx, scene: &Scene<'_>, heads: &[Job]) -> Result<Vec<Need>, Failure> {
    let serving = Serving::take(scene.app, tx, &scene.room.id, scene.now, heads)?;
    let mut oldest: Vec<&Job> = heads.iter().collect();
    oldest.sort_by_key(|job| job.id);
    let (mut told, mut found) = (BTreeSet::new(), Vec::new());
    for job in oldest {
        if let Some(blocked) = serving.blocked(scene.now, job)
            && told.insert(blocked.reason.clone())
        {
            let need = of(scene, job, NeedKind::Blocked, job.active_at, &blocked.reason, "");
            found.push(Need { command: blocked.next, ..need });
        }
    }
    Ok(found)
}

fn of(scene: &Scene<'_>, job: &Job, kind: NeedKind, since: Timestamp, words: &str, command: &str) -> Need {
    let who = Whom { agent_id: agent_of(&scene.room.id, job.id), name: job.id.to_string() };
    Need {
        title: job.title.clone(),
        words: cut(words),
        status: Some(job.status),
        command: scene.command(command),
        ..scene.need(kind, since, job.id, who)
    }
}

fn words(recorded: &Recorded) -> Option<&str> {
    match &recorded.event {
        Event::Job(event) => Some(job::Event::message(event)),
        _ => None,
    }
}

/// Whether a job is over and went wrong.
pub(super) fn is_failed(job: &Job, since: Timestamp) -> bool {
    job.status == Status::Failed && job.active_at >= since
}
