//! How Codex is recognised.

use crate::facts::Facts;

pub(crate) const FACTS: Facts = Facts {
    slug: "codex",
    title: "Codex",
    program: "codex",
    program_prefixes: &["codex-x86_64-", "codex-aarch64-"],
    // Codex runs its sandbox from its own executable: the name of the file is Codex's, the role is not.
    helper_prefix: Some("codex-"),
    package: ["@openai", "codex"],
    client_names: &["codex-mcp-client", "codex"],
    client_prefix: None,
    variables: &["CODEX_THREAD_ID"],
    conversation_variable: Some("CODEX_THREAD_ID"),
    pid_variable: None,
    // It has no slash commands of others.
    status_prompt: "How does the Baton room stand?",
    // Codex runs a thread for each conversation, and each is an agent.
    has_one_conversation: false,
    resume_word: Some("resume"),
    // Its threads live in a server in the background, to which its screens connect, unless it is told otherwise.
    server_word: Some("app-server"),
};
