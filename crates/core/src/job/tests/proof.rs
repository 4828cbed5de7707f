//! What shows that a job was done, and what is found in what somebody wrote.

use super::{
    acts::{Act, checkpoint, claim_stale, done, error, progress, proof_gate, question, requeue, say},
    scene::{JOB, Scene},
};
use crate::{
    job::{Job, salvage},
    limits,
};

fn found(text: &str) -> Vec<String> {
    salvage(text).iter().map(ToString::to_string).collect()
}

#[test]
fn receipts_and_ids_are_salvaged_in_the_order_in_which_they_stand() {
    let summary = "Done: the index was missing (see CARD-2, notes@9).\n\
        - CMD: cargo test -p core\n\
        * LINK: https://example.org/run/7\n\
        1. `CMD: cargo clippy`\n\
        > $ git show HEAD\n\
        `cargo bench --bench radar`\n\
        TASK-7; PLAN-1 and JOB-002@17 follow **CARD-3** under a:core.";
    insta::assert_snapshot!(found(summary).join("\n"), @r"
    CARD-2
    notes@9
    CMD: cargo test -p core
    LINK: https://example.org/run/7
    CMD: cargo clippy
    CMD: git show HEAD
    CMD: cargo bench --bench radar
    TASK-007
    PLAN-1
    JOB-002@17
    CARD-3
    a:core
    ");
    assert_eq!(found(summary), found(summary), "and always the same");
}

#[test]
fn every_kind_of_stable_id_is_found_within_a_sentence() {
    for (text, id) in [
        ("It is in CARD-12.", "CARD-12"),
        ("(TASK-001)", "TASK-001"),
        ("PLAN-3: done", "PLAN-3"),
        ("after JOB-002, which", "JOB-002"),
        ("[JOB-002@17]", "JOB-002@17"),
        ("wrote \"notes@4\"", "notes@4"),
        ("notes_doc@4!", "notes@4"),
        ("under a:http/api;", "a:http/api"),
        ("the diff artifact://diff/3 has it", "artifact://diff/3"),
        ("**CARD-1**", "CARD-1"),
        ("| CARD-1|", "CARD-1"),
        ("refs=CARD-1", "CARD-1"),
    ] {
        assert_eq!(found(text), [id], "{text}");
    }
}

#[test]
fn what_only_looks_like_an_id_is_not_salvaged() {
    for text in [
        "The task-force met.",
        "TASK-force",
        "task-7 of the day",
        "JOB-0",
        "JOB-",
        "notes@",
        "CARD-1x",
        "PRE-CARD-1",
        "CMD:",
        "CMD: <command>",
        "CMD: none",
        "LINK: example.org",
        "LINK: see above",
        "everything is done",
    ] {
        assert_eq!(found(text), [""; 0], "{text}");
    }
}

#[test]
fn a_line_that_is_plainly_a_command_is_a_receipt() {
    for line in [
        "cargo test -p baton-core",
        "npm test",
        "pytest -q tests/radar.py",
        "python3 tools/check.py --all",
        "go vet ./...",
        "make check",
        "git commit -m 'of the day: it is done'",
        "docker compose up",
        "./run.sh --fast",
    ] {
        let typed = format!("$ {line}");
        assert_eq!(found(&typed), [format!("CMD: {line}")], "{typed}");
        if !line.starts_with('.') {
            assert_eq!(found(line), [format!("CMD: {line}")], "{line}");
        }
    }
}

#[test]
fn a_sentence_that_begins_like_a_command_is_none_and_keeps_its_ids() {
    for text in [
        "make sure CARD-1 is read",
        "go ahead with CARD-1",
        "git is where CARD-1 came from",
        "cargo test passes, see CARD-1",
        "cargo test of CARD-1.",
        "node works as CARD-1 says",
        "sh CARD-1",
    ] {
        assert_eq!(found(text), ["CARD-1"], "{text}");
    }
    assert_eq!(found("$ 5 were spent"), [""; 0]);
}

#[test]
fn what_is_salvaged_is_bounded_and_each_stands_once() {
    let many: String = (1..=40).map(|number| format!("CARD-{number} CARD-{number}\n")).collect();
    let all = found(&many);
    assert_eq!(all.len(), limits::REFERENCES);
    assert_eq!((all[0].as_str(), all[31].as_str()), ("CARD-1", "CARD-32"), "the first ones");
    let long = format!("CMD: {} CARD-1", "x".repeat(limits::REFERENCE_BYTES));
    assert_eq!(found(&long), ["CARD-1"], "a receipt that is too long to keep is none, and hides nothing");
}

/// A job that waits for a proof, and then this.
fn after_gate(acts: &[Act]) -> Job {
    let mut scene = Scene::running();
    scene.act(JOB, &proof_gate("r1", 1)).unwrap();
    assert!(scene.job().needs_proof());
    acts.iter().for_each(|act| drop(scene.act(JOB, act).unwrap()));
    scene.job().clone()
}

const EVIDENCE: [&str; 7] = ["CARD-1", "TASK-001", "PLAN-1", "notes@4", "JOB-002", "JOB-002@9", "artifact://diff/1"];
const NO_EVIDENCE: [&str; 7] = [
    "JOB-001",
    "JOB-001@2",
    "a:core",
    "runner:r1",
    "artifact://contextpack/1",
    "CMD: cargo test",
    "LINK: https://example.org",
];

#[test]
fn a_proof_gate_marks_the_job_and_is_no_question() {
    let job = after_gate(&[]);
    assert!(job.needs_proof() && !job.needs_manager() && !job.has_error());
}

#[test]
fn a_checkpoint_or_a_managers_message_with_evidence_satisfies_the_gate() {
    for evidence in EVIDENCE {
        assert!(!after_gate(&[checkpoint("r1", 1, "Here").with(&[evidence])]).needs_proof(), "{evidence}");
        assert!(!after_gate(&[say("I saw it").with(&[evidence])]).needs_proof(), "{evidence}");
        let among = ["a:core", "CMD: cargo test", evidence];
        assert!(!after_gate(&[checkpoint("r1", 1, "Here").with(&among)]).needs_proof(), "{evidence}");
    }
}

#[test]
fn what_proves_nothing_does_not_satisfy_the_gate() {
    for reference in NO_EVIDENCE {
        assert!(after_gate(&[checkpoint("r1", 1, "Here").with(&[reference])]).needs_proof(), "{reference}");
        assert!(after_gate(&[say("I saw it").with(&[reference])]).needs_proof(), "{reference}");
    }
    assert!(after_gate(&[checkpoint("r1", 1, "Started another slice")]).needs_proof());
    assert!(after_gate(&[say("Is it there?")]).needs_proof());
}

#[test]
fn evidence_that_comes_with_anything_else_does_not_satisfy_the_gate() {
    for act in
        [question("r1", 1, "Is this enough?"), progress("r1", 1, "On"), proof_gate("r1", 1), error("r1", 1, "It broke")]
    {
        let act = act.with(&["CARD-1"]);
        assert!(after_gate(std::slice::from_ref(&act)).needs_proof(), "{act:?}");
        let event = Scene::running().act(JOB, &act).unwrap().unwrap();
        assert!(!event.payload().unwrap().contains("proves"), "nor does the log say so: {event:?}");
    }
}

#[test]
fn evidence_from_before_the_gate_is_not_counted() {
    let mut scene = Scene::running();
    scene.act(JOB, &checkpoint("r1", 1, "Here").with(&["CARD-1"])).unwrap();
    scene.act(JOB, &say("Good").with(&["CARD-1"])).unwrap();
    scene.act(JOB, &proof_gate("r1", 1)).unwrap();
    assert!(scene.job().needs_proof());
}

#[test]
fn a_missing_proof_outlives_a_runner_and_ends_with_the_job_or_a_new_start() {
    let mut scene = Scene::running();
    scene.act(JOB, &proof_gate("r1", 1)).unwrap();
    scene.at(200).act(JOB, &claim_stale("r2")).unwrap();
    assert!(scene.job().needs_proof());
    scene.act(JOB, &done("r2", 2)).unwrap();
    assert!(!scene.job().needs_proof());
    scene.act(JOB, &requeue("Once more")).unwrap();
    assert!(!scene.job().needs_proof());
}
