//! Pages that stay current: one renderer for each page that somebody looks at, however many do.
//!
//! A renderer feels the store's pulse, renders its page again when something happened there, and hands round what it came
//! to; each stream sends the regions that its browser does not have. A page that nobody looks at any more has no renderer.
//! Nothing is lost by a break: a browser says what it has, and is sent what differs.
//!
//! What must stay true: a renderer rests several times as long as it worked, so that pages never take the machine from
//! the agents; and a browser that does not read is sent the newest state when it does, and nothing in between.

use std::{
    collections::HashMap,
    convert::Infallible,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use axum::{
    Extension,
    body::Body,
    extract::{Request, State},
    http::{HeaderValue, Response as HttpResponse, header},
    response::Response,
};
use baton_app::{App, Caller, Failure, Rights};
use baton_bus::{Credential, Permit, revoked};
use baton_core::ids::{AgentId, RoomId, Seq};
use bytes::Bytes;
use futures_util::stream;
use serde_json::json;
use tokio::{
    sync::{oneshot, watch},
    time::Instant,
};

use super::{
    at::At,
    look::{Look, nothing_called},
    page::Region,
    pages::Render,
    shell,
};
use crate::{
    answer,
    gate::{Principal, speaker},
    server::Line,
    site::Site,
    stream::{Stage, cut_when_over},
};

/// How often a page is rendered although nothing happened: leases run out, and processes end, without an event.
const TICK: Duration = Duration::from_secs(5);
/// The same for a page that shows what a program prints as it does.
const RESTLESS_TICK: Duration = Duration::from_secs(1);
/// Shortest rest between two renderings.
const REST: Duration = Duration::from_millis(60);
/// How much longer a renderer rests than it worked.
const REST_FACTOR: u32 = 4;
/// How often a browser hears that the server is there, and what time it is.
const BEAT: Duration = Duration::from_secs(4);

/// What is looked at, and as whom: the same for all who see the same.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Key {
    address: String,
    agent: AgentId,
    rights: u8,
}

/// All pages that somebody looks at.
#[derive(Default)]
pub(crate) struct Lives(Mutex<HashMap<Key, watch::Receiver<Arc<Sight>>>>);

/// What a page came to.
#[derive(Default)]
struct Sight {
    title: String,
    regions: Vec<Seen>,
    /// Why there is nothing to see.
    trouble: Option<Failure>,
}

/// A region, and what tells it from what it was.
struct Seen {
    id: &'static str,
    hash: String,
    /// The region as it is sent, written out once for all who get it.
    json: String,
}

impl Lives {
    fn lock(&self) -> MutexGuard<'_, HashMap<Key, watch::Receiver<Arc<Sight>>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The page at an address, as somebody sees it, from now on.
    fn join(site: &Arc<Site>, caller: Caller, at: At, render: Render) -> watch::Receiver<Arc<Sight>> {
        let rights = match caller.rights() {
            Rights::Viewer => 0,
            Rights::Agent => 1,
            Rights::Operator => 2,
        };
        let key = Key { address: at.address(), agent: caller.actor().agent_id, rights };
        let mut views = site.lives.lock();
        if let Some(view) = views.get(&key).filter(|view| view.has_changed().is_ok()) {
            return view.clone();
        }
        let (sender, receiver) = watch::channel(Arc::default());
        views.insert(key.clone(), receiver.clone());
        // All who look at it share it, so it has a rate of its own.
        let credential = Credential::lasting(format!("page {}", key.address));
        tokio::spawn(Renderer { site: Arc::clone(site), credential, key, caller, at, render, sender }.run());
        receiver
    }
}

/// Keeps one page current.
struct Renderer {
    site: Arc<Site>,
    credential: Credential,
    key: Key,
    caller: Caller,
    at: At,
    render: Render,
    sender: watch::Sender<Arc<Sight>>,
}

/// How a page was rendered last.
#[derive(Default)]
struct Mark {
    /// Up to where, if it is of one room.
    upto: Option<(RoomId, Seq)>,
    /// Whether it changes without an event.
    restless: bool,
}

impl Renderer {
    async fn run(self) {
        let mut closing = self.site.hub.closing();
        let mut mark = Mark::default();
        while !*closing.borrow() {
            let Ok(mut pulse) = self.site.hub.pulse() else { return };
            pulse.mark_unchanged();
            let begun = Instant::now();
            mark = self.look(mark).await;
            tokio::time::sleep((begun.elapsed() * REST_FACTOR).max(REST)).await;
            let tick = Instant::now() + if mark.restless { RESTLESS_TICK } else { TICK };
            loop {
                let beat = tokio::select! {
                    beat = pulse.changed() => beat.is_ok(),
                    () = tokio::time::sleep_until(tick) => break,
                    _ = closing.changed() => return,
                };
                // A pulse that ended is felt for again, after a while.
                if beat && self.is_news(&mark).await {
                    break;
                }
                tokio::time::sleep(REST).await;
            }
            if self.is_left() {
                return;
            }
        }
    }

    /// Whether nobody looks any more. Nobody can begin to meanwhile.
    fn is_left(&self) -> bool {
        let mut views = self.site.lives.lock();
        // One receiver is the list's own.
        let left = self.sender.receiver_count() <= 1;
        if left {
            views.remove(&self.key);
        }
        left
    }

    /// Whether something happened that this page shows.
    async fn is_news(&self, mark: &Mark) -> bool {
        let Some((room, seen)) = mark.upto.clone() else { return true };
        let newest = self.site.hub.look(&self.credential, self.caller.clone(), move |app, _| app.newest(&room)).await;
        newest.map_or(true, |newest| newest > seen)
    }

    async fn look(&self, before: Mark) -> Mark {
        let (at, render) = (self.at.clone(), self.render);
        let see = move |app: &App, caller: &Caller| see(app, caller, &at, render);
        let looked = self.site.hub.look(&self.credential, self.caller.clone(), see).await;
        let (sight, mark) = match looked {
            Ok((sight, mark)) => (sight, mark),
            Err(failure) => (Sight { trouble: Some(failure), ..Sight::default() }, before),
        };
        self.sender.send_if_modified(|known| {
            let changed = !known.is_as(&sight);
            if changed {
                *known = Arc::new(sight);
            }
            changed
        });
        mark
    }
}

fn see(app: &App, caller: &Caller, at: &At, render: Render) -> Result<(Sight, Mark), Failure> {
    let look = Look { app, caller, at, now: app.now()? };
    // Read before the page: what comes meanwhile is rendered once more than needed, and never missed.
    let room: Option<RoomId> = at.param("room").parse().ok();
    let before = room.and_then(|room| app.newest(&room).ok().map(|seq| (room, seq)));
    let page = render(&look)?;
    let upto = before.filter(|(room, _)| page.room.as_ref() == Some(room));
    let mark = Mark { upto, restless: page.restless };
    let title = page.title.clone();
    let regions = shell::regions(&look, page)?;
    let seen = |region: Region| {
        let (id, hash) = (region.id, region.fingerprint());
        let json = json!({ "id": id, "hash": hash, "html": region.html.into_string() }).to_string();
        Seen { id, hash, json }
    };
    Ok((Sight { title, regions: regions.into_iter().map(seen).collect(), trouble: None }, mark))
}

impl Sight {
    fn is_as(&self, other: &Self) -> bool {
        let hashes = |sight: &Self| sight.regions.iter().map(|seen| seen.hash.clone()).collect::<Vec<_>>();
        self.title == other.title && self.trouble == other.trouble && hashes(self) == hashes(other)
    }
}

/// `GET /live?at=…&have=…`: the page at that address, as it changes.
pub(super) async fn stream(
    State(site): State<Arc<Site>>,
    Extension(principal): Extension<Principal>,
    request: Request,
) -> Response {
    let query = request.uri().query().unwrap_or_default();
    let field = |name: &str| {
        let found = form_urlencoded::parse(query.as_bytes()).find(|(key, _)| key == name);
        found.map(|(_, value)| value.into_owned()).unwrap_or_default()
    };
    let address = field("at");
    let Some((at, render)) = At::read(&address) else {
        return answer::refused("live", &nothing_called(&address));
    };
    let caller = match speaker(&principal, request.headers(), &site.owner) {
        Ok(caller) => caller,
        Err(failure) => return answer::refused("live", &failure),
    };
    let credential = site.credentials.watched(&principal, None);
    let permit = match site.hub.open_stream(&credential) {
        Ok(permit) => permit,
        Err(failure) => return answer::refused("live", &failure),
    };
    let have = field("have").split(',').filter_map(|one| one.split_once('.')).map(owned).collect();
    let sight = Lives::join(&site, caller, at, render);
    let line = request.extensions().get::<Line>();
    let gone = line.map(|line| cut_when_over(None, credential.clone(), line.clone()));
    let stage = Stage::Begins;
    let reading = Reading { have, sight, site, credential, _permit: permit, _gone: gone, stage };
    let body = stream::unfold(reading, |mut reading| async move {
        let frame = reading.next().await?;
        Some((Ok::<_, Infallible>(frame), reading))
    });
    let mut response = HttpResponse::new(Body::from_stream(body));
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    response
}

fn owned((id, hash): (&str, &str)) -> (String, String) {
    (id.to_owned(), hash.to_owned())
}

/// One browser that follows a page.
struct Reading {
    site: Arc<Site>,
    sight: watch::Receiver<Arc<Sight>>,
    /// What the browser has.
    have: HashMap<String, String>,
    credential: Credential,
    _permit: Permit,
    /// Dropped with the stream, which ends the watch over its reader.
    _gone: Option<oneshot::Sender<()>>,
    stage: Stage,
}

impl Reading {
    /// What is written next.
    async fn next(&mut self) -> Option<Bytes> {
        let mut closing = self.site.hub.closing();
        if *closing.borrow() {
            return None;
        }
        match self.stage {
            Stage::IsOver => return None,
            Stage::Begins => {
                self.stage = Stage::GoesOn;
                return Some(self.beat());
            }
            Stage::GoesOn => {}
        }
        loop {
            if let Some(reason) = self.credential.end() {
                self.stage = Stage::IsOver;
                return Some(frame("ended", &revoked(&reason).to_json()));
            }
            let sight = Arc::clone(&self.sight.borrow_and_update());
            if let Some(frame) = self.news(&sight) {
                return Some(frame);
            }
            tokio::select! {
                changed = self.sight.changed() => changed.ok()?,
                () = tokio::time::sleep(BEAT) => return Some(self.beat()),
                _ = self.credential.ended() => {}
                _ = closing.changed() => return Some(Bytes::from_static(b"event: closing\ndata: {}\n\n")),
            }
        }
    }

    /// What the browser does not have.
    fn news(&mut self, sight: &Sight) -> Option<Bytes> {
        if let Some(failure) = &sight.trouble {
            let known = self.have.insert("trouble".to_owned(), failure.message.clone());
            return (known.as_ref() != Some(&failure.message)).then(|| frame("trouble", &failure.to_json()));
        }
        // When it is over, that is news even where nothing changed.
        let is_over = self.have.remove("trouble").is_some();
        let missing = |seen: &&Seen| self.have.get(seen.id) != Some(&seen.hash);
        let regions: Vec<_> = sight.regions.iter().filter(missing).collect();
        if regions.is_empty() && !is_over {
            return None;
        }
        let told: Vec<&str> = regions.iter().map(|seen| seen.json.as_str()).collect();
        let (now, title) = (json!(self.now()), json!(sight.title));
        let told = format!("{{\"now\":{now},\"title\":{title},\"regions\":[{}]}}", told.join(","));
        for seen in regions {
            self.have.insert(seen.id.to_owned(), seen.hash.clone());
        }
        Some(frame("regions", &told))
    }

    fn beat(&self) -> Bytes {
        frame("beat", &json!({ "now": self.now() }))
    }

    fn now(&self) -> Option<i64> {
        self.site.hub.app().now().ok().map(|now| now.as_millis())
    }
}

fn frame(kind: &str, data: &impl std::fmt::Display) -> Bytes {
    Bytes::from(format!("event: {kind}\ndata: {data}\n\n"))
}
