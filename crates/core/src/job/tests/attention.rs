//! Who has to look at a job, and what makes it so.

use super::{
    acts::{
        Act, cancel, checkpoint, claim, claim_stale, done, error, failed, heartbeat, progress, proof_gate, question,
        requeue, say,
    },
    scene::{JOB, Scene, draft},
};
use crate::job::{JobId, Marker};

#[test]
fn a_question_asks_for_a_manager_until_one_speaks() {
    let told = Scene::running().play(&[
        (1, question("r1", 1, "Which one?")),
        (2, progress("r1", 1, "Meanwhile, reading")),
        (3, heartbeat("r1", 1)),
        (4, checkpoint("r1", 1, "Half of it").with(&["CARD-1"])),
        (5, say("The first")),
        (6, progress("r1", 1, "Doing that")),
        (7, question("r1", 1, "And now?")),
    ]);
    insta::assert_snapshot!(told, @r#"
    t1: question "Which one?" -> RUNNING #1 by r1 until t181 ?
    t2: progress "Meanwhile, reading" -> RUNNING #1 by r1 until t182 ?
    t3: no event -> RUNNING #1 by r1 until t183 ?
    t4: checkpoint "Half of it" [CARD-1] -> RUNNING #1 by r1 until t184 ?
    t5: manager "The first" -> RUNNING #1 by r1 until t184
    t6: progress "Doing that" -> RUNNING #1 by r1 until t186
    t7: question "And now?" -> RUNNING #1 by r1 until t187 ?
    "#);
}

#[test]
fn a_manager_who_spoke_before_has_not_answered() {
    let told = Scene::running().play(&[(1, say("Be quick")), (2, question("r1", 1, "How quick?")), (3, say("Very"))]);
    insta::assert_snapshot!(told, @r#"
    t1: manager "Be quick" -> RUNNING #1 by r1 until t180
    t2: question "How quick?" -> RUNNING #1 by r1 until t182 ?
    t3: manager "Very" -> RUNNING #1 by r1 until t182
    "#);
}

#[test]
fn a_question_outlives_its_runner_and_the_queue() {
    let told = Scene::running().play(&[
        (1, question("r1", 1, "Which one?")),
        (200, claim_stale("r2")),
        (201, requeue("Nobody answered")),
        (202, claim("r3")),
        (203, say("The first")),
    ]);
    insta::assert_snapshot!(told, @r#"
    t1: question "Which one?" -> RUNNING #1 by r1 until t181 ?
    t200: reclaimed by r2 from r1, ttl_expired -> RUNNING #2 by r2 until t380 ?
    t201: requeued "Nobody answered" -> QUEUED #2 ?
    t202: claimed by r3 -> RUNNING #3 by r3 until t382 ?
    t203: manager "The first" -> RUNNING #3 by r3 until t382
    "#);
}

#[test]
fn a_question_is_exactly_one_that_was_asked_after_the_manager_of_an_active_job_last_spoke() {
    let mut scene = Scene::running();
    scene.act(JOB, &question("r1", 1, "Which one?")).unwrap();
    let asked = scene.job().last_question;
    assert_eq!((asked, scene.job().last_ref().to_string()), (scene.log.last().unwrap().seq, "JOB-001@3".to_owned()));
    let acts = [
        (say("The first"), false),
        (question("r1", 1, "Sure?"), true),
        (done("r1", 1), false),
        (requeue("Once more"), true),
        (cancel("Enough"), false),
    ];
    for (act, is_asked) in acts {
        scene.act(JOB, &act).unwrap();
        assert_eq!(scene.job().needs_manager(), is_asked, "{act:?}");
    }
    assert!(scene.job().last_question > scene.job().last_manager, "so that its end is what made it quiet");
}

#[test]
fn no_amount_of_later_traffic_hides_a_question() {
    let mut scene = Scene::running();
    scene.act(JOB, &question("r1", 1, "Which one?")).unwrap();
    for _ in 0..20 {
        scene.act(JOB, &progress("r1", 1, "On")).unwrap();
    }
    let other = scene.create(&draft("Other"));
    scene.act(other, &claim("r2")).unwrap();
    for _ in 0..250 {
        scene.act(other, &heartbeat("r2", 1)).unwrap();
    }
    assert_eq!(scene.marker(), Some(Marker::Question));
}

#[test]
fn an_error_stays_until_a_manager_speaks_or_something_is_reached() {
    let told = Scene::running().play(&[
        (1, error("r1", 1, "The build broke")),
        (2, progress("r1", 1, "Trying again")),
        (3, say("Leave the build alone")),
        (4, error("r1", 1, "The tests broke")),
        (5, checkpoint("r1", 1, "The tests pass")),
        (6, error("r1", 1, "The disk is full")),
        (200, claim_stale("r2")),
        (201, requeue("The disk was mended")),
    ]);
    insta::assert_snapshot!(told, @r#"
    t1: error "The build broke" -> RUNNING #1 by r1 until t181 !
    t2: progress "Trying again" -> RUNNING #1 by r1 until t182 !
    t3: manager "Leave the build alone" -> RUNNING #1 by r1 until t182
    t4: error "The tests broke" -> RUNNING #1 by r1 until t184 !
    t5: checkpoint "The tests pass" -> RUNNING #1 by r1 until t185
    t6: error "The disk is full" -> RUNNING #1 by r1 until t186 !
    t200: reclaimed by r2 from r1, ttl_expired -> RUNNING #2 by r2 until t380 !
    t201: requeued "The disk was mended" -> QUEUED #2
    "#);
}

#[test]
fn a_claim_that_ran_out_is_stale_from_its_last_millisecond() {
    let mut scene = Scene::running();
    assert_eq!(scene.at_ms(179_999).marker(), None);
    assert_eq!(scene.at_ms(180_000).marker(), Some(Marker::Stale));
    scene.act(JOB, &heartbeat("r1", 1)).unwrap();
    assert_eq!(scene.marker(), None);
    assert_eq!(Scene::with_job().at(9999).marker(), None, "what waits is not stale");
}

#[test]
fn what_is_most_pressing_is_marked_error_question_proof_stale() {
    let mut scene = Scene::running();
    let mut marked = Vec::new();
    for act in [proof_gate("r1", 1), question("r1", 1, "Which one?"), error("r1", 1, "It broke")] {
        scene.act(JOB, &act).unwrap();
        marked.extend(scene.at(9999).marker().map(|marker| (marker, marker.sign())));
    }
    assert_eq!(marked, [(Marker::Proof, '!'), (Marker::Question, '?'), (Marker::Error, '!')]);
    let mut sorted = [Marker::Stale, Marker::Proof, Marker::Error, Marker::Question];
    sorted.sort_by_key(|marker| marker.rank());
    assert_eq!(sorted, [Marker::Error, Marker::Question, Marker::Proof, Marker::Stale]);
    assert!(sorted.is_sorted(), "the order of the type is that of the ranks");
}

#[test]
fn what_is_over_wants_nothing() {
    for end in [done("r1", 1), failed("r1", 1), cancel("Not wanted")] {
        let mut scene = Scene::running();
        for act in [error("r1", 1, "It broke"), question("r1", 1, "Which one?"), proof_gate("r1", 1), end] {
            scene.act(JOB, &act).unwrap();
        }
        assert_eq!(scene.at(9999).marker(), None);
        assert!(!scene.job().has_error() && !scene.job().needs_proof() && !scene.job().needs_manager());
    }
}

#[test]
fn a_requeue_keeps_the_question_and_forgets_errors_and_missing_proof() {
    let mut scene = Scene::running();
    for act in [error("r1", 1, "It broke"), question("r1", 1, "Which one?"), proof_gate("r1", 1), failed("r1", 1)] {
        scene.act(JOB, &act).unwrap();
    }
    scene.act(JOB, &requeue("Once more")).unwrap();
    let job = scene.job();
    assert_eq!((job.has_error(), job.needs_proof(), job.needs_manager()), (false, false, true));
}

#[test]
fn rows_stand_by_marker_then_running_before_queued_then_the_newest() {
    let mut scene = Scene::empty();
    let titles = ["queued old", "queued new", "stale", "proof", "question", "error", "running old", "running new"];
    let ids: Vec<JobId> = titles.iter().map(|title| scene.create(&draft(title))).collect();
    // The queued and the running are touched again, so that it is the last event that counts.
    scene.act(ids[2], &claim("r1")).unwrap();
    scene.at(500);
    let acts: [(usize, &[Act]); 7] = [
        (3, &[claim("r1"), proof_gate("r1", 1)]),
        (4, &[claim("r1"), question("r1", 1, "Which one?")]),
        (5, &[claim("r1"), error("r1", 1, "It broke")]),
        (7, &[claim("r1")]),
        (6, &[claim("r1")]),
        (7, &[progress("r1", 1, "On")]),
        (1, &[say("Soon")]),
    ];
    for (place, acts) in acts {
        acts.iter().for_each(|act| drop(scene.act(ids[place], act).unwrap()));
    }
    let mut jobs = scene.jobs.to_vec();
    jobs.reverse();
    jobs.sort_by_key(|job| job.radar_order(scene.now));
    let order: Vec<_> = jobs.iter().map(|job| job.title.as_str()).collect();
    let expected = ["error", "question", "proof", "stale", "running new", "running old", "queued new", "queued old"];
    assert_eq!(order, expected);
}
