//! Which of the runner's variables a program gets: those it needs to run, to log in and to reach its model, and those that
//! the user's configuration names. Everything else stays with the runner, because whatever a program knows its agent may tell.

use std::{
    ffi::{OsStr, OsString},
    fmt,
};

use baton_app::{environment::Environment, programs::without_relative_entries};

use super::{ExecutorKind, codex};

/// What any program needs.
const COMMON: &[&str] = &[
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "LANG",
    "LANGUAGE",
    "LC_*",
    "TERM",
    "COLORTERM",
    "NO_COLOR",
    "TZ",
    "TMPDIR",
    "TMP",
    "TEMP",
    "XDG_*",
    // Where a login may be kept.
    "DBUS_SESSION_BUS_ADDRESS",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "NO_PROXY",
    "http_proxy",
    "https_proxy",
    "all_proxy",
    "no_proxy",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "CURL_CA_BUNDLE",
    "REQUESTS_CA_BUNDLE",
    "NODE_EXTRA_CA_CERTS",
    // How the Baton of an agent behaves, and whose it is in the end.
    "BATON_RUNNER_AUTOSTART",
    "BATON_CONFIG",
    "BATON_MINDER",
];

const CODEX: &[&str] = &["CODEX_*", "OPENAI_*", "AZURE_OPENAI_*"];

const CLAUDE: &[&str] = &[
    "ANTHROPIC_*",
    "CLAUDE_*",
    "DISABLE_*",
    "IS_SANDBOX",
    "API_TIMEOUT_MS",
    "BASH_DEFAULT_TIMEOUT_MS",
    "BASH_MAX_TIMEOUT_MS",
    "BASH_MAX_OUTPUT_LENGTH",
    "MAX_THINKING_TOKENS",
    "MAX_MCP_OUTPUT_TOKENS",
    "MCP_TIMEOUT",
    "MCP_TOOL_TIMEOUT",
    "USE_BUILTIN_RIPGREP",
];

/// The switch that has Claude Code use a cloud's models, and what that cloud's login needs.
const CLAUDE_CLOUDS: [(&str, &[&str]); 3] = [
    ("CLAUDE_CODE_USE_BEDROCK", &["AWS_*"]),
    ("CLAUDE_CODE_USE_VERTEX", &["GOOGLE_*", "GCLOUD_*", "CLOUDSDK_*", "CLOUD_ML_REGION", "VERTEX_*"]),
    ("CLAUDE_CODE_USE_FOUNDRY", &["AZURE_*"]),
];

/// Variables by which a program would take itself for a part of the one that the runner was started from, or Baton would
/// take it for whoever started the runner. A prefix does not let them in; only their whole name does.
const NESTED: [&str; 21] = [
    "BATON_AGENT_ID",
    "BATON_JOB",
    "CLAUDECODE",
    "CLAUDE_AGENT_SDK_VERSION",
    "CLAUDE_CODE_CHILD_SESSION",
    "CLAUDE_CODE_ENTRYPOINT",
    "CLAUDE_CODE_MESSAGING_SOCKET",
    "CLAUDE_CODE_MESSAGING_TOKEN",
    "CLAUDE_CODE_SESSION_ATTENDED",
    "CLAUDE_CODE_SESSION_ID",
    "CLAUDE_CODE_SSE_PORT",
    "CLAUDE_ENV_FILE",
    "CLAUDE_PID",
    "CLAUDE_PLUGIN_DATA",
    "CLAUDE_PLUGIN_ROOT",
    "CLAUDE_PROJECT_DIR",
    "CODEX_CI",
    "CODEX_SANDBOX",
    "CODEX_SANDBOX_NETWORK_DISABLED",
    "CODEX_THREAD_ID",
    "CODEX_TURN_ID",
];

/// The name of a variable, or the beginning of several: `NAME`, `PREFIX_*`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VariableName(String);

impl VariableName {
    /// Reads a name. None when it is not one; a star alone, which would be every variable, is none.
    pub fn parse(text: &str) -> Option<Self> {
        let name = text.strip_suffix('*').unwrap_or(text);
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        let fits = !name.is_empty() && name.bytes().all(is_plain) && !name.starts_with(|c: char| c.is_ascii_digit());
        fits.then(|| Self(text.to_owned()))
    }

    fn covers(&self, name: &str) -> bool {
        covers(&self.0, name)
    }
}

fn covers(pattern: &str, name: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(prefix) => name.starts_with(prefix) && !NESTED.contains(&name),
        None => pattern == name,
    }
}

/// The variables that a program gets of the runner's. Their values may be secret, and are never shown.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Variables(Vec<(OsString, OsString)>);

impl Variables {
    /// Those for a program of this kind, and those that the user names.
    pub fn inherited<'a>(
        environment: &Environment,
        kind: ExecutorKind,
        named: impl IntoIterator<Item = &'a VariableName>,
    ) -> Self {
        let mut known = COMMON.to_vec();
        let mut of_provider = Vec::new();
        match kind {
            ExecutorKind::Codex => {
                known.extend(CODEX);
                of_provider = codex::provider_variables(environment);
            }
            ExecutorKind::ClaudeCode => {
                known.extend(CLAUDE);
                let is_on =
                    |switch: &str| environment.var(switch).is_some_and(|value| !["0", "false"].contains(&value));
                known.extend(CLAUDE_CLOUDS.iter().filter(|(switch, _)| is_on(switch)).flat_map(|(_, names)| *names));
            }
            ExecutorKind::Command => {}
        }
        let named: Vec<&VariableName> = named.into_iter().collect();
        let is_let_in = |name: &str| {
            known.iter().any(|pattern| covers(pattern, name))
                || of_provider.iter().chain(named.iter().copied()).any(|pattern| pattern.covers(name))
        };
        // A name that is not text is in no list.
        let kept = environment.vars().filter(|(name, _)| name.to_str().is_some_and(is_let_in));
        Self(kept.map(|(name, value)| (name.to_owned(), child_value(name, value))).collect())
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (OsString, OsString)> {
        self.0.iter().cloned()
    }
}

/// A program must not find another one in its working directory, which is the repository's.
fn child_value(name: &OsStr, value: &OsStr) -> OsString {
    if name == "PATH" { without_relative_entries(value) } else { value.to_owned() }
}

impl fmt::Debug for Variables {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.iter().map(|(name, _)| name)).finish()
    }
}
