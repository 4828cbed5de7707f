//! A server without a network: the service on a throw-away store.

use std::{sync::Arc, time::Duration};

use baton_app::{
    Rights,
    table::{Effect, Tier},
};
use bytes::Bytes;
use http::{HeaderMap, Request, Response, StatusCode};
use http_body_util::{BodyExt, Full};
use serde_json::Value;
use tokio::{sync::watch, time::timeout};
use tower_service::Service as _;

use crate::{
    blocking,
    http::{Body, Options, Principal, Run, Service, sessions::SESSIONS_MAX, with_sessions},
    tests::world::World,
};

/// Longer than anything here takes; a test that gets here has failed.
const PATIENCE: Duration = Duration::from_secs(10);

pub(super) struct Web {
    pub(super) world: World,
    pub(super) service: Service,
    closing: watch::Sender<bool>,
    waits: Arc<watch::Sender<usize>>,
}

impl Web {
    pub(super) fn open() -> Self {
        Self::with_sessions(SESSIONS_MAX)
    }

    /// A server with so many sessions at most.
    pub(super) fn with_sessions(most: usize) -> Self {
        let world = World::new();
        let (closing, closed) = watch::channel(false);
        let origins = vec!["http://127.0.0.1:7433".to_owned()];
        let options = Options { tier: Tier::Daily, hosts: Vec::new(), origins, closing: closed };
        let (app, waits) = (world.app(), Arc::new(watch::Sender::new(0)));
        let counter = Arc::clone(&waits);
        let run = Run::new(move |_, caller, call| {
            let (app, counter) = (Arc::clone(&app), Arc::clone(&counter));
            async move {
                let wait = (call.command.effect == Effect::Wait).then(|| Counted::new(counter));
                blocking::cross(move || {
                    let _until_it_has_really_ended = wait;
                    call.run(&app, &caller)
                })
                .await
            }
        });
        Self { world, service: with_sessions(run, options, most), closing, waits }
    }

    /// Sends a request as the HTTP layer in front would: with what it found out about the sender.
    pub(super) async fn send(&self, request: Request<String>, who: Option<&(Principal, Rights)>) -> Response<Body> {
        let mut request = request.map(|body| Full::new(Bytes::from(body)));
        if let Some((principal, rights)) = who {
            request.extensions_mut().insert(principal.clone());
            request.extensions_mut().insert(*rights);
        }
        self.service.clone().call(request).await.unwrap()
    }

    /// Waits until so many waits are under way.
    pub(super) async fn until_waits_are(&self, expected: usize) {
        let mut waits = self.waits.subscribe();
        timeout(PATIENCE, waits.wait_for(|waits| *waits == expected)).await.expect("so many in time").unwrap();
    }

    /// Announces the end of the server.
    pub(super) fn close(&self) {
        self.closing.send_replace(true);
    }
}

/// A wait that is under way.
struct Counted(Arc<watch::Sender<usize>>);

impl Counted {
    fn new(waits: Arc<watch::Sender<usize>>) -> Self {
        waits.send_modify(|waits| *waits += 1);
        Self(waits)
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.send_modify(|waits| *waits -= 1);
    }
}

/// What was answered, all of it.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) status: StatusCode,
    pub(super) headers: HeaderMap,
    pub(super) text: String,
}

impl Answer {
    pub(super) async fn of(response: Response<Body>) -> Self {
        let (parts, body) = response.into_parts();
        let body = timeout(PATIENCE, body.collect()).await.expect("an answer in time").unwrap().to_bytes();
        Self { status: parts.status, headers: parts.headers, text: String::from_utf8(body.to_vec()).unwrap() }
    }

    /// The messages in it: one, or those of a stream.
    pub(super) fn messages(&self) -> Vec<Value> {
        let is_stream = self.headers["content-type"] == "text/event-stream";
        let texts: Vec<&str> = match is_stream {
            true => self.text.lines().filter_map(|line| line.strip_prefix("data:")).map(str::trim).collect(),
            false => vec![&self.text],
        };
        let parse = |text: &&str| serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"));
        texts.iter().filter(|text| !text.is_empty()).map(parse).collect()
    }

    /// The last message, which is the answer itself.
    pub(super) fn message(&self) -> Value {
        self.messages().pop().unwrap_or_else(|| panic!("{self:?}"))
    }
}
