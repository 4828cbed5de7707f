//! How OpenCode is recognised.

use crate::facts::Facts;

pub(crate) const FACTS: Facts = Facts {
    slug: "opencode",
    title: "OpenCode",
    program: "opencode",
    program_prefixes: &[],
    helper_prefix: None,
    package: ["node_modules", "opencode-ai"],
    client_names: &["opencode"],
    client_prefix: None,
    variables: &["OPENCODE"],
    // Baton's plugin sets it for each command.
    conversation_variable: Some("BATON_SESSION"),
    pid_variable: Some("OPENCODE_PID"),
    status_prompt: "/baton:status",
    // Each of its sessions is an agent.
    has_one_conversation: false,
    // No runner drives it.
    resume_word: None,
    server_word: Some("serve"),
};
