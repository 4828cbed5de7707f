//! What whoever is at a job says about it.

use serde_json::{Value, json};

use super::{
    acts::{Act, checkpoint, claim, claim_stale, done, heartbeat, progress, question, report, requeue, shown},
    scene::{JOB, Scene, draft, refs},
};
use crate::{
    code::ErrorCode,
    job::{Event, Outcome, Refusal, Report, ReportKind},
    limits,
    time::Timestamp,
};

fn refused(scene: &mut Scene, act: &Act) -> String {
    let refusal = scene.act(JOB, act).unwrap_err();
    assert_eq!(refusal.code(), ErrorCode::InvalidInput);
    refusal.to_string()
}

#[test]
fn each_kind_of_report_is_an_event_of_its_kind_and_renews_the_claim() {
    let told = Scene::running().play(&[
        (10, progress("r1", 1, "Reading").at_percent(10)),
        (20, checkpoint("r1", 1, "Found it").with(&["CARD-1"])),
        (30, report(ReportKind::Error, "r1", 1, "The build broke")),
        (40, question("r1", 1, "Mend the build?")),
        (50, report(ReportKind::ProofGate, "r1", 1, "Nothing shows it")),
    ]);
    insta::assert_snapshot!(told, @r#"
    t10: progress "Reading" -> RUNNING #1 by r1 until t190
    t20: checkpoint "Found it" [CARD-1] -> RUNNING #1 by r1 until t200
    t30: error "The build broke" -> RUNNING #1 by r1 until t210 !
    t40: question "Mend the build?" -> RUNNING #1 by r1 until t220 !
    t50: proof_gate "Nothing shows it" -> RUNNING #1 by r1 until t230 !
    "#);
}

#[test]
fn a_heartbeat_renews_the_claim_and_is_no_event() {
    let mut scene = Scene::running();
    let (events, last) = (scene.log.len(), scene.job().last.clone());
    insta::assert_snapshot!(scene.play(&[(100, heartbeat("r1", 1)), (179, heartbeat("r1", 1))]), @r"
    t100: no event -> RUNNING #1 by r1 until t280
    t179: no event -> RUNNING #1 by r1 until t359
    ");
    assert_eq!((scene.log.len(), &scene.job().last), (events, &last));
    assert_eq!(scene.job().active_at, Timestamp::from_millis(179_000), "it shows that somebody is at it");
}

#[test]
fn a_report_on_a_job_that_nobody_claimed_is_refused() {
    insta::assert_snapshot!(Scene::with_job().play(&[(1, progress("r1", 1, "Hello")), (2, heartbeat("r1", 0))]), @r"
    t1: CONFLICT: The claim (r1, 1) on JOB-001 is over: it is QUEUED, at revision 0.
    t2: CONFLICT: The claim (r1, 0) on JOB-001 is over: it is QUEUED, at revision 0.
    ");
}

#[test]
fn a_long_message_is_cut_with_a_mark_and_what_fits_is_not() {
    let said = |message: &str| {
        let mut scene = Scene::running();
        scene.act(JOB, &progress("r1", 1, message)).unwrap().unwrap().message().to_owned()
    };
    let fits = "ä".repeat(limits::JOB_MESSAGE_CHARS);
    assert_eq!(said(&fits), fits, "characters are counted, not bytes");
    assert_eq!(said(&format!("  {fits}\n")), fits, "what surrounds it does not count");
    let cut = said(&format!("{fits}ä"));
    assert_eq!(cut.chars().count(), limits::JOB_MESSAGE_CHARS, "the mark is within the bound");
    assert_eq!(cut.trim_start_matches('ä'), "… [cut: 401 characters]");
}

#[test]
fn a_message_must_say_something() {
    let mut scene = Scene::running();
    for blank in ["", " \n", "\u{200b}"] {
        insta::allow_duplicates! {
            insta::assert_snapshot!(refused(&mut scene, &progress("r1", 1, blank)), @"message must say something.");
        }
    }
}

#[test]
fn percent_goes_from_nothing_to_all() {
    let mut scene = Scene::running();
    for percent in [0, 50, 100] {
        let event = scene.act(JOB, &progress("r1", 1, "On").at_percent(percent)).unwrap();
        assert!(matches!(event, Some(Event::Progress(reported)) if reported.percent == Some(percent)));
    }
    for percent in [101, 255] {
        insta::allow_duplicates! {
            insta::assert_snapshot!(refused(&mut scene, &progress("r1", 1, "On").at_percent(percent)), @"percent must be from 0 to 100.");
            insta::assert_snapshot!(refused(&mut scene, &heartbeat("r1", 1).at_percent(percent)), @"percent must be from 0 to 100.");
        }
    }
}

#[test]
fn a_report_has_at_most_32_refs_and_so_has_an_end() {
    let mut scene = Scene::running();
    let cards = |count: usize| (1..=count).map(|number| format!("CARD-{number}")).collect::<Vec<_>>();
    let with = |act: Act, count: usize| {
        let cards = cards(count);
        act.with(&cards.iter().map(String::as_str).collect::<Vec<_>>())
    };
    scene.act(JOB, &with(progress("r1", 1, "On"), 32)).unwrap();
    insta::assert_snapshot!(refused(&mut scene, &with(progress("r1", 1, "On"), 33)), @"refs has 33; at most 32.");
    insta::assert_snapshot!(refused(&mut scene, &with(done("r1", 1), 33)), @"refs has 33; at most 32.");
}

#[test]
fn what_a_report_notes_is_merged_and_nothing_that_was_noted_is_lost() {
    let mut scene = Scene::empty();
    let mut asked = draft("Investigate cache");
    asked.meta = json!({ "skill_profile": "strict", "ticket": 7 }).as_object().unwrap().clone();
    scene.create(&asked);
    scene.act(JOB, &claim("r1")).unwrap();
    scene.act(JOB, &progress("r1", 1, "On").noting(json!({ "branch": "fix", "ticket": 8 }))).unwrap();
    scene.act(JOB, &progress("r1", 1, "On")).unwrap();
    scene.act(JOB, &done("r1", 1).noting(json!({ "commit": "abc" }))).unwrap();
    let noted = json!({ "skill_profile": "strict", "ticket": 8, "branch": "fix", "commit": "abc" });
    assert_eq!(Value::Object(scene.job().meta.clone()), noted);
    scene.act(JOB, &requeue("Once more")).unwrap();
    assert_eq!(Value::Object(scene.job().meta.clone()), noted, "and a requeue keeps it");
}

#[test]
fn no_report_changes_what_the_job_asks() {
    let mut scene = Scene::running();
    for key in [
        "executor",
        "executor_profile",
        "executor_model",
        "policy",
        "expected_artifacts",
        "isolation",
        "skill_profile",
        "skill_max_chars",
    ] {
        let noting = json!({ "fine": 1, key: "strict" });
        for act in [progress("r1", 1, "On"), heartbeat("r1", 1), done("r1", 1)] {
            let message = refused(&mut scene, &act.noting(noting.clone()));
            assert_eq!(
                message,
                format!("meta cannot set {key}: who does a job, and how, is said once, when it is created.")
            );
        }
    }
    assert!(scene.job().meta.is_empty());
}

#[test]
fn what_is_noted_has_a_bound_in_all() {
    let mut scene = Scene::running();
    let noting = |key: &str| json!({ key: "x".repeat(5000) });
    scene.act(JOB, &progress("r1", 1, "On").noting(noting("one"))).unwrap();
    insta::assert_snapshot!(refused(&mut scene, &progress("r1", 1, "On").noting(noting("two"))), @"meta would have 10019 bytes as JSON; at most 8192 are kept.");
    scene.act(JOB, &progress("r1", 1, "On").noting(noting("one"))).unwrap();
}

#[test]
fn the_claim_is_looked_at_before_what_is_said() {
    let mut scene = Scene::running();
    scene.at(180).act(JOB, &claim_stale("r2")).unwrap();
    let refusal = scene.act(JOB, &progress("r1", 1, "").at_percent(200)).unwrap_err();
    assert!(matches!(refusal, Refusal::ClaimOver { .. }), "a zombie has to stop, not to correct itself: {refusal}");
}

#[test]
fn words_of_reports_and_outcomes_are_the_contracts() {
    let kinds: Vec<_> = ReportKind::ALL.iter().map(|kind| kind.as_str()).collect();
    assert_eq!(kinds, ["progress", "checkpoint", "question", "proof_gate", "error", "heartbeat"]);
    let outcomes: Vec<_> = Outcome::ALL.iter().map(|outcome| outcome.as_str()).collect();
    assert_eq!(outcomes, ["DONE", "FAILED"]);
    let unknown = serde_json::from_value::<ReportKind>(json!("shrug")).unwrap_err();
    insta::assert_snapshot!(unknown, @"unknown variant `shrug`, expected one of `progress`, `checkpoint`, `question`, `proof_gate`, `error`, `heartbeat`");
}

#[test]
fn deciding_on_a_report_changes_nothing() {
    let scene = Scene::running();
    let before = scene.job().clone();
    let report = Report {
        kind: ReportKind::Question,
        message: "Which one?".to_owned(),
        percent: Some(1),
        refs: refs(&["CARD-1"]),
        proof: Vec::new(),
        meta: json!({ "a": 1 }).as_object().unwrap().clone(),
    };
    let shown = shown("r1", 1);
    assert_eq!(before.report(&shown, &report), before.report(&shown, &report));
    assert_eq!(scene.job(), &before);
}
