//! A resource route at work.

use std::sync::Arc;

use axum::{
    body::Body,
    extract::RawPathParams,
    http::{HeaderMap, header, request::Parts},
    response::Response,
};
use baton_app::{Failure, table::Command};
use serde_json::{Map, Value};

use super::{
    body, call,
    fields::{Field, fields},
    input,
    table::{Resource, Stream},
};
use crate::{answer, gate::Principal, site::Site, stream};

/// A route with its command and what that takes.
pub(super) struct Ready {
    resource: &'static Resource,
    command: &'static Command,
    fields: Vec<Field>,
}

impl Ready {
    pub(super) fn new(resource: &'static Resource, command: &'static Command) -> Arc<Self> {
        Arc::new(Self { resource, command, fields: fields(command) })
    }

    /// Calls the command with what the request says, or begins to stream.
    pub(super) async fn serve(
        &self,
        site: &Site,
        principal: &Principal,
        params: &RawPathParams,
        parts: &Parts,
        body: Body,
    ) -> Response {
        match self.resource.stream {
            Stream::Events if accepts_stream(&parts.headers) => {
                return stream::events(site, principal, params, parts).await;
            }
            Stream::Actions if accepts_stream(&parts.headers) => {
                return stream::actions(site, principal, params, parts).await;
            }
            Stream::No | Stream::Events | Stream::Actions => {}
        }
        match self.input(params, parts, body).await {
            Ok(input) => call::run(site, principal, self.command, input, &parts.headers).await,
            Err(failure) => answer::refused(self.command.wire_name(), &failure),
        }
    }

    async fn input(&self, params: &RawPathParams, parts: &Parts, body: Body) -> Result<Map<String, Value>, Failure> {
        let query = parts.uri.query().unwrap_or_default();
        let mut input = if self.resource.verb.has_body() {
            input::from_query(query, &[])?;
            body::object(&parts.headers, body).await?
        } else {
            input::from_query(query, &self.fields)?
        };
        for (name, text) in params {
            let value = self.fields.iter().find(|field| field.name == name).map(|field| field.read(text));
            input::set(&mut input, name, value.unwrap_or_else(|| text.into()))?;
        }
        if let Some(field) = self.resource.always {
            input::set(&mut input, field, true.into())?;
        }
        Ok(input)
    }
}

/// Whether the request asks for a stream of events.
fn accepts_stream(headers: &HeaderMap) -> bool {
    let accepted = headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok());
    accepted
        .flat_map(|line| line.split(','))
        .any(|kind| kind.split(';').next().is_some_and(|kind| kind.trim().eq_ignore_ascii_case("text/event-stream")))
}
