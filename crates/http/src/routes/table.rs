//! The resource routes.

use baton_bus::socket::Word;

/// A method of HTTP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verb {
    Get,
    Post,
    Patch,
    Delete,
}

/// Whether a route is also a stream, for those who accept one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stream {
    No,
    /// The events of the room.
    Events,
    /// What is submitted to the agent that speaks.
    Actions,
}

impl Stream {
    /// What it is called on the socket, and in the envelope of a refusal.
    pub(crate) const fn name(self) -> Option<&'static str> {
        match self {
            Self::No => None,
            Self::Events => Some(Word::Stream.as_str()),
            Self::Actions => Some(Word::Actions.as_str()),
        }
    }
}

/// A route, and the command that it calls.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Resource {
    pub(crate) verb: Verb,
    /// Fields of the input are in braces.
    pub(crate) path: &'static str,
    /// The command's name on the wire.
    pub(crate) command: &'static str,
    /// A field that is always set.
    pub(crate) always: Option<&'static str>,
    pub(crate) stream: Stream,
}

const fn route(verb: Verb, path: &'static str, command: &'static str) -> Resource {
    Resource { verb, path, command, always: None, stream: Stream::No }
}

const fn get(path: &'static str, command: &'static str) -> Resource {
    route(Verb::Get, path, command)
}

const fn post(path: &'static str, command: &'static str) -> Resource {
    route(Verb::Post, path, command)
}

const fn patch(path: &'static str, command: &'static str) -> Resource {
    route(Verb::Patch, path, command)
}

const fn delete(path: &'static str, command: &'static str) -> Resource {
    route(Verb::Delete, path, command)
}

impl Resource {
    const fn always(self, field: &'static str) -> Self {
        Self { always: Some(field), ..self }
    }

    const fn streaming(self, stream: Stream) -> Self {
        Self { stream, ..self }
    }

    /// The fields that stand in the path.
    pub(crate) fn in_path(&self) -> impl Iterator<Item = &'static str> {
        self.path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'))
    }
}

impl Verb {
    /// The method as it is written.
    const fn as_str(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
            Self::Patch => "PATCH",
            Self::Delete => "DELETE",
        }
    }

    /// Whether what is not in the path is in the body.
    pub(crate) const fn has_body(self) -> bool {
        match self {
            Self::Post | Self::Patch => true,
            Self::Get | Self::Delete => false,
        }
    }
}

/// A resource route, for the reference pages.
#[derive(Clone, Copy, Debug)]
pub struct Route {
    /// The method: `GET`.
    pub method: &'static str,
    /// The path, with fields of the input in braces.
    pub path: &'static str,
    /// The command's name on the wire.
    pub command: &'static str,
    /// A field that the route sets to true.
    pub always: Option<&'static str>,
    /// What it streams for those who accept `text/event-stream`, by the stream's name on the socket.
    pub stream: Option<&'static str>,
}

/// Every resource route.
pub fn routes() -> impl Iterator<Item = Route> {
    RESOURCES.iter().map(|resource| Route {
        method: resource.verb.as_str(),
        path: resource.path,
        command: resource.command,
        always: resource.always,
        stream: resource.stream.name(),
    })
}

/// Every resource route.
pub(crate) const RESOURCES: &[Resource] = &[
    get("/v1/sessions", "session.list"),
    post("/v1/sessions", "session.create"),
    get("/v1/sessions/{room_id}", "session.get"),
    patch("/v1/sessions/{room_id}", "session.update"),
    delete("/v1/sessions/{room_id}", "session.close"),
    get("/v1/sessions/{room_id}/agents", "agent.list"),
    post("/v1/sessions/{room_id}/agents", "agent.add"),
    patch("/v1/sessions/{room_id}/agents/{id}", "agent.update"),
    delete("/v1/sessions/{room_id}/agents/{id}", "agent.remove"),
    get("/v1/sessions/{room_id}/messages", "message.list"),
    post("/v1/sessions/{room_id}/messages", "message.send"),
    get("/v1/sessions/{room_id}/actions", "action.list").streaming(Stream::Actions),
    post("/v1/sessions/{room_id}/actions", "action.submit"),
    post("/v1/sessions/{room_id}/actions/{action_id}/results", "action.result"),
    post("/v1/sessions/{room_id}/deliveries", "action.take"),
    get("/v1/sessions/{room_id}/groups/{group_id}", "action.wait"),
    patch("/v1/sessions/{room_id}/tasks/{task_id}", "task.update"),
    post("/v1/sessions/{room_id}/tasks/{task_id}/done", "task.done"),
    post("/v1/sessions/{room_id}/relays", "relay.submit"),
    get("/v1/sessions/{room_id}/events", "events.history").streaming(Stream::Events),
    get("/v1/needs", "agent.needs"),
    get("/v1/recent", "room.recent"),
    get("/v1/rooms", "room.list").always("all"),
    get("/v1/overview", "room.overview"),
    get("/v1/rooms/{room_id}", "room.state"),
    patch("/v1/rooms/{room_id}/policy", "room.policy"),
    get("/v1/rooms/{room_id}/events", "room.events").streaming(Stream::Events),
    get("/v1/rooms/{room_id}/agents", "agent.list"),
    get("/v1/rooms/{room_id}/jobs", "jobs.list"),
    post("/v1/rooms/{room_id}/jobs", "jobs.create"),
    get("/v1/rooms/{room_id}/jobs/{job}", "jobs.open"),
    delete("/v1/rooms/{room_id}/jobs/{job}", "jobs.cancel"),
    post("/v1/rooms/{room_id}/jobs/{job}/messages", "jobs.message"),
    get("/v1/rooms/{room_id}/jobs/{job}/log", "jobs.log"),
    get("/v1/rooms/{room_id}/radar", "jobs.radar"),
    get("/v1/rooms/{room_id}/brief", "context.brief.show"),
    patch("/v1/rooms/{room_id}/brief", "context.brief.edit"),
    post("/v1/rooms/{room_id}/envelopes", "envelope.send"),
    get("/v1/rooms/{room_id}/edges", "agent.edge.list"),
    get("/v1/rooms/{room_id}/turns", "context.turn.list"),
    get("/v1/rooms/{room_id}/graph", "agent.graph"),
    get("/v1/rooms/{room_id}/agents/{agent}/inspect", "agent.inspect"),
    get("/v1/rooms/{room_id}/approvals", "agent.approval.list"),
    post("/v1/rooms/{room_id}/approvals/{approval}", "agent.approval.resolve"),
    get("/v1/jobs", "jobs.overview"),
    get("/v1/jobs/{job}", "jobs.open"),
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use baton_app::table;

    use super::*;
    use crate::routes::fields::fields;

    #[test]
    fn every_route_calls_a_command_that_has_the_fields_of_its_path() {
        let mut seen = BTreeSet::new();
        for resource in RESOURCES {
            let Resource { path, command: name, .. } = resource;
            let command =
                table::find_on_wire(name).unwrap_or_else(|| panic!("{path} calls {name}, which is not there"));
            assert_eq!(command.wire_name(), *name, "{path} has another name for its command");
            let known: Vec<_> = fields(command).into_iter().map(|field| field.name).collect();
            for field in resource.in_path().chain(resource.always) {
                assert!(known.iter().any(|known| known == field), "{name} has no field {field}: {known:?}");
            }
            assert!(seen.insert((resource.verb as u8, *path)), "{path} is there twice");
        }
    }
}
