//! A client that speaks one revision, with what the HTTP layer knows about it.

use std::sync::Arc;

use baton_app::Rights;
use http::{Method, Request, Response, StatusCode, request::Builder};
use serde_json::{Value, json};
use tokio::sync::watch;

use super::web::{Answer, Web};
use crate::http::{Body, Principal};

/// The revisions that begin with `initialize`.
pub(super) const WITH_SESSIONS: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];
/// The one that has no sessions.
pub(super) const STATELESS: &str = "2026-07-28";

pub(super) struct Client<'a> {
    web: &'a Web,
    revision: &'a str,
    name: &'a str,
    pub(super) session: Option<String>,
    who: Option<(Principal, Rights)>,
    next_id: u64,
}

impl<'a> Client<'a> {
    /// A client that has said nothing.
    pub(super) fn new(web: &'a Web, revision: &'a str) -> Self {
        Self { web, revision, name: "test-client", session: None, who: None, next_id: 1 }
    }

    pub(super) fn named(self, name: &'a str) -> Self {
        Self { name, ..self }
    }

    /// The same with credentials.
    pub(super) fn with(self, principal: &str, rights: Rights) -> Self {
        Self { who: Some((Principal { name: principal.into(), ..Principal::default() }, rights)), ..self }
    }

    /// A client with credentials that can be revoked.
    pub(super) fn revocable(self, principal: &str, revocation: watch::Receiver<Option<Arc<str>>>) -> Self {
        let principal = Principal { name: principal.into(), revocation: Some(revocation), ..Principal::default() };
        Self { who: Some((principal, Rights::Agent)), ..self }
    }

    /// The same with credentials that speak for an agent.
    pub(super) fn speaking_for(self, agent: &str) -> Self {
        let principal = Principal { name: "bound".into(), agent: Some(agent.parse().unwrap()), ..Principal::default() };
        Self { who: Some((principal, Rights::Agent)), ..self }
    }

    /// Says hello the way its revision does.
    pub(super) async fn greeted(mut self) -> Self {
        if self.revision == STATELESS {
            return self;
        }
        let hello = json!({
            "protocolVersion": self.revision,
            "capabilities": {},
            "clientInfo": {"name": self.name, "version": "1"},
        });
        let answer = self.request("initialize", hello).await;
        assert_eq!(answer.status, StatusCode::OK, "{answer:?}");
        assert_eq!(answer.message()["result"]["protocolVersion"], self.revision, "{answer:?}");
        self.session = Some(answer.headers["mcp-session-id"].to_str().unwrap().to_owned());
        let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        assert_eq!(self.post(&initialized).await.status, StatusCode::ACCEPTED);
        self
    }

    /// A request with the headers that its revision asks for.
    pub(super) fn request_builder(&self, method: Method) -> Builder {
        let mut builder = Request::builder().method(method).uri("/mcp").header("host", "127.0.0.1:7433");
        builder = builder.header("accept", "application/json, text/event-stream");
        builder = builder.header("content-type", "application/json");
        if self.revision >= "2025-06-18" {
            builder = builder.header("mcp-protocol-version", self.revision);
        }
        match &self.session {
            Some(session) => builder.header("mcp-session-id", session),
            None => builder,
        }
    }

    pub(super) async fn send(&self, request: Request<String>) -> Response<Body> {
        self.web.send(request, self.who.as_ref()).await
    }

    /// Posts a message and waits for the whole answer.
    pub(super) async fn post(&self, message: &Value) -> Answer {
        Answer::of(self.send(self.posting(message)).await).await
    }

    fn posting(&self, message: &Value) -> Request<String> {
        let mut builder = self.request_builder(Method::POST);
        if self.revision == STATELESS {
            builder = builder.header("mcp-method", message["method"].as_str().unwrap());
            if let Some(name) = message["params"]["name"].as_str() {
                builder = builder.header("mcp-name", name);
            }
        }
        builder.body(message.to_string()).unwrap()
    }

    fn message(&mut self, method: &str, mut params: Value) -> Value {
        let id = self.next_id;
        self.next_id += 1;
        if self.revision == STATELESS {
            let meta = &mut params["_meta"];
            meta["io.modelcontextprotocol/protocolVersion"] = self.revision.into();
            meta["io.modelcontextprotocol/clientCapabilities"] = json!({});
            meta["io.modelcontextprotocol/clientInfo"] = json!({"name": self.name, "version": "1"});
        }
        json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
    }

    pub(super) async fn request(&mut self, method: &str, params: Value) -> Answer {
        let message = self.message(method, params);
        self.post(&message).await
    }

    /// Begins a request and returns its id and the response, of which nothing has been read.
    pub(super) async fn begin(&mut self, method: &str, params: Value) -> (u64, Response<Body>) {
        let message = self.message(method, params);
        let response = self.send(self.posting(&message)).await;
        (self.next_id - 1, response)
    }

    /// What a tool answers.
    pub(super) async fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.call_with(tool, arguments, json!({})).await
    }

    pub(super) async fn call_with(&mut self, tool: &str, arguments: Value, meta: Value) -> Value {
        let answer = self.request("tools/call", json!({"name": tool, "arguments": arguments, "_meta": meta})).await;
        answer.message()["result"]["structuredContent"].take()
    }

    /// Joins the workspace's room; tells which it is, and as whom.
    pub(super) async fn join(&mut self) -> (Value, String) {
        let path = self.web.world.workspace();
        let joined = self.call("join_path", json!({"context_path": path})).await;
        let agent = joined["agent_id"].as_str().unwrap_or_else(|| panic!("{joined}")).to_owned();
        (joined["room_id"].clone(), agent)
    }

    /// Joins a room whose stick is with somebody else, so that a wait waits, and says how to wait there.
    pub(super) async fn join_to_wait(&mut self) -> Value {
        let (room, _) = self.join().await;
        self.web.world.take_the_stick(&room);
        json!({"name": "wait_for_turn", "arguments": {"room_id": room, "max_wait_ms": 50_000}})
    }
}
