//! What counts as proof of a job, reference by reference, and what is said of the rest.

use super::{
    acts::claim,
    scene::{JOB, Scene, agent, draft, refs},
};
use crate::{
    ids::Seq,
    job::{
        Beginning, CommandRun, Commands, Draft, Evidence, Fact, Job, JobId, PROOF_KINDS, Shell, Standing, Status,
        Verdict, demand, receipts, rule,
    },
    reference::Reference,
    task::TaskId,
    time::Timestamp,
};

const AGENT: &str = "job:JOB-001@test";
const BEGAN: Beginning = Beginning { seq: Seq(10), at: Timestamp::from_millis(10_000) };

/// A job for TASK-001 and a:core that `r1` has claimed.
fn job() -> Job {
    let mut scene = Scene::empty();
    scene.create(&Draft {
        task: Some(TaskId(1)),
        anchor: Some("a:core".parse().unwrap()),
        ..draft("Investigate cache")
    });
    scene.act(JOB, &claim("r1")).unwrap();
    scene.job().clone()
}

fn written(by: &str, seq: u64) -> Fact {
    Fact::Written { by: agent(by), seq: Seq(seq) }
}

fn kept(by: &str, of: &str, seq: u64) -> Fact {
    Fact::Kept { by: agent(by), of: Some(agent(of)), seq: Seq(seq) }
}

fn task(by: &str, at: i64, closed_here: bool) -> Fact {
    Fact::Task { by: agent(by), at: Timestamp::from_millis(at), closed_here }
}

fn other_job(by: &str, status: Status, seq: u64) -> Fact {
    Fact::Job { by: agent(by), status, seq: Seq(seq) }
}

fn visible(lines: &[(&str, bool)]) -> Commands {
    let run = |(line, succeeded): &(&str, bool)| CommandRun { line: (*line).to_owned(), succeeded: *succeeded };
    Commands::Visible(lines.iter().map(run).collect())
}

fn evidence(named: &[(&str, Fact)], commands: Commands) -> Evidence {
    let facts = named.iter().map(|(text, fact)| (text.parse().unwrap(), fact.clone())).collect();
    Evidence { agent: agent(AGENT), began: Some(BEGAN), facts, manager: Vec::new(), commands }
}

fn weigh(named: &[(&str, Fact)]) -> Verdict {
    job().weigh(&evidence(named, Commands::Hidden))
}

/// The one reason why something is no proof.
fn doubt(reference: &str, fact: Fact) -> String {
    let verdict = weigh(&[(reference, fact)]);
    assert!(!verdict.is_proven(), "{reference}");
    let doubts: Vec<String> = verdict.doubts().collect();
    let [doubt] = &doubts[..] else { panic!("{doubts:?}") };
    doubt.clone()
}

fn standings(verdict: &Verdict) -> Vec<String> {
    verdict.proof().iter().map(|proven| format!("{} {}", proven.reference, proven.standing)).collect()
}

/// What an example of proof leads to, if it was really made.
fn made(reference: &Reference) -> Fact {
    match reference {
        Reference::Artifact(..) => kept(AGENT, AGENT, 11),
        Reference::Task(_) => task(AGENT, 11_000, false),
        Reference::Job(_) | Reference::JobEvent(..) => other_job(AGENT, Status::Done, 11),
        _ => written(AGENT, 11),
    }
}

#[test]
fn whatever_the_rule_names_is_proof_when_it_was_made_during_the_job() {
    for (example, _) in PROOF_KINDS {
        let verdict = weigh(&[(example, made(&example.parse().unwrap()))]);
        assert!(verdict.is_proven(), "{example}: {:?}", verdict.doubts().collect::<Vec<_>>());
        assert_eq!(standings(&verdict), [format!("{example} made")]);
        assert!(rule().contains(&format!("({example})")), "{example}");
    }
}

#[test]
fn a_kind_that_the_rule_does_not_name_is_no_proof() {
    let kinds: Vec<_> =
        PROOF_KINDS.iter().map(|(example, _)| std::mem::discriminant(&example.parse::<Reference>().unwrap())).collect();
    for text in [
        "JOB-002",
        "JOB-002@9",
        "TASK-009",
        "CARD-1",
        "PLAN-1",
        "notes@17",
        "a:web",
        "runner:r1",
        "artifact://diff/3",
        "contextpack://pack/789",
        "payload://payload-uuid",
        "TURN-3",
        "APPROVAL-1",
        "log@17",
        "CMD: make",
        "LINK: https://example.org",
    ] {
        let reference: Reference = text.parse().unwrap();
        let is_named = kinds.contains(&std::mem::discriminant(&reference)) || text == "JOB-002@9";
        assert_eq!(reference.can_prove(JOB), is_named, "{text}");
        assert_eq!(weigh(&[(text, made(&reference))]).is_proven(), is_named, "{text}");
    }
    assert_eq!(doubt("a:web", Fact::Other), "a:web is no result of work");
    assert_eq!(
        doubt("artifact://contextpack/1", kept(AGENT, AGENT, 11)),
        "artifact://contextpack/1 is no result of work"
    );
}

#[test]
fn a_jobs_own_task_anchor_id_and_events_are_no_proof() {
    let own_task = doubt("TASK-001", task(AGENT, 11_000, true));
    assert_eq!(own_task, "TASK-001 is this job's own task", "also when its agent closed it");
    assert_eq!(doubt("a:core", Fact::Other), "a:core is no result of work");
    assert_eq!(doubt("JOB-001", other_job(AGENT, Status::Running, 11)), "JOB-001 is this job itself");
    assert_eq!(doubt("JOB-001@17", other_job(AGENT, Status::Running, 11)), "JOB-001@17 is an event of this job");
}

#[test]
fn what_is_older_than_the_work_on_a_job_is_no_proof() {
    for reference in ["CARD-2", "notes@9", "PLAN-1"] {
        let said = doubt(reference, written("r1", 10));
        assert_eq!(said, format!("{reference} is older than the work on this job"));
    }
    let said = doubt("artifact://report/1", kept("r1", "r1", 3));
    assert_eq!(said, "artifact://report/1 is older than the work on this job");
    let unclaimed = Evidence { began: None, ..evidence(&[("CARD-2", written(AGENT, 11))], Commands::Hidden) };
    assert!(!job().weigh(&unclaimed).is_proven(), "nothing was made for a job that nobody began");
}

#[test]
fn what_somebody_else_made_meanwhile_is_no_proof_and_what_the_claimant_made_is() {
    assert_eq!(doubt("CARD-2", written("ana", 11)), "CARD-2 was made by ana, not by this job's agent");
    let said = doubt("artifact://report/4", kept("ana", "ana", 11));
    assert_eq!(said, "artifact://report/4 was made by ana, not by this job's agent");
    assert!(weigh(&[("CARD-2", written("r1", 11))]).is_proven(), "a job may be done by hand");
}

#[test]
fn a_file_that_the_agent_kept_is_proof_and_one_that_the_runner_kept_is_not() {
    assert!(weigh(&[("artifact://diff/3", kept(AGENT, AGENT, 11))]).is_proven());
    for kind in ["log", "prompt", "transcript", "diff", "report"] {
        let reference = format!("artifact://{kind}/3");
        let said = doubt(&reference, kept("r1", AGENT, 11));
        assert_eq!(said, format!("{reference} is a file that the runner keeps of every slice"));
    }
}

#[test]
fn a_task_counts_if_this_jobs_agent_made_or_closed_it() {
    assert!(weigh(&[("TASK-002", task(AGENT, 11_000, false))]).is_proven());
    assert!(weigh(&[("TASK-002", task("ana", 1, true))]).is_proven());
    let said = "TASK-002 was not made or closed by this job's agent";
    assert_eq!(doubt("TASK-002", task("ana", 11_000, false)), said);
    assert_eq!(doubt("TASK-002", task("r1", 9_000, false)), said);
}

#[test]
fn another_job_counts_if_this_jobs_agent_delegated_it_and_it_is_done() {
    for reference in ["JOB-007", "JOB-007@30"] {
        assert!(weigh(&[(reference, other_job(AGENT, Status::Done, 11))]).is_proven());
        for status in [Status::Queued, Status::Running, Status::Failed, Status::Canceled] {
            assert_eq!(doubt(reference, other_job(AGENT, status, 11)), format!("JOB-007 is {status}"));
        }
        let said = "JOB-007 was not delegated by this job's agent";
        assert_eq!(doubt(reference, other_job("ana", Status::Done, 11)), said);
        assert_eq!(doubt(reference, other_job("r1", Status::Done, 9)), said, "before it began");
    }
    assert_eq!(job().id, JobId(1));
}

#[test]
fn a_reference_that_leads_nowhere_is_named_as_such() {
    assert_eq!(doubt("CARD-9", Fact::Missing), "CARD-9 does not exist");
}

#[test]
fn a_receipt_alone_is_no_proof() {
    for receipt in ["CMD: make", "LINK: https://example.org"] {
        assert!(!weigh(&[(receipt, Fact::Other)]).is_proven(), "{receipt}");
    }
}

fn with_card(receipts: &[&str], commands: Commands) -> Verdict {
    let card = ("CARD-2", written(AGENT, 11));
    let named: Vec<(&str, Fact)> = receipts.iter().map(|receipt| (*receipt, Fact::Other)).chain([card]).collect();
    job().weigh(&evidence(&named, commands))
}

#[test]
fn a_receipt_of_a_command_that_ran_is_seen() {
    let ran = visible(&[("/bin/bash -lc 'cd core && cargo test'", true)]);
    let verdict = with_card(&["CMD: cargo test"], ran);
    assert!(verdict.is_proven());
    assert_eq!(standings(&verdict), ["CMD: cargo test seen", "CARD-2 made"]);
}

#[test]
fn a_receipt_of_a_command_that_did_not_run_sends_the_answer_back() {
    let verdict = with_card(&["CMD: cargo test"], visible(&[("ls", true)]));
    assert!(!verdict.is_proven());
    assert_eq!(verdict.doubts().collect::<Vec<_>>(), ["no such command was run in this job: cargo test"]);
    assert_eq!(standings(&verdict), ["CMD: cargo test claimed", "CARD-2 made"]);
}

#[test]
fn a_receipt_of_a_command_that_failed_sends_the_answer_back() {
    let verdict = with_card(&["CMD: cargo test"], visible(&[("cargo test", false)]));
    assert!(!verdict.is_proven());
    assert_eq!(verdict.doubts().collect::<Vec<_>>(), ["this command failed in this job: cargo test"]);
    assert_eq!(standings(&verdict), ["CMD: cargo test failed", "CARD-2 made"]);
}

#[test]
fn one_receipt_that_holds_is_enough_and_the_others_are_marked() {
    let ran = visible(&[("make", true), ("make check", false)]);
    let verdict = with_card(&["CMD: make", "CMD: make check", "CMD: make dist", "LINK: https://example.org"], ran);
    assert!(verdict.is_proven());
    let marks =
        ["CMD: make seen", "CMD: make check failed", "CMD: make dist claimed", "LINK: https://example.org claimed"];
    assert_eq!(standings(&verdict)[..4], marks);
}

#[test]
fn a_receipt_of_a_program_whose_commands_cannot_be_seen_is_claimed_and_passes() {
    let verdict = with_card(&["CMD: cargo test"], Commands::Hidden);
    assert!(verdict.is_proven());
    assert_eq!(standings(&verdict), ["CMD: cargo test claimed", "CARD-2 made"]);
}

#[test]
fn a_managers_word_is_enough_whoever_made_what_it_points_to() {
    let named = [("CMD: cargo test", Fact::Other), ("CARD-1", written("ana", 2))];
    let mut evidence = evidence(&named, visible(&[]));
    evidence.manager = refs(&["CARD-1", "notes@4"]);
    let verdict = job().weigh(&evidence);
    assert!(verdict.is_proven());
    assert_eq!(standings(&verdict), ["CMD: cargo test claimed", "CARD-1 manager", "notes@4 manager"]);
    assert_eq!(verdict.proof().last().unwrap().standing, Standing::Manager);
}

#[test]
fn an_agent_without_a_shell_is_asked_for_no_command() {
    assert!(receipts(Shell::Available).contains("`CMD: ") && demand(Shell::Available).contains("`CMD:`"));
    for said in [receipts(Shell::Absent), demand(Shell::Absent)] {
        assert!(said.contains("You have no shell") && said.contains("give no `CMD:` receipt"), "{said}");
    }
}
