//! The coding agents Baton knows: how each shows itself as an MCP client, in its variables and as a process.
//!
//! Harnesses nest and inherit each other's variables, so a variable only counts once the harness is decided.

use crate::environment::Environment;

use super::{Ancestor, shells};

/// A coding agent's program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Harness {
    Codex,
    ClaudeCode,
    Gemini,
    OpenCode,
}

impl Harness {
    const ALL: [Self; 4] = [Self::Codex, Self::ClaudeCode, Self::Gemini, Self::OpenCode];

    /// The first part of its agents' ids.
    pub(super) const fn slug(self) -> &'static str {
        match self {
            Self::Codex => "codex",
            Self::ClaudeCode => "claude-code",
            Self::Gemini => "gemini",
            Self::OpenCode => "opencode",
        }
    }

    /// The harness whose agents' ids begin like this.
    pub(super) fn of_slug(slug: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|harness| harness.slug() == slug)
    }

    /// The harness that calls itself `name` in MCP's `clientInfo`.
    pub(super) fn of_client(name: &str) -> Option<Self> {
        match name {
            "codex-mcp-client" | "codex" => Some(Self::Codex),
            "claude-code" => Some(Self::ClaudeCode),
            "gemini" => Some(Self::Gemini),
            "opencode" => Some(Self::OpenCode),
            // It adds the server's name in some versions.
            _ if name.starts_with("gemini-cli-mcp-client") => Some(Self::Gemini),
            _ => None,
        }
    }

    /// The harness whose own variables are set. Only for where no process tells: several may be.
    pub(super) fn of_variables(environment: &Environment) -> Option<Self> {
        let is_set = |name: &&str| environment.var(name).is_some();
        Self::ALL.into_iter().find(|harness| harness.variables().iter().any(is_set))
    }

    /// A variable of a harness that is set.
    pub(super) fn variable_set(environment: &Environment) -> Option<&'static str> {
        let variables = Self::ALL.into_iter().flat_map(|harness| harness.variables().iter().copied());
        variables.into_iter().find(|name| environment.var(name).is_some())
    }

    const fn variables(self) -> &'static [&'static str] {
        match self {
            Self::Codex => &["CODEX_THREAD_ID"],
            Self::ClaudeCode => &["CLAUDE_CODE_SESSION_ID", "CLAUDECODE"],
            Self::Gemini => &["GEMINI_CLI"],
            Self::OpenCode => &["OPENCODE"],
        }
    }

    /// The variable that holds the id of the conversation.
    pub(super) const fn conversation_variable(self) -> Option<&'static str> {
        match self {
            Self::Codex => Some("CODEX_THREAD_ID"),
            Self::ClaudeCode => Some("CLAUDE_CODE_SESSION_ID"),
            Self::Gemini | Self::OpenCode => None,
        }
    }

    /// Whether a process of it has one conversation at a time. Codex runs a thread for each, and each is an agent; where
    /// no conversation is told, the process is the agent anyway.
    pub(super) const fn has_one_conversation(self) -> bool {
        matches!(self, Self::ClaudeCode)
    }

    /// The variable that holds the pid of the harness.
    pub(super) const fn pid_variable(self) -> Option<&'static str> {
        match self {
            Self::ClaudeCode => Some("CLAUDE_PID"),
            Self::OpenCode => Some("OPENCODE_PID"),
            Self::Codex | Self::Gemini => None,
        }
    }

    /// Whether an ancestor process is this harness.
    pub(super) fn is(self, ancestor: &Ancestor, environment: &Environment) -> bool {
        Self::of_ancestor(ancestor, environment) == Some(self)
    }

    /// The harness that an ancestor process is.
    pub(super) fn of_ancestor(ancestor: &Ancestor, environment: &Environment) -> Option<Self> {
        let named_by_variable = |harness: &Self| {
            let pid = harness.pid_variable().and_then(|name| environment.var(name));
            // Everybody may name an ancestor that all have.
            shells::stands(ancestor) && pid.is_some_and(|pid| pid.parse() == Ok(ancestor.pid))
        };
        Self::of_process(&ancestor.comm, &ancestor.argv).or_else(|| Self::ALL.into_iter().find(named_by_variable))
    }

    /// The harness that a process is, by the name of its program or of the script it runs. Arguments beyond that
    /// prove nothing: `vim codex.md` is not Codex.
    fn of_process(comm: &str, argv: &[String]) -> Option<Self> {
        let Some((program, arguments)) = argv.split_first() else { return Self::of_program(comm) };
        let program = base_name(program);
        if let Some(harness) = Self::of_program(program) {
            return Some(harness);
        }
        if INTERPRETERS.contains(&program) {
            return Self::of_script(script_in(arguments)?);
        }
        // Codex runs its sandbox from its own executable: the name of the file is Codex's, the role is not.
        if program.starts_with("codex-") { None } else { Self::of_program(comm) }
    }

    fn of_program(name: &str) -> Option<Self> {
        match name {
            "codex" => Some(Self::Codex),
            "claude" => Some(Self::ClaudeCode),
            "gemini" => Some(Self::Gemini),
            "opencode" => Some(Self::OpenCode),
            _ if name.starts_with("codex-x86_64-") || name.starts_with("codex-aarch64-") => Some(Self::Codex),
            _ => None,
        }
    }

    fn of_script(path: &str) -> Option<Self> {
        let name = base_name(path);
        let stem = [".js", ".mjs", ".cjs"].into_iter().find_map(|end| name.strip_suffix(end)).unwrap_or(name);
        Self::of_program(stem).or_else(|| {
            let parts: Vec<&str> = path.split('/').collect();
            parts.windows(2).find_map(|pair| match pair {
                ["@openai", "codex"] => Some(Self::Codex),
                ["@anthropic-ai", "claude-code"] => Some(Self::ClaudeCode),
                ["@google", "gemini-cli"] => Some(Self::Gemini),
                ["node_modules", "opencode-ai"] => Some(Self::OpenCode),
                _ => None,
            })
        })
    }
}

const INTERPRETERS: [&str; 4] = ["node", "nodejs", "bun", "deno"];

/// The script among an interpreter's arguments: the first that is neither an option nor an option's value.
fn script_in(arguments: &[String]) -> Option<&str> {
    let mut arguments = arguments.iter().map(String::as_str);
    loop {
        match arguments.next()? {
            "-r" | "--require" | "--import" | "--loader" => drop(arguments.next()),
            "run" => {}
            option if option.starts_with('-') => {}
            script => return Some(script),
        }
    }
}

fn base_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(comm: &str, command_line: &str) -> Option<&'static str> {
        let argv: Vec<String> = command_line.split_whitespace().map(str::to_owned).collect();
        Harness::of_process(comm, &argv).map(Harness::slug)
    }

    #[test]
    fn a_harness_is_known_by_its_program_or_its_script() {
        let cases = [
            ("codex", "codex --full-auto", "codex"),
            ("codex", "/opt/node_modules/@openai/codex/vendor/x86_64-unknown-linux-musl/codex/codex exec", "codex"),
            ("codex-x86_64-un", "./codex-x86_64-unknown-linux-musl", "codex"),
            ("node", "node /usr/lib/node_modules/@openai/codex/bin/codex.js", "codex"),
            ("claude", "claude", "claude-code"),
            ("node-MainThread", "node /usr/lib/node_modules/@anthropic-ai/claude-code/cli.js -p", "claude-code"),
            ("node", "node --no-warnings=DEP0040 /usr/bin/gemini", "gemini"),
            ("node", "/usr/bin/node -r x --max-old-space-size=4096 /l/@google/gemini-cli/dist/index.js", "gemini"),
            ("opencode", "/root/.opencode/bin/opencode run", "opencode"),
            ("bun", "bun run /l/node_modules/opencode-ai/bin/main.js", "opencode"),
            ("claude", "", "claude-code"),
        ];
        for (comm, command_line, slug) in cases {
            assert_eq!(of(comm, command_line), Some(slug), "{command_line}");
        }
    }

    #[test]
    fn a_name_somewhere_in_the_command_line_proves_nothing() {
        let cases = [
            ("vim", "vim codex"),
            ("bash", "/bin/bash -c codex exec"),
            ("bash", "/bin/bash -c source /root/.claude/shell-snapshots/claude"),
            ("node", "node /srv/gemini-cli/scripts/test.js"),
            ("node", "node server.js claude"),
            ("node", "node"),
            ("rg", "/usr/lib/node_modules/@anthropic-ai/claude-code/vendor/rg x"),
            ("codex", "codex-linux-sandbox --policy x -- bash"),
            ("npm exec openco", "npm exec opencode"),
            ("claude-desktop", "/opt/claude-desktop"),
        ];
        for (comm, command_line) in cases {
            assert_eq!(of(comm, command_line), None, "{command_line}");
        }
    }
}
