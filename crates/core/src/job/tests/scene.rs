//! A room with jobs and a clock in seconds. Acts are played at times, and what happened is told in lines.
//!
//! After each act the log is read back from its stored form and folded: it must give the jobs as they are.

use super::acts::{Act, claim};
use crate::{
    event::Recorded,
    ids::{AgentId, Seq},
    job::{Choice, Draft, Event, Isolation, Job, JobId, Marker, Priority, Refusal, Routing},
    lease::Fence,
    limits,
    part::{Part, Rows},
    process::{Liveness, ProcessIdentity, Proof},
    reference::Reference,
    time::{Timestamp, Ttl},
};

/// The job that acts are about, unless another is named.
pub(super) const JOB: JobId = JobId(1);

pub(super) struct Scene {
    pub(super) jobs: Rows<Job>,
    pub(super) log: Vec<Recorded>,
    pub(super) now: Timestamp,
    /// Processes that are proven gone, by pid.
    pub(super) gone: Vec<u32>,
}

pub(super) fn agent(name: &str) -> AgentId {
    name.parse().unwrap()
}

pub(super) fn refs(texts: &[&str]) -> Vec<Reference> {
    texts.iter().map(|text| text.parse().unwrap()).collect()
}

pub(super) fn draft(title: &str) -> Draft {
    Draft {
        title: title.to_owned(),
        prompt: "Find out why it is slow.".to_owned(),
        kind: "research".to_owned(),
        priority: Priority::Medium,
        task: None,
        anchor: None,
        routing: Routing {
            executor: Choice::Codex,
            executor_profile: None,
            executor_model: None,
            policy: None,
            expected_artifacts: Vec::new(),
            isolation: Isolation::Workspace,
        },
        meta: serde_json::Map::new(),
        lineage: crate::job::Lineage::default(),
    }
}

impl Scene {
    pub(super) fn empty() -> Self {
        Self { jobs: Rows::of_new_room(), log: Vec::new(), now: Timestamp::from_millis(0), gone: Vec::new() }
    }

    /// One job, queued: `JOB-001`, created by the boss at the first place of the log.
    pub(super) fn with_job() -> Self {
        let mut scene = Self::empty();
        scene.create(&draft("Investigate cache"));
        scene
    }

    /// The same, claimed by `r1` under revision 1 until t180.
    pub(super) fn running() -> Self {
        let mut scene = Self::with_job();
        scene.act(JOB, &claim("r1")).unwrap();
        scene
    }

    pub(super) fn create(&mut self, draft: &Draft) -> JobId {
        let id = JobId(self.jobs.iter().count() as u32 + 1);
        let created = draft.create(id).unwrap();
        self.record(agent("boss"), created);
        id
    }

    pub(super) fn job(&self) -> &Job {
        self.jobs.get(&JOB).unwrap()
    }

    pub(super) fn at(&mut self, secs: i64) -> &mut Self {
        self.at_ms(secs * 1000)
    }

    pub(super) fn at_ms(&mut self, millis: i64) -> &mut Self {
        self.now = Timestamp::from_millis(millis);
        self
    }

    /// Decides an act and folds what came of it. A report that is accepted renews the claim, as the use case does.
    pub(super) fn act(&mut self, id: JobId, act: &Act) -> Result<Option<Event>, Refusal> {
        let job = self.jobs.get(&id).unwrap();
        let event = match act {
            Act::Claim(claiming) => job.claim(self.now, claiming, &self.witness()).map(Some),
            Act::Report(shown, report) => job.report(shown, report),
            Act::Complete(shown, completion) => job.complete(shown, completion).map(Some),
            Act::Message(message, refs) => job.message(message, refs, None).map(Some),
            Act::Cancel(reason) => job.cancel(reason),
            Act::Requeue(reason) => job.requeue(reason),
        }?;
        if let Some(event) = &event {
            self.record(act.actor(), event.clone());
        }
        if matches!(act, Act::Report(..)) {
            let now = self.now;
            self.jobs.change(&id, |job| job.renew(now, limits::CLAIM_TTL));
        }
        assert_eq!(still(&self.folded()), still(&self.jobs), "after {act:?}");
        Ok(event)
    }

    /// Sees every process live but those that are gone.
    pub(super) fn witness(&self) -> impl Fn(&ProcessIdentity) -> Liveness {
        let gone = self.gone.clone();
        move |process| if gone.contains(&process.pid) { Liveness::Gone(Proof::Exited) } else { Liveness::Alive }
    }

    /// Plays acts on the first job, each at its second, and tells what happened.
    pub(super) fn play(&mut self, acts: &[(i64, Act)]) -> String {
        let told = acts.iter().map(|(secs, act)| {
            let decided = self.at(*secs).act(JOB, act);
            format!("t{secs}: {}", self.told(&decided))
        });
        told.collect::<Vec<_>>().join("\n")
    }

    fn told(&self, decided: &Result<Option<Event>, Refusal>) -> String {
        let what = match decided {
            Err(refusal) => return format!("{}: {refusal}", refusal.code()),
            Ok(None) => "no event".to_owned(),
            Ok(Some(Event::Claimed(claimed))) => format!("claimed by {}", claimed.runner_id),
            Ok(Some(Event::Reclaimed(reclaimed))) => {
                let previous = reclaimed.meta.previous_runner_id.as_ref().map_or("nobody", AgentId::as_str);
                format!("reclaimed by {} from {previous}, {}", reclaimed.runner_id, reclaimed.meta.reason)
            }
            Ok(Some(event)) => {
                let pointing: String = event.refs().iter().map(|reference| format!(" [{reference}]")).collect();
                format!("{} {:?}{pointing}", event.sort(), event.message())
            }
        };
        format!("{what} -> {}", self.standing())
    }

    /// What the job wants now.
    pub(super) fn marker(&self) -> Option<Marker> {
        self.job().marker(self.now)
    }

    /// How the job is: `RUNNING #1 by r1 until t180 ?`.
    pub(super) fn standing(&self) -> String {
        let job = self.job();
        let until = job.claim.as_ref().map_or(String::new(), |claim| {
            format!(" by {} until t{}", claim.lease.holder, claim.lease.expires_at.as_millis() / 1000)
        });
        let marker = self.marker().map_or(String::new(), |marker| format!(" {}", marker.sign()));
        format!("{} #{}{until}{marker}", job.status, job.revision)
    }

    pub(super) fn record(&mut self, actor: AgentId, event: Event) {
        let recorded = Recorded {
            overridden: false,
            room_id: "room_test".parse().unwrap(),
            seq: Seq(self.log.len() as u64 + 1),
            at: self.now,
            actor,
            turn: Fence(0),
            event: event.into(),
        };
        self.jobs.apply(&recorded);
        self.log.push(recorded);
    }

    /// The jobs that the stored log alone gives.
    pub(super) fn folded(&self) -> Rows<Job> {
        let mut jobs = Rows::of_new_room();
        for recorded in &self.log {
            let (kind, payload) = (recorded.event.kind(), recorded.event.payload().unwrap());
            let event = crate::event::Event::read(kind, &payload).unwrap();
            jobs.apply(&Recorded { event, ..recorded.clone() });
        }
        jobs
    }
}

/// Jobs less what moves without events.
fn still(jobs: &Rows<Job>) -> Vec<Job> {
    jobs.iter().cloned().map(Part::without_presence).collect()
}

/// So many seconds.
pub(super) fn secs(secs: u64) -> Ttl {
    Ttl::from_secs(secs)
}
