//! `POST /v1/call/{command}`: any command of the table, by its name.

use std::sync::Arc;

use axum::{
    Extension,
    extract::{RawPathParams, Request, State, rejection::RawPathParamsRejection},
    http::HeaderMap,
    response::Response,
};
use baton_app::{
    Failure,
    table::{self, Command, Effect},
};
use baton_core::code::ErrorCode;
use serde_json::{Map, Value};

use super::{body, input};
use crate::{
    answer,
    gate::{Credentials, Principal, speaker},
    site::Site,
};

/// The field by which `join_path` takes another identity, for tests on a machine of one's own.
const OVERRIDE: &str = "agent_id_override";

/// Calls the command that the path names.
pub(super) async fn by_name(
    State(site): State<Arc<Site>>,
    Extension(principal): Extension<Principal>,
    params: Result<RawPathParams, RawPathParamsRejection>,
    request: Request,
) -> Response {
    let name = params.ok().and_then(|params| params.iter().next().map(|(_, name)| name.to_owned())).unwrap_or_default();
    let command = match table::require_on_wire(&name) {
        Ok(command) => command,
        Err(failure) => return answer::refused("", &failure),
    };
    let (parts, body) = request.into_parts();
    if parts.uri.query().is_some_and(|query| !query.is_empty()) {
        let failure = Failure::new(ErrorCode::InvalidInput, "A call takes its input from the body, not from a query.");
        return answer::refused(command.wire_name(), &failure);
    }
    match body::object(&parts.headers, body).await {
        Ok(input) => run(&site, &principal, command, input, &parts.headers).await,
        Err(failure) => answer::refused(command.wire_name(), &failure),
    }
}

/// Runs a command for whoever came through the gate.
pub(super) async fn run(
    site: &Site,
    principal: &Principal,
    command: &'static Command,
    input: Map<String, Value>,
    headers: &HeaderMap,
) -> Response {
    let prepared = || {
        let caller = speaker(principal, headers, &site.owner)?;
        let agent = caller.actor().agent_id;
        if input.contains_key(OVERRIDE) {
            let message = "Over HTTP the token and the header Baton-Agent say who you are.";
            return Err(Failure::new(ErrorCode::SourceMismatch, message).with("field", OVERRIDE));
        }
        let credential = match command.effect {
            Effect::Read | Effect::Write => Credentials::of(principal),
            // It may go on for longer than the token counts.
            Effect::Wait | Effect::Follow => site.credentials.watched(principal, Some(&agent)),
        };
        Ok((credential, caller, input::with_key(input, command, headers)?))
    };
    let answer = match prepared() {
        Ok((credential, caller, input)) => site.hub.call(&credential, caller, command, input).await,
        Err(failure) => Err(failure),
    };
    match answer {
        Ok(data) => answer::answered(command.wire_name(), data),
        Err(failure) => answer::refused(command.wire_name(), &failure),
    }
}
