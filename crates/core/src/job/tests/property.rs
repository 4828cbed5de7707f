//! Random acts of runners and managers on a moving clock, against a model that is too simple to be wrong.
//!
//! The model says who must be refused and how the job stands. What must hold whatever they do is read off the log
//! besides, and the scene folds that log after each act.

use proptest::{collection::vec, prelude::*, sample::select};

use super::{
    acts::{Act, cancel, claim, claim_by_force, claim_stale, complete, report, requeue, say},
    scene::{JOB, Scene, agent},
};
use crate::{
    code::ErrorCode,
    event,
    ids::Seq,
    job::{Claiming, Event, Force, Outcome, ReportKind, Status},
    limits,
};

const RUNNERS: [&str; 3] = ["r1", "r2", "r3"];

#[derive(Clone, Debug)]
enum Step {
    Claim {
        runner: usize,
        stale: bool,
        force: Force,
    },
    /// `back` is how far behind the newest revision the shown one is.
    Report {
        runner: usize,
        back: u64,
        kind: ReportKind,
        evidence: bool,
    },
    Complete {
        runner: usize,
        back: u64,
        outcome: Outcome,
    },
    Say {
        evidence: bool,
    },
    Cancel,
    Requeue,
    Later(i64),
}

fn step() -> impl Strategy<Value = Step> {
    let runner = 0..RUNNERS.len();
    // Mostly the claim in force, so that something happens.
    let back = || prop_oneof![4 => Just(0_u64), 1 => 1..4_u64];
    let force = prop_oneof![5 => Just(Force::No), 1 => Just(Force::Manual), 1 => Just(Force::Conflict)];
    prop_oneof![
        6 => (runner.clone(), any::<bool>(), force).prop_map(|(runner, stale, force)| Step::Claim { runner, stale, force }),
        12 => (runner.clone(), back(), select(ReportKind::ALL), any::<bool>())
            .prop_map(|(runner, back, kind, evidence)| Step::Report { runner, back, kind, evidence }),
        2 => (runner, back(), select(Outcome::ALL)).prop_map(|(runner, back, outcome)| Step::Complete { runner, back, outcome }),
        3 => any::<bool>().prop_map(|evidence| Step::Say { evidence }),
        1 => Just(Step::Cancel),
        2 => Just(Step::Requeue),
        6 => select(vec![1_i64, 60, 179, 180, 300]).prop_map(Step::Later),
    ]
}

/// The job, as anybody would say it. Times are in seconds.
#[derive(Default)]
struct Model {
    now: i64,
    status: Option<Status>,
    revision: u64,
    held: Option<(usize, i64)>,
    losses: u32,
    has_error: bool,
    proof_missing: bool,
}

const TTL: i64 = 180;

impl Model {
    fn status(&self) -> Status {
        self.status.unwrap_or(Status::Queued)
    }

    fn over(&mut self, status: Status) {
        (self.status, self.held) = (Some(status), None);
    }

    fn claim(&mut self, runner: usize, stale: bool, force: Force) -> Option<ErrorCode> {
        match (self.status(), self.held) {
            (Status::Queued, _) => self.losses = 0,
            (Status::Running, Some((_, until))) if stale && until <= self.now => {
                if self.losses == limits::JOB_LOSSES {
                    self.over(Status::Failed);
                    return None;
                }
                self.losses += 1;
            }
            (Status::Running, _) if force != Force::No => {}
            (Status::Running, _) => return Some(ErrorCode::Conflict),
            (Status::Done | Status::Failed | Status::Canceled, _) => return Some(ErrorCode::PreconditionFailed),
        }
        self.revision += 1;
        (self.status, self.held) = (Some(Status::Running), Some((runner, self.now + TTL)));
        None
    }

    fn holds(&self, runner: usize, revision: u64) -> bool {
        self.status() == Status::Running
            && self.revision == revision
            && self.held.is_some_and(|(held, _)| held == runner)
    }

    fn report(&mut self, runner: usize, revision: u64, kind: ReportKind, evidence: bool) -> Option<ErrorCode> {
        if !self.holds(runner, revision) {
            return Some(ErrorCode::Conflict);
        }
        self.held = Some((runner, self.now + TTL));
        match kind {
            ReportKind::Checkpoint => {
                (self.losses, self.has_error) = (0, false);
                self.proof_missing &= !evidence;
            }
            ReportKind::ProofGate => self.proof_missing = true,
            ReportKind::Error => self.has_error = true,
            ReportKind::Progress | ReportKind::Question | ReportKind::Heartbeat => {}
        }
        None
    }

    fn complete(&mut self, runner: usize, revision: u64, outcome: Outcome) -> Option<ErrorCode> {
        if !self.holds(runner, revision) {
            return Some(ErrorCode::Conflict);
        }
        self.over(if outcome == Outcome::Done { Status::Done } else { Status::Failed });
        None
    }

    fn say(&mut self, evidence: bool) -> Option<ErrorCode> {
        if !self.status().is_active() {
            return Some(ErrorCode::PreconditionFailed);
        }
        self.has_error = false;
        self.proof_missing &= !evidence;
        None
    }

    fn cancel(&mut self) -> Option<ErrorCode> {
        if matches!(self.status(), Status::Done | Status::Failed) {
            return Some(ErrorCode::PreconditionFailed);
        }
        self.over(Status::Canceled);
        None
    }

    fn requeue(&mut self) -> Option<ErrorCode> {
        if self.status() != Status::Queued {
            self.over(Status::Queued);
            (self.losses, self.has_error, self.proof_missing) = (0, false, false);
        }
        None
    }
}

/// Plays a step on the model, and gives the act and the refusal that it expects.
fn model_step(model: &mut Model, step: &Step) -> Option<(Act, Option<ErrorCode>)> {
    let evidence = |act: Act, evidence: bool| if evidence { act.with(&["CARD-1"]) } else { act.with(&["JOB-001@1"]) };
    Some(match *step {
        Step::Claim { runner, stale, force } => {
            let act = match claim_by_force(RUNNERS[runner], force) {
                Act::Claim(claiming) => Act::Claim(Claiming { allow_stale: stale, ..claiming }),
                act => act,
            };
            (act, model.claim(runner, stale, force))
        }
        Step::Report { runner, back, kind, evidence: proves } => {
            let revision = model.revision.saturating_sub(back);
            let act = evidence(report(kind, RUNNERS[runner], revision, "On"), proves);
            (act, model.report(runner, revision, kind, proves))
        }
        Step::Complete { runner, back, outcome } => {
            let revision = model.revision.saturating_sub(back);
            (complete(outcome, RUNNERS[runner], revision, "Over"), model.complete(runner, revision, outcome))
        }
        Step::Say { evidence: proves } => (evidence(say("Go on"), proves), model.say(proves)),
        Step::Cancel => (cancel("Not wanted"), model.cancel()),
        Step::Requeue => (requeue("Once more"), model.requeue()),
        Step::Later(secs) => {
            model.now += secs;
            return None;
        }
    })
}

fn events(scene: &Scene) -> impl Iterator<Item = (Seq, &Event)> {
    scene.log.iter().filter_map(|recorded| match &recorded.event {
        event::Event::Job(event) => Some((recorded.seq, event)),
        _ => None,
    })
}

/// Whether somebody is asked, by its definition: looked up in the whole log.
fn asked(scene: &Scene) -> bool {
    let last = |is: fn(&Event) -> bool| events(scene).filter(|(_, event)| is(event)).map(|(seq, _)| seq.0).max();
    let question = last(|event| matches!(event, Event::Question(_))).unwrap_or(0);
    let manager = last(|event| matches!(event, Event::Manager(_))).unwrap_or(0);
    question > manager && scene.job().status.is_active()
}

/// Revisions only grow, whoever writes does so under the newest, and no revision ends twice.
fn the_log_is_sound(scene: &Scene) {
    let (mut newest, mut is_open) = (0, false);
    for (seq, event) in events(scene) {
        match event {
            Event::Claimed(claimed) => {
                assert_eq!((claimed.revision.0, is_open), (newest + 1, false), "{seq}");
                (newest, is_open) = (newest + 1, true);
            }
            Event::Reclaimed(reclaimed) => {
                assert_eq!((reclaimed.revision.0, is_open), (newest + 1, true), "{seq}");
                newest += 1;
            }
            Event::Progress(reported)
            | Event::Checkpoint(reported)
            | Event::Question(reported)
            | Event::ProofGate(reported)
            | Event::Error(reported) => assert_eq!((reported.revision.0, is_open), (newest, true), "{seq}"),
            Event::Completed(ended) | Event::Failed(ended) => {
                assert_eq!((ended.revision.0, is_open), (newest, true), "{seq}");
                is_open = false;
            }
            Event::Canceled(_) | Event::Requeued(_) => is_open = false,
            Event::Created(_) | Event::Manager(_) | Event::Applied(_) | Event::Branched(_) => {}
        }
    }
    assert_eq!((scene.job().revision.0, scene.job().claim.is_some()), (newest, is_open));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_runners_and_managers_do_the_job_stands_as_the_rules_say(steps in vec(step(), 1..80)) {
        let mut scene = Scene::with_job();
        let mut model = Model::default();
        for step in &steps {
            let Some((act, expected)) = model_step(&mut model, step) else { continue };
            let decided = scene.at(model.now).act(JOB, &act);
            prop_assert_eq!(decided.err().map(|refusal| refusal.code()), expected, "{:?}", step);
            let job = scene.job();
            let held = job.claim.as_ref().map(|claim| (claim.lease.holder.clone(), claim.lease.expires_at.as_millis()));
            let model_held = model.held.map(|(runner, until)| (agent(RUNNERS[runner]), until * 1000));
            prop_assert_eq!((job.status, job.revision.0, held), (model.status(), model.revision, model_held), "{:?}", step);
            let active = job.status.is_active();
            prop_assert_eq!(job.has_error(), model.has_error && active, "{:?}", step);
            prop_assert_eq!(job.needs_proof(), model.proof_missing && active, "{:?}", step);
            prop_assert_eq!(job.needs_manager(), asked(&scene), "{:?}", step);
            the_log_is_sound(&scene);
        }
    }

    #[test]
    fn however_a_job_is_lost_it_is_over_after_nine_times(runners in vec(0..RUNNERS.len(), 9)) {
        let mut scene = Scene::with_job();
        scene.act(JOB, &claim(RUNNERS[runners[0]])).unwrap();
        for (lost, runner) in runners.iter().enumerate() {
            prop_assert_eq!(scene.job().status, Status::Running, "lost {} times", lost);
            scene.now = scene.now.plus(limits::CLAIM_TTL);
            scene.act(JOB, &claim_stale(RUNNERS[*runner])).unwrap();
        }
        prop_assert_eq!(scene.job().status, Status::Failed);
    }
}
