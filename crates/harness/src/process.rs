//! How a process is recognised as a harness.

use crate::{Harness, facts::Facts};

impl Harness {
    /// The harness that a process is, by the name of its program or of the script it runs. Arguments beyond that
    /// prove nothing: `vim codex.md` is not Codex.
    pub fn of_process(comm: &str, argv: &[String]) -> Option<Self> {
        let Some((program, arguments)) = argv.split_first() else { return Self::of_program(comm) };
        let program = base_name(program);
        if let Some(harness) = Self::of_program(program) {
            return Some(harness);
        }
        if INTERPRETERS.contains(&program) {
            return Self::of_script(script_in(arguments)?);
        }
        let is_helper = |facts: &Facts| facts.helper_prefix.is_some_and(|prefix| program.starts_with(prefix));
        if Self::ALL.into_iter().any(|harness| is_helper(harness.facts())) { None } else { Self::of_program(comm) }
    }

    /// Whether a process of this harness serves several screens, and outlives them.
    pub fn is_server(self, argv: &[String]) -> bool {
        let word = self.facts().server_word;
        word.is_some_and(|word| {
            argv.iter().skip(1).take_while(|argument| *argument != "--").any(|argument| argument == word)
        })
    }

    fn of_program(name: &str) -> Option<Self> {
        let is_named = |facts: &Facts| {
            facts.program == name || facts.program_prefixes.iter().any(|prefix| name.starts_with(prefix))
        };
        Self::ALL.into_iter().find(|harness| is_named(harness.facts()))
    }

    fn of_script(path: &str) -> Option<Self> {
        let name = base_name(path);
        let stem = [".js", ".mjs", ".cjs"].into_iter().find_map(|end| name.strip_suffix(end)).unwrap_or(name);
        Self::of_program(stem).or_else(|| {
            let parts: Vec<&str> = path.split('/').collect();
            let of_pair = |pair: &[&str]| Self::ALL.into_iter().find(|harness| harness.facts().package == *pair);
            parts.windows(2).find_map(of_pair)
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
    fn a_server_is_known_by_its_command() {
        let is_server = |harness: Harness, command_line: &str| {
            harness.is_server(&command_line.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
        };
        assert!(is_server(Harness::Codex, "/opt/bin/codex app-server --listen unix:// --managed-daemon"));
        assert!(is_server(Harness::OpenCode, "opencode serve --port 1"));
        assert!(!is_server(Harness::Codex, "codex --full-auto -- app-server"));
        assert!(!is_server(Harness::Codex, "app-server"));
        assert!(!is_server(Harness::ClaudeCode, "claude serve app-server"));
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
