//! Proof that a job was done: the rule, and the sentences that tell it.
//!
//! A reference is proof by what it points to, who made that, and when. The store finds these facts ([`Fact`]); the decision is
//! [`Job::weigh`], for the runner's gate, for checkpoints and for the record of a job's end. Prompts, skill packs, the gate's
//! demand and the documents take their words from [`rule`], [`receipts`] and [`demand`], so that they ask for what counts.
//!
//! What must stay true: every kind of thing in [`PROOF_KINDS`] is proof when it was really made, and no other kind is.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Commands, Job, JobId, Sighting, Status};
use crate::{
    ids::{AgentId, Seq},
    library::ArtifactKind,
    reference::Reference,
    time::Timestamp,
    words::words,
};

words! {
    /// How a reference stands as proof of a job.
    Standing {
        /// It points to something that was made during the job.
        Made "made",
        /// A manager pointed to it after proof was missing.
        Manager "manager",
        /// A receipt of a command that was seen to run and went well.
        Seen "seen",
        /// A receipt that nobody saw.
        Claimed "claimed",
        /// A receipt of a command that was seen to fail.
        Failed "failed",
    }
}

/// A reference, and how it stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Proven {
    /// The reference.
    #[serde(rename = "ref")]
    pub reference: Reference,
    /// How it stands.
    pub standing: Standing,
}

/// What the store knows of a reference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fact {
    /// It leads nowhere.
    Missing,
    /// It points to a card, a note or a plan.
    Written {
        /// Its author.
        by: AgentId,
        /// Where it was written.
        seq: Seq,
    },
    /// It points to a file.
    Kept {
        /// The agent that kept it.
        by: AgentId,
        /// The agent it is of.
        of: Option<AgentId>,
        /// Where it was recorded.
        seq: Seq,
    },
    /// It points to a task.
    Task {
        /// Its author.
        by: AgentId,
        /// When it was written down.
        at: Timestamp,
        /// Whether this job's agent closed it during the job.
        closed_here: bool,
    },
    /// It points to a job, or to an event of that.
    Job {
        /// The agent that asked for it.
        by: AgentId,
        /// How far it is.
        status: Status,
        /// Where it was created.
        seq: Seq,
    },
    /// It leads somewhere else, or is a receipt.
    Other,
}

/// The beginning of work on a job: its first claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Beginning {
    /// Where.
    pub seq: Seq,
    /// When.
    pub at: Timestamp,
}

/// All that a decision about proof takes.
#[derive(Clone, Debug)]
pub struct Evidence {
    /// The job's agent.
    pub agent: AgentId,
    /// The first claim. Nothing was made for a job that never was claimed.
    pub began: Option<Beginning>,
    /// The references that were named, each with what is known of it.
    pub facts: Vec<(Reference, Fact)>,
    /// References that a manager gave since proof was last found missing.
    pub manager: Vec<Reference>,
    /// The commands that are known of the job.
    pub commands: Commands,
}

/// What references come to as proof.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    proof: Vec<Proven>,
    /// Whether nothing was wrong with the receipts: none named a command, or one of them holds.
    receipts_hold: bool,
    doubts: Vec<Doubt>,
}

/// Why a reference is no proof.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Doubt {
    Missing(Reference),
    OwnTask(Reference),
    OwnJob(JobId),
    OwnEvent(Reference),
    NotDelegated(JobId),
    NotDone(JobId, Status),
    Older(Reference),
    MadeBy(Reference, AgentId),
    TaskUntouched(Reference),
    KeptByRunner(Reference),
    NoResult(Reference),
    NotRun(String),
    Failed(String),
}

impl fmt::Display for Doubt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing(reference) => write!(f, "{reference} does not exist"),
            Self::OwnTask(reference) => write!(f, "{reference} is this job's own task"),
            Self::OwnJob(job) => write!(f, "{job} is this job itself"),
            Self::OwnEvent(reference) => write!(f, "{reference} is an event of this job"),
            Self::NotDelegated(job) => write!(f, "{job} was not delegated by this job's agent"),
            Self::NotDone(job, status) => write!(f, "{job} is {status}"),
            Self::Older(reference) => write!(f, "{reference} is older than the work on this job"),
            Self::MadeBy(reference, agent) => write!(f, "{reference} was made by {agent}, not by this job's agent"),
            Self::TaskUntouched(reference) => write!(f, "{reference} was not made or closed by this job's agent"),
            Self::KeptByRunner(reference) => write!(f, "{reference} is a file that the runner keeps of every slice"),
            Self::NoResult(reference) => write!(f, "{reference} is no result of work"),
            Self::NotRun(command) => write!(f, "no such command was run in this job: {command}"),
            Self::Failed(command) => write!(f, "this command failed in this job: {command}"),
        }
    }
}

impl Job {
    /// Decides which of the references that were named are proof of this job.
    pub fn weigh(&self, evidence: &Evidence) -> Verdict {
        let mut verdict = Verdict { receipts_hold: true, ..Verdict::default() };
        let (mut commands, mut held) = (0, 0);
        for (reference, fact) in &evidence.facts {
            let standing = match reference {
                _ if evidence.manager.contains(reference) => Ok(Standing::Manager),
                Reference::Command(command) => {
                    commands += 1;
                    match evidence.commands.sight(command) {
                        Sighting::Succeeded => Ok(Standing::Seen),
                        Sighting::Unknown => Ok(Standing::Claimed),
                        Sighting::Failed => Err((Some(Standing::Failed), Doubt::Failed(command.clone()))),
                        Sighting::NotRun => Err((Some(Standing::Claimed), Doubt::NotRun(command.clone()))),
                    }
                }
                Reference::Link(_) => Ok(Standing::Claimed),
                _ => self.made(reference, fact, evidence).map(|()| Standing::Made).map_err(|doubt| (None, doubt)),
            };
            held += u32::from(!reference.is_stable() && standing.is_ok());
            let kept = match standing {
                Ok(standing) => Some(standing),
                Err((standing, doubt)) => {
                    verdict.doubts.push(doubt);
                    standing
                }
            };
            verdict.proof.extend(kept.map(|standing| Proven { reference: reference.clone(), standing }));
        }
        verdict.receipts_hold = commands == 0 || held > 0;
        let unnamed = evidence.manager.iter().filter(|given| evidence.facts.iter().all(|(named, _)| named != *given));
        let given = |given: &Reference| Proven { reference: given.clone(), standing: Standing::Manager };
        verdict.proof.extend(unnamed.map(given));
        verdict
    }

    /// Whether what a reference points to was made during this job, by its agent.
    fn made(&self, reference: &Reference, fact: &Fact, evidence: &Evidence) -> Result<(), Doubt> {
        let named = || reference.clone();
        match (reference, fact) {
            (_, Fact::Missing) => Err(Doubt::Missing(named())),
            (Reference::Job(job), _) if *job == self.id => Err(Doubt::OwnJob(*job)),
            (Reference::JobEvent(job, _), _) if *job == self.id => Err(Doubt::OwnEvent(named())),
            (Reference::Task(task), _) if Some(*task) == self.task => Err(Doubt::OwnTask(named())),
            _ if !reference.can_prove(self.id) => Err(Doubt::NoResult(named())),
            (Reference::Job(job) | Reference::JobEvent(job, _), Fact::Job { by, status, seq }) => match status {
                Status::Done if self.is_maker(by, evidence) && evidence.is_new(*seq) => Ok(()),
                Status::Done => Err(Doubt::NotDelegated(*job)),
                Status::Queued | Status::Running | Status::Failed | Status::Canceled => {
                    Err(Doubt::NotDone(*job, *status))
                }
            },
            (_, Fact::Task { closed_here: true, .. }) => Ok(()),
            (_, Fact::Task { by, at, .. }) => {
                let is_new = evidence.began.is_some_and(|began| *at >= began.at);
                let is_made = self.is_maker(by, evidence) && is_new;
                if is_made { Ok(()) } else { Err(Doubt::TaskUntouched(named())) }
            }
            // A runner keeps files in its agent's name; an agent keeps them in its own.
            (_, Fact::Kept { by, of: Some(of), .. }) if by != of => Err(Doubt::KeptByRunner(named())),
            (_, Fact::Written { seq, .. } | Fact::Kept { seq, .. }) if !evidence.is_new(*seq) => {
                Err(Doubt::Older(named()))
            }
            (_, Fact::Written { by, .. } | Fact::Kept { by, .. }) if !self.is_maker(by, evidence) => {
                Err(Doubt::MadeBy(named(), by.clone()))
            }
            (_, Fact::Written { .. } | Fact::Kept { .. }) => Ok(()),
            (_, Fact::Job { .. } | Fact::Other) => Err(Doubt::NoResult(named())),
        }
    }

    /// Whether `agent` does the work: the job's own agent, or whoever claimed the job to do it by hand.
    fn is_maker(&self, agent: &AgentId, evidence: &Evidence) -> bool {
        let claimant = self.claim.as_ref().map(|claim| &claim.claimant.agent);
        *agent == evidence.agent || Some(agent) == claimant
    }
}

impl Evidence {
    /// Whether something happened after work on the job had begun.
    fn is_new(&self, seq: Seq) -> bool {
        self.began.is_some_and(|began| seq > began.seq)
    }
}

impl Verdict {
    /// Whether the job was shown to be done. A manager's word is enough.
    pub fn is_proven(&self) -> bool {
        let has = |standing| self.proof.iter().any(|proven| proven.standing == standing);
        has(Standing::Manager) || (has(Standing::Made) && self.receipts_hold)
    }

    /// The references that stand somehow, with those that a manager gave.
    pub fn proof(&self) -> &[Proven] {
        &self.proof
    }

    /// Why each of the others is no proof.
    pub fn doubts(&self) -> impl Iterator<Item = String> {
        self.doubts.iter().map(Doubt::to_string)
    }
}

/// Whether something is kept that shows the work.
pub(super) fn is_shown_by(proof: &[Proven]) -> bool {
    proof.iter().any(|proven| matches!(proven.standing, Standing::Made | Standing::Manager))
}

impl Reference {
    /// Whether it points to a kind of thing that can be proof of `job`, by whoever made it. A job does not prove itself, and
    /// neither does a part of the map, a runner, or something that Baton made.
    pub fn can_prove(&self, job: JobId) -> bool {
        match self {
            Self::Job(other) | Self::JobEvent(other, _) => *other != job,
            Self::Task(_) | Self::Card(_) | Self::Plan(_) | Self::Note(_) => true,
            Self::Artifact(kind, _) => *kind != ArtifactKind::Contextpack,
            Self::Anchor(_)
            | Self::Runner(_)
            | Self::Pack(_)
            | Self::Payload(_)
            | Self::Turn(_)
            | Self::Approval(_)
            | Self::Event(_)
            | Self::Command(_)
            | Self::Link(_) => false,
        }
    }
}

/// Everything that can be proof: an example of how it is written, and what it is.
pub const PROOF_KINDS: [(&str, &str); 6] = [
    ("CARD-3", "a card"),
    ("artifact://report/1", "a file that you kept"),
    ("notes@9", "a note"),
    ("PLAN-1", "a plan"),
    ("TASK-002", "another task that you made or closed"),
    ("JOB-002", "a DONE job that you delegated"),
];

/// Whether an agent can run commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shell {
    /// It can.
    Available,
    /// It has no tool for that.
    Absent,
}

/// The rule, as agents are told it.
pub fn rule() -> String {
    let kinds: Vec<String> = PROOF_KINDS.iter().map(|(example, what)| format!("{what} ({example})")).collect();
    let (last, others) = kinds.split_last().expect("there are kinds of proof");
    format!(
        "Proof is something that you made during this job: {} or {last}. The job's own task, part of the map and events are \
         no proof, nor is anything older, or a file that the runner keeps of every slice (prompt, log, transcript, diff).",
        others.join(", ")
    )
}

/// The rule about receipts, as agents are told it.
pub const fn receipts(shell: Shell) -> &'static str {
    match shell {
        Shell::Available => {
            "Add a receipt where that applies: `CMD: cargo test -p core` for a command that you really ran and that went well \
             (it is looked up among the commands you ran), or `LINK: https://…`."
        }
        Shell::Absent => {
            "You have no shell and cannot run commands, so give no `CMD:` receipt: a card or a file that you kept is enough. \
             Add `LINK: https://…` where that applies."
        }
    }
}

/// What the gate asks of an agent that reported DONE without proof.
pub const fn demand(shell: Shell) -> &'static str {
    match shell {
        Shell::Available => {
            "Make something that shows it (tool `tasks`, op card.create or artifact.keep), name it in `refs`, name as `CMD:` only \
             commands that you ran and that went well, then answer DONE again."
        }
        Shell::Absent => {
            "Make something that shows it (tool `tasks`, op card.create or artifact.keep), name it in `refs`, then answer DONE \
             again. You have no shell: give no `CMD:` receipt."
        }
    }
}
