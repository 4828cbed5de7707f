//! Who calls, from what the client shows. The whole of this crate's contact with identity.
//!
//! The resolver is the app's; here is only what MCP adds to it: the name the client gave itself, in `initialize`
//! or in every request, and the conversation that Codex names with each call.

use std::{
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
};

use baton_app::{
    Caller, Cancel, Connection,
    identity::{Employment, HookKey, RecordStamp, Resolved, Surroundings, Told},
    liveness,
};
use baton_core::process::ProcessIdentity;
use rmcp::{RoleServer, service::RequestContext};
use serde_json::{Map, Value};

/// Longest conversation id that is believed.
const THREAD_ID_BYTES: usize = 128;
/// Where Codex describes a turn.
const CODEX_TURN: &str = "x-codex-turn-metadata";

/// What a call shows of its client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seen<'a> {
    /// `clientInfo.name`.
    pub client_name: Option<&'a str>,
    /// The harness's own conversation id, where a call names it.
    pub thread_id: Option<&'a str>,
    /// The conversation that a hook of the harness signed for the call.
    pub told: Option<&'a Told>,
}

/// A caller that was told, with what it was told by.
struct Known {
    client_name: Option<String>,
    thread_id: Option<String>,
    told: Option<Told>,
    revision: Option<RecordStamp>,
    resolved: Resolved,
}

type Identify = dyn Fn(Seen<'_>) -> Resolved + Send + Sync;
type Revision = dyn Fn() -> Option<RecordStamp> + Send + Sync;

/// Makes the caller of each call on one connection.
pub struct Callers {
    identify: Box<Identify>,
    /// The version of what the harness has on record about itself.
    revision: Box<Revision>,
    /// The key with which hooks sign conversations, looked for until there is one.
    key: Box<dyn Fn() -> Option<HookKey> + Send + Sync>,
    /// The caller that was told last, with what it was told by. Nothing else about a client changes while it is connected.
    known: Mutex<Option<Known>>,
    cwd: PathBuf,
    connection: Arc<Connection>,
    /// The process behind the last call.
    behind: Arc<Mutex<Option<ProcessIdentity>>>,
    /// The job that the client works for.
    employment: Employment,
}

impl Callers {
    /// The callers of a client that started this process. `data_directory` has the key of its hooks.
    pub fn around(surroundings: Surroundings, data_directory: PathBuf) -> Self {
        let cwd = surroundings.environment().cwd().to_owned();
        let employment = surroundings.employment().clone();
        let seen_again = surroundings.clone();
        let callers = Self::new(move |seen| surroundings.mcp_caller(seen.client_name, seen.thread_id, seen.told), cwd);
        let connection = Arc::new(Connection::of_server(liveness::identify(std::process::id())));
        let key = Box::new(move || HookKey::existing(&data_directory));
        Self { employment, connection, key, revision: Box::new(move || seen_again.revision()), ..callers }
    }

    /// Callers that `identify` tells apart, with relative paths starting at `cwd`.
    pub fn new<R: Into<Resolved>>(
        identify: impl Fn(Seen<'_>) -> R + Send + Sync + 'static,
        cwd: impl Into<PathBuf>,
    ) -> Self {
        let (known, connection, behind) = (Mutex::default(), Arc::default(), Arc::default());
        let identify = Box::new(move |seen: Seen<'_>| identify(seen).into());
        let (revision, key) = (Box::new(|| None), Box::new(|| None));
        Self { identify, revision, key, known, cwd: cwd.into(), connection, behind, employment: Employment::None }
    }

    /// Whether the client was started for a job.
    pub(crate) const fn are_a_job(&self) -> bool {
        matches!(self.employment, Employment::Job(_))
    }

    /// Where the process behind the last call is noted, for when the connection is over.
    pub(crate) fn behind(&self) -> Arc<Mutex<Option<ProcessIdentity>>> {
        Arc::clone(&self.behind)
    }

    /// The caller of one call, which a hook may have told in its arguments.
    pub(crate) fn caller(
        &self,
        context: &RequestContext<RoleServer>,
        argument: Option<&Value>,
        cancel: Cancel,
    ) -> Caller {
        let client = context.client_info();
        let thread_id = thread_id(&context.meta);
        let told =
            argument.and_then(|argument| self.told(client.as_ref().map(|client| client.name.as_str()), argument));
        let resolved = self.resolve(Seen {
            client_name: client.as_ref().map(|client| client.name.as_str()),
            thread_id: thread_id.as_deref(),
            told: told.as_ref(),
        });
        let caller = Caller::new(resolved, self.cwd.clone()).on(Arc::clone(&self.connection), cancel);
        caller.assigned(self.employment.clone())
    }

    /// The conversation that a hook signed for the process behind this connection. A model may write such an argument too, and
    /// is not believed.
    fn told(&self, client_name: Option<&str>, argument: &Value) -> Option<Told> {
        let process = self.resolve(Seen { client_name, thread_id: None, told: None }).actor.process?;
        (self.key)()?.verify(argument, &process)
    }

    /// Works out who calls, unless the last call was the same client's in the same conversation.
    fn resolve(&self, seen: Seen<'_>) -> Resolved {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let revision = (self.revision)();
        if let Some(known) = &*known
            && known.client_name.as_deref() == seen.client_name
            && known.thread_id.as_deref() == seen.thread_id
            && known.told.as_ref() == seen.told
            && known.revision == revision
        {
            return known.resolved.clone();
        }
        let resolved = (self.identify)(seen);
        if resolved.actor.process.is_some() {
            self.behind.lock().unwrap_or_else(PoisonError::into_inner).clone_from(&resolved.actor.process);
        }
        let Seen { client_name, thread_id, told } = seen;
        *known = Some(Known {
            client_name: client_name.map(str::to_owned),
            thread_id: thread_id.map(str::to_owned),
            told: told.cloned(),
            revision,
            resolved: resolved.clone(),
        });
        resolved
    }
}

/// The conversation that a request's `_meta` names.
pub(crate) fn thread_id(meta: &Map<String, Value>) -> Option<String> {
    let direct = meta.get("threadId").and_then(Value::as_str).map(str::to_owned);
    direct.or_else(|| in_turn(meta.get(CODEX_TURN)?)).filter(|id| !id.is_empty() && id.len() <= THREAD_ID_BYTES)
}

/// The turn is described by an object, or by one written as text.
fn in_turn(turn: &Value) -> Option<String> {
    let parsed: Value;
    let turn = match turn {
        Value::String(text) => {
            parsed = serde_json::from_str(text).ok()?;
            &parsed
        }
        turn => turn,
    };
    turn.get("thread_id").and_then(Value::as_str).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use baton_core::{process::SessionKind, room::Actor};
    use serde_json::json;

    use super::*;

    #[test]
    fn a_caller_is_worked_out_once_for_as_long_as_the_conversation_is_the_same() {
        let asked = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&asked);
        let callers = Callers::new(
            move |seen: Seen<'_>| {
                counter.fetch_add(1, Ordering::Relaxed);
                let id = format!("{}:{}", seen.client_name.unwrap_or("nobody"), seen.thread_id.unwrap_or("none"));
                Actor::found(id.parse().unwrap(), None, SessionKind::McpHarness)
            },
            "/",
        );
        let id = |client_name, thread_id| {
            callers.resolve(Seen { client_name, thread_id, told: None }).actor.agent_id.to_string()
        };
        assert_eq!([id(Some("codex"), Some("a")), id(Some("codex"), Some("a"))], ["codex:a", "codex:a"]);
        assert_eq!(asked.load(Ordering::Relaxed), 1);
        assert_eq!(id(Some("codex"), Some("b")), "codex:b");
        assert_eq!(id(Some("codex"), None), "codex:none");
        assert_eq!(id(None, None), "nobody:none");
        assert_eq!(id(Some("codex"), Some("a")), "codex:a");
        assert_eq!(asked.load(Ordering::Relaxed), 5);
    }

    #[test]
    fn codex_names_the_conversation_directly_or_in_its_turn_metadata() {
        let seen = |meta: Value| thread_id(meta.as_object().unwrap());
        assert_eq!(seen(json!({"threadId": "t1", CODEX_TURN: {"thread_id": "t2"}})).as_deref(), Some("t1"));
        assert_eq!(seen(json!({CODEX_TURN: {"thread_id": "t2"}})).as_deref(), Some("t2"));
        assert_eq!(seen(json!({CODEX_TURN: "{\"thread_id\":\"t3\"}"})).as_deref(), Some("t3"));
        assert_eq!(seen(json!({CODEX_TURN: "not json", "progressToken": 1})), None);
        assert_eq!(seen(json!({"threadId": "x".repeat(THREAD_ID_BYTES + 1)})), None);
    }
}
