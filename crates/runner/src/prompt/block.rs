//! One named part of a prompt.

use sha2::{Digest, Sha256};

/// What a block is. The order of a prompt is the order here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Name {
    /// The rules of the work.
    System,
    /// What somebody says who interrupted.
    Interrupt,
    /// What the agent is here for.
    Role,
    /// What the room allows now.
    Mode,
    /// The context pack.
    Pack,
    /// The behaviour pack.
    Skill,
    /// The job.
    Job,
    /// The job's task.
    Task,
    /// The part of the map that the job is about.
    Anchor,
    /// Who else could be asked.
    Others,
    /// What went before.
    Before,
    /// What was said about the job.
    Thread,
    /// What came of what the agent sent.
    Results,
    /// What others sent to the agent.
    Inbox,
    /// How to end.
    Closing,
}

impl Name {
    /// The word for it on record.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Interrupt => "interrupt",
            Self::Role => "role",
            Self::Mode => "mode",
            Self::Pack => "pack",
            Self::Skill => "skill",
            Self::Job => "job",
            Self::Task => "task",
            Self::Anchor => "anchor",
            Self::Others => "others",
            Self::Before => "before",
            Self::Thread => "thread",
            Self::Results => "results",
            Self::Inbox => "inbox",
            Self::Closing => "closing",
        }
    }

    /// What stands above it, unless the block says otherwise.
    const fn title(self) -> &'static str {
        match self {
            Self::System => "Rules",
            Self::Interrupt => "A person interrupted you",
            Self::Role => "Role",
            Self::Mode => "Mode",
            Self::Pack => "Context pack",
            Self::Skill => "Skill",
            Self::Job => "Job",
            Self::Task => "Task",
            Self::Anchor => "Anchor",
            Self::Others => "Who else is here",
            Self::Before => "What went before",
            Self::Thread => "Thread of the job, oldest first",
            Self::Results => "What came of what you sent",
            Self::Inbox => "Inbox",
            Self::Closing => "How to end",
        }
    }

    /// Whether it is shown without its title.
    const fn is_bare(self) -> bool {
        matches!(self, Self::System | Self::Closing)
    }

    /// Whether a conversation that was told another one has to begin anew.
    pub(super) const fn is_ground(self) -> bool {
        matches!(self, Self::System | Self::Role)
    }
}

/// What a conversation that goes on is told of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Again {
    /// All of it, if it is not what it was told before.
    Changed,
    /// Nothing: it knows.
    Never,
    /// All of it: it is new.
    Always,
    /// This block in its place, if there is anything in it.
    Instead(Box<Block>),
}

/// A part of a prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// What it is.
    pub name: Name,
    /// What it is called.
    pub title: String,
    /// What it says.
    pub text: String,
    /// Whether its title stands above it.
    pub is_bare: bool,
    /// What a conversation that goes on is told of it.
    pub again: Again,
}

impl Block {
    /// A block with its usual title. What is the same in every turn is told once, the rest always.
    pub fn new(name: Name, text: impl Into<String>) -> Self {
        let again = match name {
            Name::System | Name::Role | Name::Mode | Name::Pack => Again::Changed,
            Name::Skill | Name::Job | Name::Task | Name::Anchor | Name::Others => Again::Never,
            Name::Interrupt | Name::Before | Name::Thread | Name::Results | Name::Inbox | Name::Closing => {
                Again::Always
            }
        };
        let text = text.into().trim_end().to_owned();
        Self { name, title: name.title().to_owned(), text, is_bare: name.is_bare(), again }
    }

    /// The same under another title.
    pub fn titled(self, title: impl Into<String>) -> Self {
        Self { title: title.into(), ..self }
    }

    /// The same without its title above it.
    pub fn bare(self) -> Self {
        Self { is_bare: true, ..self }
    }

    /// The same with another rule for a conversation that goes on.
    pub fn again(self, again: Again) -> Self {
        Self { again, ..self }
    }

    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.text.trim().is_empty()
    }

    /// As it stands in a prompt.
    pub fn shown(&self) -> String {
        if self.is_bare { self.text.clone() } else { format!("## {}\n{}", self.title, self.text) }
    }
}

/// How many tokens a text has, measured as everywhere in Baton.
pub fn tokens(text: &str) -> u32 {
    baton_core::context::tokens_in(text.len())
}

/// The hash of a text, in hex.
pub(super) fn hash(text: &str) -> String {
    Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect()
}
