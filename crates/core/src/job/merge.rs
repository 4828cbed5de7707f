//! One report of what several jobs did.
//!
//! The same jobs give the same bytes: they come in the order of their numbers, and nothing in it is a time. It is made of
//! lines, one thing each, so that two reports can be compared; what does not fit is left out and said so.

use super::{Job, JobId, Proven, Standing, Status, proof::is_shown_by, state::cut};
use crate::{limits, reference::Reference, task::TaskId};

/// A job, how its refs stand as proof, and what it asks.
#[derive(Clone, Debug)]
pub struct Part {
    /// The job.
    pub job: Job,
    /// How its refs stand, where its end says so.
    pub proof: Option<Vec<Proven>>,
    /// What it asked and nobody has answered.
    pub question: Option<String>,
}

/// How much is said of each job.
#[derive(Clone, Copy)]
struct Budget {
    title: usize,
    summary: usize,
    refs: usize,
}

/// What a section says of a job.
type Section = fn(&Part, Budget) -> Vec<String>;

/// From all there is to hardly anything.
const BUDGETS: [Budget; 6] = [
    Budget { title: limits::TITLE_CHARS, summary: limits::JOB_SUMMARY_CHARS, refs: limits::REFERENCES },
    Budget { title: limits::TITLE_CHARS, summary: 400, refs: 16 },
    Budget { title: 120, summary: 240, refs: 8 },
    Budget { title: 80, summary: 120, refs: 4 },
    Budget { title: 60, summary: 60, refs: 2 },
    Budget { title: 40, summary: 40, refs: 1 },
];

/// What a report is called unless its author says so.
pub fn title(jobs: &[JobId]) -> String {
    let named: Vec<String> = jobs.iter().take(8).map(JobId::to_string).collect();
    let more = jobs.len().saturating_sub(named.len());
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("Merge report: {}{more}", named.join(", "))
}

/// The report, within the bounds of a card.
pub fn report(title: &str, task: Option<TaskId>, parts: &[Part]) -> String {
    let fits = |text: &String| text.len() <= limits::CARD_BYTES;
    let whole = BUDGETS.iter().map(|budget| page(title, task, parts, *budget)).find(fits);
    whole.unwrap_or_else(|| shortened(&page(title, task, parts, BUDGETS[BUDGETS.len() - 1])))
}

fn page(title: &str, task: Option<TaskId>, parts: &[Part], budget: Budget) -> String {
    let mut lines = vec![format!("# {title}"), String::new()];
    lines.extend(task.map(|task| format!("Task: {task}")));
    let status = |part: &Part| format!("{} {}", part.job.id, part.job.status);
    lines.push(format!("Jobs: {}", parts.iter().map(status).collect::<Vec<_>>().join(", ")));
    let sections: [(&str, Section, &str); 4] = [
        ("What changed", changed, "- nothing yet"),
        ("What was verified", verified, "- nothing"),
        ("Where it is kept", kept, "- nowhere"),
        ("Open risks and next actions", open, "- none"),
    ];
    for (heading, section, nothing) in sections {
        lines.extend([String::new(), format!("## {heading}"), String::new()]);
        let said: Vec<String> = parts.iter().flat_map(|part| section(part, budget)).collect();
        if said.is_empty() {
            lines.push(nothing.to_owned());
        }
        lines.extend(said);
    }
    lines.push(String::new());
    lines.join("\n")
}

fn changed(Part { job, .. }: &Part, budget: Budget) -> Vec<String> {
    let summary = job.summary.as_deref().filter(|_| job.status == Status::Done).map(one_line);
    let summary = summary.map_or(String::new(), |summary| format!(": {}", cut(&summary, budget.summary)));
    if job.status != Status::Done {
        return Vec::new();
    }
    vec![format!("- {} {}{summary}", job.id, cut(&job.title, budget.title))]
}

fn verified(part: &Part, budget: Budget) -> Vec<String> {
    listed(part, budget, |reference| !reference.is_stable())
}

fn kept(part: &Part, budget: Budget) -> Vec<String> {
    listed(part, budget, Reference::is_stable)
}

/// The refs of a job that are `wanted`, a line each, with how they stand.
fn listed(part: &Part, budget: Budget, wanted: impl Fn(&Reference) -> bool) -> Vec<String> {
    let job = &part.job;
    let refs: Vec<&Reference> = job.refs.iter().filter(|reference| wanted(reference)).collect();
    let line = |reference: &&Reference| format!("- {}: {reference}{}", job.id, part.mark(reference));
    let mut lines: Vec<String> = refs.iter().take(budget.refs).map(line).collect();
    let more = refs.len().saturating_sub(budget.refs);
    if more > 0 {
        lines.push(format!("- {}: {more} more, open {}", job.id, job.last_ref()));
    }
    lines
}

impl Part {
    fn standing(&self, reference: &Reference) -> Option<Standing> {
        let known = self.proof.iter().flatten().find(|proven| proven.reference == *reference);
        // A receipt that nobody looked up is claimed.
        known.map(|proven| proven.standing).or((!reference.is_stable()).then_some(Standing::Claimed))
    }

    /// What is said of a reference behind it.
    fn mark(&self, reference: &Reference) -> &'static str {
        match self.standing(reference) {
            Some(Standing::Seen) => " (seen)",
            Some(Standing::Claimed) => " (claimed)",
            Some(Standing::Failed) => " (seen, and it failed)",
            Some(Standing::Manager) => " (named by a manager)",
            Some(Standing::Made) | None => "",
        }
    }

    /// Whether something that is kept shows the work. Ends of earlier versions say only what kinds of things were named.
    fn is_shown(&self) -> bool {
        match &self.proof {
            Some(proof) => is_shown_by(proof),
            None => self.job.refs.iter().any(|reference| reference.can_prove(self.job.id)),
        }
    }
}

fn open(part: &Part, budget: Budget) -> Vec<String> {
    let Part { job, question, .. } = part;
    let (id, last, title) = (job.id, job.last_ref(), cut(&job.title, budget.title));
    let summary = || cut(&one_line(job.summary.as_deref().unwrap_or("no reason given")), budget.summary);
    let mut lines = Vec::new();
    match job.status {
        Status::Failed => {
            lines.push(format!("- {id} FAILED ({title}): {} | open {last}, then requeue or drop it", summary()))
        }
        Status::Canceled => lines.push(format!("- {id} CANCELED ({title}): not done")),
        Status::Queued | Status::Running => {
            lines.push(format!("- {id} {} ({title}): not done yet | open {last}", job.status))
        }
        Status::Done if !part.is_shown() => {
            lines.push(format!("- {id} DONE ({title}): nothing that is kept shows it | open {last}"));
        }
        Status::Done => {}
    }
    let failed = job.refs.iter().filter(|reference| part.standing(reference) == Some(Standing::Failed));
    lines.extend(failed.take(budget.refs).map(|command| format!("- {id} ({title}): {command} failed | open {last}")));
    if let Some(question) = question {
        let question = cut(&one_line(question), budget.summary);
        lines.push(format!("- {id} asks: {question} | answer with jobs message job={id}"));
    }
    if job.has_error() {
        lines.push(format!("- {id} met an error that nobody has answered to | open {last}"));
    }
    lines
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// As many whole lines as a card holds, with a last one that says that there were more.
fn shortened(text: &str) -> String {
    const CUT: &str = "[cut: merge fewer jobs at a time]\n";
    let mut end = limits::CARD_BYTES - CUT.len();
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let end = text[..end].rfind('\n').map_or(0, |newline| newline + 1);
    format!("{}{CUT}", &text[..end])
}

#[cfg(test)]
mod tests {
    use serde_json::Map;

    use super::*;
    use crate::{
        ids::Seq,
        job::{Choice, Isolation, Kind, Last, Lineage, Priority, Routing},
        lease::Fence,
        time::Timestamp,
    };

    fn part(number: u32, status: Status, summary: &str, refs: &[&str]) -> Part {
        let (at, seq) = (Timestamp::from_millis(i64::from(number)), Seq(u64::from(number) * 10));
        let routing = Routing {
            executor: Choice::Auto,
            executor_profile: None,
            executor_model: None,
            policy: None,
            expected_artifacts: Vec::new(),
            isolation: Isolation::Workspace,
        };
        let job = Job {
            id: JobId(number),
            title: format!("Part {number}"),
            kind: "task".to_owned(),
            priority: Priority::Medium,
            status,
            task: None,
            anchor: None,
            routing,
            revision: Fence(1),
            claim: None,
            earlier_claim_ends_at: None,
            losses: 0,
            last_question: Seq(0),
            last_manager: Seq(0),
            open_gate: None,
            open_error: None,
            summary: Some(summary.to_owned()),
            refs: refs.iter().map(|text| text.parse().unwrap()).collect(),
            meta: Map::new(),
            lineage: Lineage::default(),
            last: Last { seq, kind: Kind::Completed, preview: String::new() },
            progress: crate::job::Progress::default(),
            created_seq: seq,
            created_by: "codex".parse().unwrap(),
            created_at: at,
            active_at: at,
        };
        Part { job, proof: None, question: None }
    }

    #[test]
    fn a_report_says_what_changed_what_was_verified_where_it_is_kept_and_what_is_open() {
        let mut parts = vec![
            part(1, Status::Done, "Cache  is\nfixed.", &["CARD-1", "CMD: cargo test", "artifact://diff/2"]),
            part(2, Status::Failed, "No network.", &[]),
            part(3, Status::Running, "", &[]),
            part(4, Status::Done, "Trust me.", &["CMD: make", "LINK: https://x.org"]),
        ];
        parts[2].question = Some("A or\nB?".to_owned());
        parts[0].proof = Some(vec![proven("CARD-1", Standing::Made), proven("CMD: cargo test", Standing::Seen)]);
        parts[3].proof =
            Some(vec![proven("CMD: make", Standing::Failed), proven("LINK: https://x.org", Standing::Claimed)]);
        insta::assert_snapshot!(report("All of it", Some(TaskId(7)), &parts), @r"
        # All of it

        Task: TASK-007
        Jobs: JOB-001 DONE, JOB-002 FAILED, JOB-003 RUNNING, JOB-004 DONE

        ## What changed

        - JOB-001 Part 1: Cache is fixed.
        - JOB-004 Part 4: Trust me.

        ## What was verified

        - JOB-001: CMD: cargo test (seen)
        - JOB-004: CMD: make (seen, and it failed)
        - JOB-004: LINK: https://x.org (claimed)

        ## Where it is kept

        - JOB-001: CARD-1
        - JOB-001: artifact://diff/2

        ## Open risks and next actions

        - JOB-002 FAILED (Part 2): No network. | open JOB-002@20, then requeue or drop it
        - JOB-003 RUNNING (Part 3): not done yet | open JOB-003@30
        - JOB-003 asks: A or B? | answer with jobs message job=JOB-003
        - JOB-004 DONE (Part 4): nothing that is kept shows it | open JOB-004@40
        - JOB-004 (Part 4): CMD: make failed | open JOB-004@40
        ");
    }

    fn proven(reference: &str, standing: Standing) -> Proven {
        Proven { reference: reference.parse().unwrap(), standing }
    }

    #[test]
    fn a_report_says_which_receipts_were_seen_which_are_claimed_and_what_a_manager_named() {
        let refs = ["CARD-1", "CMD: make", "CMD: make check", "LINK: https://x.org"];
        let mut part = part(1, Status::Done, "y", &refs);
        let marked = |part: &Part| {
            let text = report("x", None, std::slice::from_ref(part));
            let line = |start: &str| text.lines().find(|line| line.starts_with(start)).unwrap_or_default().to_owned();
            refs.map(|reference| line(&format!("- JOB-001: {reference}")))
        };
        let old = marked(&part);
        assert!(old[1..].iter().all(|line| line.ends_with(" (claimed)")), "nobody looked: {old:?}");
        part.proof = Some(vec![
            proven("CARD-1", Standing::Manager),
            proven("CMD: make", Standing::Seen),
            proven("CMD: make check", Standing::Failed),
            proven("LINK: https://x.org", Standing::Claimed),
        ]);
        insta::assert_snapshot!(marked(&part).join("\n"), @r"
        - JOB-001: CARD-1 (named by a manager)
        - JOB-001: CMD: make (seen)
        - JOB-001: CMD: make check (seen, and it failed)
        - JOB-001: LINK: https://x.org (claimed)
        ");
    }

    #[test]
    fn nothing_is_said_of_what_there_is_not() {
        let text = report("x", None, &[part(1, Status::Done, "y", &["CARD-1"])]);
        assert!(text.contains("## What was verified\n\n- nothing\n"), "{text}");
        assert!(text.ends_with("## Open risks and next actions\n\n- none\n"), "{text}");
    }

    #[test]
    fn however_much_there_is_it_fits_into_a_card() {
        let receipts: Vec<String> =
            (0..limits::REFERENCES).map(|number| format!("CMD: {number} {}", "x".repeat(240))).collect();
        let receipts: Vec<&str> = receipts.iter().map(String::as_str).collect();
        let summary = "€".repeat(limits::JOB_SUMMARY_CHARS);
        for status in [Status::Done, Status::Failed] {
            let mut parts: Vec<Part> =
                (1..=limits::MERGED_JOBS as u32).map(|number| part(number, status, &summary, &receipts)).collect();
            parts.iter_mut().for_each(|part| part.job.title = "€".repeat(limits::TITLE_CHARS));
            let text = report("x", None, &parts);
            assert!(text.len() <= limits::CARD_BYTES, "{}", text.len());
            assert!(text.contains("more, open JOB-032@320") || text.contains("[cut: "), "{text}");
        }
    }
}
