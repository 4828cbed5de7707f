//! The rules of turns: what one takes, who may say something of it, and what becomes of what it took.

use super::{Begun, Ended, Event, Outcome, PromptMode, Prompted, Refusal, ToolUse, ToolsUsed, Turn, TurnId, Usage};
use crate::{
    ids::{AgentId, Role, Seq},
    inbox::{Category, Item},
    job::{Executor, Job, JobId, Shown, Status, cut},
    lease::Fence,
    limits,
    process::Liveness,
    redact::redact,
    reference::Reference,
    text::storable,
};

/// A turn that is to begin.
#[derive(Clone, Debug)]
pub struct Beginning {
    /// The next number in the room.
    pub turn: TurnId,
    /// Whose.
    pub agent: AgentId,
    /// Which of that agent's turns.
    pub number: u32,
    /// What it takes: see [`takes`].
    pub items: Vec<Seq>,
    /// Under which claim, if it is for a job.
    pub under: Option<Under>,
    /// With which program.
    pub executor: Option<Executor>,
}

/// The claim under which a turn is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Under {
    /// Of which job.
    pub job: JobId,
    /// Which claim.
    pub revision: Fence,
    /// Whose.
    pub runner: AgentId,
}

impl Beginning {
    /// Decides to begin. `open` is the turn that the agent is in; if that is lost, it is ended first.
    pub fn decide(self, open: Option<&Turn>) -> Result<Event, Refusal> {
        if let Some(open) = open.filter(|open| open.is_open()) {
            let (turn, agent_id, since) = (open.id, open.agent_id.clone(), open.began_at);
            return Err(Refusal::Open { turn, agent_id, since });
        }
        let Self { turn, agent, number, mut items, under, executor } = self;
        items.truncate(limits::TURN_ITEMS);
        let (job, revision, runner) = match under {
            Some(under) => (Some(under.job), Some(under.revision), Some(under.runner)),
            None => (None, None, None),
        };
        Ok(Event::Begun(Begun { turn, agent_id: agent, number, items, job, revision, runner, executor }))
    }
}

/// What of an agent's items its next turn takes: all that it has not seen or still has to accept, unless another turn has it;
/// interrupts first, then in the order of the log. A control command of the bus is for the agent's runtime and not for a turn.
pub fn takes(items: &[Item]) -> Vec<Seq> {
    let waits = |item: &&Item| item.seen_at.is_none() || (item.requires_ack && item.accepted_at.is_none());
    let free = |item: &&Item| item.turn.is_none() && item.category != Category::Control;
    let mut taken: Vec<&Item> = items.iter().filter(waits).filter(free).collect();
    taken.sort_by_key(|item| (!item.interrupts, item.message));
    taken.into_iter().take(limits::TURN_ITEMS).map(|item| item.message).collect()
}

/// Who says something of a turn.
#[derive(Clone, Copy, Debug)]
pub enum Voice<'a> {
    /// Whoever shows a claim on a job.
    Claim(&'a Job, &'a Shown),
    /// An agent for itself.
    Own(&'a AgentId),
}

/// What an agent was told.
#[derive(Clone, Debug)]
pub struct Telling {
    /// Whether it was told all, or what is new.
    pub mode: PromptMode,
    /// What it is here for.
    pub role: Option<Role>,
    /// Tokens of all that is in effect.
    pub tokens: u32,
    /// Tokens of what was sent.
    pub sent_tokens: u32,
    /// The pack that is in it.
    pub context_ref: Option<Reference>,
    /// Where both are kept.
    pub refs: Vec<Reference>,
}

/// The end of a turn, as whoever ran it tells it.
#[derive(Clone, Debug)]
pub struct Ending {
    /// How.
    pub outcome: Outcome,
    /// Why, where it did not go well.
    pub why: Option<String>,
    /// The provider's name for the conversation.
    pub session: Option<String>,
    /// Whether that can go on.
    pub resumable: bool,
    /// What it took.
    pub usage: Usage,
    /// What it left behind.
    pub refs: Vec<Reference>,
}

impl Turn {
    /// Refuses whoever does not run it, and everybody once it is over.
    pub fn require(&self, voice: Voice<'_>) -> Result<(), Refusal> {
        match (self.job, voice) {
            (Some(job), Voice::Claim(claimed, shown)) if claimed.id == job => claimed.require_claim(shown)?,
            (None, Voice::Own(agent)) if *agent == self.agent_id => {}
            (Some(_) | None, Voice::Claim(..) | Voice::Own(_)) => {
                let (turn, agent_id, job) = (self.id, self.agent_id.clone(), self.job);
                return Err(Refusal::NotYours { turn, agent_id, job });
            }
        }
        match self.outcome {
            None => Ok(()),
            Some(outcome) => Err(Refusal::Over { turn: self.id, outcome, why: self.why.clone() }),
        }
    }

    /// Decides that its agent was told something.
    pub fn prompt(&self, voice: Voice<'_>, telling: &Telling) -> Result<Event, Refusal> {
        self.require(voice)?;
        check_refs(&telling.refs)?;
        if telling.sent_tokens > telling.tokens {
            return Err(invalid("sent_tokens", "are part of tokens, and cannot be more"));
        }
        if let Some(other) = telling.context_ref.as_ref().filter(|named| !matches!(named, Reference::Pack(_))) {
            return Err(invalid("context_ref", format!("names a pack, contextpack://pack/…, and {other} is none")));
        }
        Ok(Event::Prompted(Prompted {
            turn: self.id,
            agent_id: self.agent_id.clone(),
            mode: telling.mode,
            role: telling.role.as_ref().map(ToString::to_string),
            tokens: telling.tokens,
            sent_tokens: telling.sent_tokens,
            context_ref: telling.context_ref.clone(),
            refs: telling.refs.clone(),
        }))
    }

    /// Decides that its agent used tools. What is said of each is brought to a line.
    pub fn tools(&self, voice: Voice<'_>, uses: &[ToolUse]) -> Result<Event, Refusal> {
        self.require(voice)?;
        if !(1..=limits::TOOL_USES).contains(&uses.len()) {
            return Err(invalid("uses", format!("must be 1 to {}", limits::TOOL_USES)));
        }
        // Before it is cut: a part of a secret is not recognised.
        let line = |text: &str, most| cut(&redact(text).split_whitespace().collect::<Vec<_>>().join(" "), most);
        let told = |used: &ToolUse| {
            let name = line(&used.name, limits::TOOL_NAME_CHARS);
            if name.is_empty() {
                return Err(invalid("uses", "each have a name"));
            }
            Ok(ToolUse { name, detail: line(&used.detail, limits::TOOL_DETAIL_CHARS), ..used.clone() })
        };
        let uses = uses.iter().map(told).collect::<Result<_, Refusal>>()?;
        Ok(Event::ToolsUsed(ToolsUsed { turn: self.id, agent_id: self.agent_id.clone(), uses }))
    }

    /// Decides that it is over, as whoever runs it tells. `items` is what it has by now.
    pub fn end(&self, voice: Voice<'_>, ending: &Ending, items: Vec<Seq>) -> Result<Event, Refusal> {
        self.require(voice)?;
        check_refs(&ending.refs)?;
        if ending.outcome == Outcome::Lost {
            return Err(invalid("outcome", "is completed, failed or interrupted; that a turn is lost is found out"));
        }
        let session = ending.session.as_deref().map(str::trim).filter(|session| !session.is_empty());
        if session.is_some_and(|session| session.len() > limits::SESSION_BYTES || session.chars().any(char::is_control))
        {
            let most = limits::SESSION_BYTES;
            return Err(invalid("session", format!("has at most {most} bytes, none of them a control character")));
        }
        let returned = match ending.outcome {
            Outcome::Completed => false,
            Outcome::Failed | Outcome::Lost => true,
            // Its conversation knows what it was told, and hears the next thing there.
            Outcome::Interrupted => session.is_none() || !ending.resumable,
        };
        Ok(Event::Ended(Ended {
            turn: self.id,
            agent_id: self.agent_id.clone(),
            outcome: ending.outcome,
            why: ending.why.as_deref().and_then(reason),
            items,
            returned,
            session: session.map(str::to_owned),
            usage: ending.usage,
            refs: ending.refs.clone(),
        }))
    }

    /// Decides that it ends with what it was part of, or that whoever ran it is lost. What it has goes back, unless it went
    /// well.
    pub fn end_with(&self, outcome: Outcome, why: &str, items: Vec<Seq>) -> Option<Event> {
        self.is_open().then(|| {
            Event::Ended(Ended {
                turn: self.id,
                agent_id: self.agent_id.clone(),
                outcome,
                why: reason(why),
                items,
                returned: outcome != Outcome::Completed,
                session: None,
                usage: Usage::default(),
                refs: Vec::new(),
            })
        })
    }

    /// Why it is lost, if it is. A job's turn is lost when its claim is not in force any more: `job` is as it is now. A
    /// member's is lost when its process is proven gone, or it is no member any more, of which `process` tells.
    pub fn lost(&self, job: Option<&Job>, process: Option<&Liveness>) -> Option<String> {
        if !self.is_open() {
            return None;
        }
        let Some(id) = self.job else {
            return match process {
                None => Some("its agent is not here any more".to_owned()),
                Some(Liveness::Gone(_)) => Some("its process is gone".to_owned()),
                Some(Liveness::Alive | Liveness::Unknown) => None,
            };
        };
        let in_force = |job: &Job| job.status == Status::Running && Some(job.revision) == self.revision;
        match job {
            Some(job) if in_force(job) => None,
            Some(job) => Some(format!("the claim on {id} that it was under is over: {id} is {}", job.status)),
            None => Some(format!("there is no {id}")),
        }
    }
}

fn check_refs(refs: &[Reference]) -> Result<(), Refusal> {
    if refs.len() <= limits::REFERENCES {
        return Ok(());
    }
    Err(invalid("refs", format!("are at most {}", limits::REFERENCES)))
}

/// What was said to be the reason, within bounds.
fn reason(text: &str) -> Option<String> {
    let text = storable(text.trim());
    if text.is_empty() {
        return None;
    }
    if text.len() <= limits::REASON_BYTES {
        return Some(text);
    }
    let mark = format!("… [cut: {} bytes]", text.len());
    let most = limits::REASON_BYTES - mark.len();
    let end = (0..=most).rev().find(|place| text.is_char_boundary(*place)).unwrap_or(0);
    Some(format!("{}{mark}", &text[..end]))
}

fn invalid(field: &'static str, why: impl Into<String>) -> Refusal {
    Refusal::Invalid { field, why: why.into() }
}
