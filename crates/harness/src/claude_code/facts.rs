//! How Claude Code is recognised.

use crate::facts::Facts;

pub(crate) const FACTS: Facts = Facts {
    slug: "claude-code",
    title: "Claude Code",
    program: "claude",
    program_prefixes: &[],
    helper_prefix: None,
    package: ["@anthropic-ai", "claude-code"],
    client_names: &["claude-code"],
    client_prefix: None,
    variables: &["CLAUDE_CODE_SESSION_ID", "CLAUDECODE"],
    conversation_variable: Some("CLAUDE_CODE_SESSION_ID"),
    pid_variable: Some("CLAUDE_PID"),
    status_prompt: "/baton:status",
    has_one_conversation: true,
    resume_word: Some("--resume"),
    server_word: None,
};
