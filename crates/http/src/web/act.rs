//! What a person does on a page: a command of the table, with what a form says as its input.

use std::sync::Arc;

use axum::{
    Extension,
    body::Body,
    extract::{Path, Request, State},
    http::{HeaderMap, HeaderValue, Response as HttpResponse, StatusCode, header},
    response::Response,
};
use baton_app::{
    Caller, Failure,
    commands::agent::Show,
    table::{self, UseCase},
};
use baton_bus::Credential;
use baton_core::{agent::user_of, code::ErrorCode, ids::AgentId, process::SessionKind, room::Actor};
use maud::html;
use serde_json::json;

use super::{
    form::{AS, BACK, DONE, Posted},
    shell::{self, Flash, Theme},
    show,
};
use crate::{
    answer,
    gate::{Credentials, Principal, speaker},
    routes::body,
    site::Site,
};

/// `POST /do/{command}`
pub(super) async fn act(
    State(site): State<Arc<Site>>,
    Extension(principal): Extension<Principal>,
    Path(name): Path<String>,
    request: Request,
) -> Response {
    let (parts, body) = request.into_parts();
    let posted = match read(&parts.headers, body).await {
        Ok(posted) => posted,
        Err(failure) => return show::refused(&parts.headers, &failure),
    };
    let Posted { back, done, speaks_as, input, fields } = posted;
    let called = async {
        let command = table::require_on_wire(&name)?;
        let caller = speaker(&principal, &parts.headers, &site.owner)?;
        let credential = Credentials::of(&principal);
        let caller = match speaks_as {
            Some(id) => own_other(&site, &credential, caller, &id, &input).await?,
            None => caller,
        };
        site.hub.call(&credential, caller, command, input).await
    };
    match called.await {
        Ok(answer) => gone_back(&back, &Flash::done(named(&done, &answer))),
        Err(failure) => again(&parts.headers, &name, &back, &fields, &failure),
    }
}

/// What is said when it is done, with the job that came of it.
fn named(done: &str, answer: &serde_json::Value) -> String {
    let job = &answer["job"];
    let job = job.as_str().or_else(|| job["job"].as_str());
    done.replace("{job}", job.unwrap_or("it"))
}

/// `POST /theme`: dark, light, or as the machine has it.
pub(super) async fn theme(request: Request) -> Response {
    let (parts, body) = request.into_parts();
    match read(&parts.headers, body).await {
        Ok(Posted { back, input, .. }) => {
            let theme = Theme::named(input.get("theme").and_then(|theme| theme.as_str()).unwrap_or_default());
            let mut response = redirect(&back);
            response.headers_mut().append(header::SET_COOKIE, theme.cookie());
            response
        }
        Err(failure) => show::refused(&parts.headers, &failure),
    }
}

async fn read(headers: &HeaderMap, body: Body) -> Result<Posted, Failure> {
    Posted::read(&body::whole(headers, body).await?)
}

/// A person under another of their own names: the one that they have at a terminal, if the room has it on record
/// as a person's.
async fn own_other(
    site: &Site,
    credential: &Credential,
    caller: Caller,
    id: &str,
    input: &serde_json::Map<String, serde_json::Value>,
) -> Result<Caller, Failure> {
    let refuse = || {
        let message = "A person acts under their own names only.";
        Failure::new(ErrorCode::SourceMismatch, message).with("field", AS)
    };
    let agent_id: AgentId = id.parse().map_err(|_| refuse())?;
    let you = caller.actor();
    let asked = [("room_id", input.get("room_id")), ("agent", Some(&json!(id)))];
    let asked = asked.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?.clone()))).collect();
    let show = table::require_on_wire(Show::NAME)?;
    let shown = site.hub.call(credential, caller.clone(), show, asked).await.map_err(|_| refuse())?;
    let kind = serde_json::from_value(shown["session_kind"].clone()).ok().filter(|_| shown["agent_id"] == id);
    let user = user_of(&you.agent_id, you.sender_kind());
    if you.agent_id != site.owner || user.is_none() || user_of(&agent_id, kind) != user {
        return Err(refuse());
    }
    let actor = Actor { via: you.via, ..Actor::found(agent_id, None, SessionKind::Human) };
    let rights = caller.rights();
    Ok(Caller::new(actor, caller.cwd).with_rights(rights))
}

/// Back to where the form was, which says that it is done.
fn gone_back(back: &str, flash: &Flash) -> Response {
    let mut response = redirect(back);
    response.headers_mut().append(header::SET_COOKIE, flash.cookie());
    response
}

fn redirect(back: &str) -> Response {
    let mut response = HttpResponse::new(Body::empty());
    *response.status_mut() = StatusCode::SEE_OTHER;
    let back = HeaderValue::from_str(back).unwrap_or(HeaderValue::from_static("/"));
    response.headers_mut().insert(header::LOCATION, back);
    response
}

/// Why it was refused, with all that was filled in, to be mended and sent again.
fn again(headers: &HeaderMap, command: &str, back: &str, fields: &[(String, String)], failure: &Failure) -> Response {
    let body = html! {
        section.notice role="alert" id="refusal" data-code=(failure.code.as_str()) {
            p { strong { (failure.message) } }
            p { (failure.next) }
            p.quiet { code { (failure.code.as_str()) } }
        }
        form.stack method="post" action={ "/do/" (command) } {
            h2 { "What you sent" }
            @for (name, value) in fields {
                @if [BACK, DONE, AS].contains(&name.as_str()) {
                    input type="hidden" name=(name) value=(value);
                } @else {
                    label { span { (name) } textarea name=(name) rows="2" { (value) } }
                }
            }
            p { button type="submit" { "Send again" } " " a href=(back) { "Back" } }
        }
    };
    show::html(answer::status(failure.code), shell::plain(Theme::of(headers), "That did not work", &body))
}
