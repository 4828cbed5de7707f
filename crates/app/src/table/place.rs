//! Where agents find a command: as a tool of its own, or as an op of a portal.
//!
//! A tool costs every client its whole schema in each conversation. Commands about one thing therefore share a
//! portal, which is one tool with a line for each of them.

/// Whether a tool is offered by default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tier {
    /// `--tools daily`, the default.
    Daily,
    /// `--tools full` only.
    Full,
}

/// Where agents find a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// It is a tool of this name, which is the contract's.
    Tool(&'static str, Tier),
    /// It is an op of this portal, named by what follows the dot in the command's name.
    Portal(&'static Portal),
}

/// A tool that stands for all commands about one thing: `scope {op: "reserve", args: {…}}`.
#[derive(Debug, PartialEq, Eq)]
pub struct Portal {
    /// The tool's name.
    pub name: &'static str,
    /// Whether agents are offered it by default.
    pub tier: Tier,
    /// What it is for, for a reader with no context.
    pub about: &'static str,
}

/// `scope.*`: path reservations.
pub static SCOPE: Portal = Portal {
    name: "scope",
    tier: Tier::Daily,
    about: "Reserve paths (file, directory or dir/*, from the room's root) so that nobody else edits them.",
};

/// `tasks.*`: what there is to do.
pub static TASKS: Portal = Portal { name: "tasks", tier: Tier::Daily, about: "Tasks: what to do, and who does it." };

/// `jobs.*`: work handed to runners.
pub static JOBS: Portal = Portal {
    name: "jobs",
    tier: Tier::Daily,
    about: "Jobs: delegate, watch, answer, use results; runners claim and report.",
};

/// `inbox.*`: protocol messages.
pub static INBOX: Portal = Portal {
    name: "inbox",
    tier: Tier::Daily,
    about: "Read and send messages. to: a name, role:NAME or broadcast. category: HANDOFF (summary, next_action), BLOCKED (blocker, requested_action), DECISION or INFO (body).",
};

/// `bus.*`: ordered actions between agents.
pub static BUS: Portal = Portal {
    name: "bus",
    tier: Tier::Full,
    about: "The bus: submit ordered actions to agents, take yours, report results, follow the stream.",
};

/// `context.*`: what agents are told, and what they need to know.
pub static CONTEXT: Portal =
    Portal { name: "context", tier: Tier::Full, about: "The room's brief, context packs for agents, and their turns." };

/// `agent.*`: identities.
pub static AGENT: Portal = Portal {
    name: "agent",
    tier: Tier::Full,
    about: "Register, adopt and look up agent identities; edges, approvals and what agents may do.",
};
