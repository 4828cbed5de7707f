//! How Gemini CLI is recognised.

use crate::facts::Facts;

pub(crate) const FACTS: Facts = Facts {
    slug: "gemini",
    title: "Gemini CLI",
    program: "gemini",
    program_prefixes: &[],
    helper_prefix: None,
    package: ["@google", "gemini-cli"],
    client_names: &["gemini"],
    // Some versions add the server's name.
    client_prefix: Some("gemini-cli-mcp-client"),
    variables: &["GEMINI_CLI"],
    conversation_variable: None,
    pid_variable: None,
    status_prompt: "/baton:status",
    // No conversation is told, so the process is the agent anyway.
    has_one_conversation: false,
    // So a resumed conversation would be another agent.
    resume_word: None,
    server_word: None,
};
