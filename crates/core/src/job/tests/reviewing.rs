//! What becomes of a job's result: it is used, or the job is sent back.

use super::{
    acts::{Act, claim, complete, requeue, say, shown},
    scene::{JOB, Scene, agent, refs},
};
use crate::{
    job::{Event, GOES_ON_FROM, Kind, Outcome, Patch, Refusal, Review, Status},
    process::SessionKind,
};

const PATCH: &str = "artifact://diff/3";

fn fast() -> Act {
    complete(Outcome::Done, "r1", 1, "It is fast.").with(&["CARD-1"])
}

fn review(message: &str) -> Review {
    let patch = Some(PATCH.parse().unwrap());
    Review { message: message.to_owned(), refs: Vec::new(), sender_kind: Some(SessionKind::Human), patch }
}

impl Scene {
    fn send_back(&mut self, message: &str) -> Result<Vec<Kind>, Refusal> {
        let events = self.job().send_back(&review(message))?;
        let kinds = events.iter().map(Event::sort).collect();
        events.into_iter().for_each(|event| self.record(agent("boss"), event));
        assert_eq!(self.folded(), self.jobs);
        Ok(kinds)
    }
}

#[test]
fn a_job_that_is_over_is_queued_again_with_the_review_and_its_result_stays_in_view() {
    let mut scene = Scene::running();
    scene.act(JOB, &fast()).unwrap();
    assert_eq!(scene.send_back("The test is missing.").unwrap(), [Kind::Requeued, Kind::Manager]);
    let job = scene.job();
    assert_eq!(
        (job.status, job.summary.as_deref(), &job.refs),
        (Status::Queued, Some("It is fast."), &refs(&["CARD-1"]))
    );
    assert_eq!(job.meta[GOES_ON_FROM], PATCH);
    assert_eq!((job.last.kind, job.last.preview.as_str()), (Kind::Manager, "The test is missing."));
}

#[test]
fn a_job_that_is_done_anew_begins_with_nothing() {
    let mut scene = Scene::running();
    scene.act(JOB, &fast()).unwrap();
    scene.send_back("The test is missing.").unwrap();
    scene.act(JOB, &claim("r1")).unwrap();
    // Its runner gives it back: nobody decided that it begins anew.
    let shown = shown("r1", 2);
    let given = scene.job().give_back(&shown, "it leaves").unwrap().unwrap();
    scene.record(agent("r1"), given);
    assert_eq!((scene.job().summary.is_some(), scene.job().meta.contains_key(GOES_ON_FROM)), (true, true));
    scene.act(JOB, &claim("r1")).unwrap();
    scene.act(JOB, &requeue("from the beginning")).unwrap();
    assert_eq!((&scene.job().summary, scene.job().meta.contains_key(GOES_ON_FROM)), (&None, false));
}

#[test]
fn a_job_that_waits_or_runs_hears_the_review_and_one_that_was_withdrawn_does_not() {
    let mut scene = Scene::with_job();
    assert_eq!(scene.send_back("Mind the cache.").unwrap(), [Kind::Manager]);
    let mut scene = Scene::running();
    assert_eq!(scene.send_back("Mind the cache.").unwrap(), [Kind::Manager]);
    assert_eq!(scene.standing(), "RUNNING #1 by r1 until t180");
    let pending = "JOB-001@3".parse().unwrap();
    let refused = scene.job().require_reviewed(Some(&pending)).unwrap_err();
    assert_eq!(refused.to_string(), "JOB-001 is not done: JOB-001@3 sent it back, and no slice was told that.");
    assert!(scene.job().require_reviewed(None).is_ok());
    let canceled = scene.job().cancel("not wanted").unwrap().unwrap();
    scene.record(agent("boss"), canceled);
    let refused = scene.send_back("Once more.").unwrap_err();
    assert_eq!(refused.to_string(), "JOB-001 is CANCELED, and a review does not bring it back.");
    assert!(refused.next().unwrap().contains("`jobs requeue`"));
    assert!(scene.send_back(" ").is_err(), "a review says something");
}

#[test]
fn a_message_is_no_review_and_using_a_result_leaves_the_job_as_it_is() {
    let mut scene = Scene::running();
    let told = scene.act(JOB, &say("Go on.")).unwrap();
    assert!(matches!(told, Some(Event::Manager(said)) if !said.sends_back));
    scene.act(JOB, &fast()).unwrap();
    let before = scene.job().clone();
    let patch = Patch { patch: PATCH.parse().unwrap(), base: "b".repeat(40) };
    let events =
        [scene.job().applied(&patch, &"a".repeat(40), 1), scene.job().branched(&patch, "baton/JOB-001", "c0ffee")];
    for (event, said) in events.into_iter().zip([
        "artifact://diff/3 was applied to the workspace at aaaaaaaaaaaa: 1 file.",
        "The branch baton/JOB-001 has artifact://diff/3, as c0ffee.",
    ]) {
        assert_eq!((event.message(), event.refs()), (said, &refs(&[PATCH])[..]));
        scene.record(agent("boss"), event);
    }
    let job = scene.job();
    assert_eq!((job.status, &job.summary, &job.meta), (before.status, &before.summary, &before.meta));
    assert_eq!(scene.folded(), scene.jobs);
}
