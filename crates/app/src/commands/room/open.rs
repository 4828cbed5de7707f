//! Which room a path belongs to, and the one way in which rooms are opened.

use std::path::Path;

use baton_core::{
    code::ErrorCode,
    event::Recorded,
    ids::{RoomId, Seq},
    lease::Fence,
    policy::Policy,
    room::{Actor, Created, Event, Room, Stick},
};
use baton_store::{engine::Tx, log, rooms};

use crate::{
    App, Caller, Failure,
    app::{Request, internal},
    paths::{self, Location},
    unit::storable,
};

/// The room that covers `path`, opened if there is none. The caller does not become a member: under which name it does
/// is the next question, and a name that was made up first would be used up.
pub fn open_room(app: &App, caller: &Caller, path: &Path) -> Result<RoomId, Failure> {
    match app.room_at(caller, path) {
        Err(failure) if failure.code == ErrorCode::UnknownRoom => {}
        found => return found,
    }
    let location = paths::resolve(path, &caller.cwd, app.environment.home())?;
    let actor = caller.actor();
    let request = Request { command: "room.open", input: &location.canonical_path, key: None };
    app.once(caller, &actor, &request, |tx| {
        find_or_open(app, tx, &actor, &location, Wanted::Covering).map(|opened| opened.room.id)
    })
}

/// Which room of a path is meant.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    /// The deepest one that covers it.
    Covering,
    /// One at exactly this path, even though an ancestor has one.
    Nested,
}

/// A room that is there now.
pub(super) struct Opened {
    pub(super) room: Room,
    /// Whether it was not there before.
    pub(super) created: bool,
    pub(super) warning: Option<String>,
}

/// Finds the room of a path, or opens it.
pub(super) fn find_or_open(
    app: &App,
    tx: &mut dyn Tx,
    actor: &Actor,
    location: &Location,
    wanted: Wanted,
) -> Result<Opened, Failure> {
    let mut found = find(app, tx, location, wanted)?;
    if matches!(found.room, Found::Open { .. }) {
        // Rooms are opened one at a time, or two joins would open one inside the other and never meet. The
        // second finds what the first made.
        tx.alone("opening a room")?;
        found = find(app, tx, location, wanted)?;
    }
    let warning = found.warning;
    Ok(match found.room {
        Found::There(room) => Opened { room: *room, created: false, warning },
        Found::Open { path } => Opened { room: open(app, tx, actor, &path)?, created: true, warning },
    })
}

struct Target {
    room: Found,
    warning: Option<String>,
}

enum Found {
    There(Box<Room>),
    Open { path: String },
}

/// The contract's resolution: the deepest room on the way up, unless a nested one is asked for.
fn find(app: &App, tx: &mut dyn Tx, location: &Location, wanted: Wanted) -> Result<Target, Failure> {
    let (id, deepest) = loop {
        let Some(id) = rooms::at_paths(tx, &location.ancestors)?.into_iter().next() else {
            return Ok(Target { room: Found::Open { path: location.preferred_root.clone() }, warning: None });
        };
        let deepest = app.room(tx, &id)?;
        // It may have been closed while we waited for it. Then it is not found there any more.
        if deepest.stick != Stick::Closed {
            break (id, deepest);
        }
    };
    let exact = deepest.canonical_path.as_deref() == Some(location.canonical_path.as_str());
    if wanted == Wanted::Covering || exact {
        return Ok(Target { room: Found::There(Box::new(deepest)), warning: None });
    }
    let warning = format!(
        "An ancestor room exists: {id} at {}. Agents there do not see this nested room's stick.",
        deepest.canonical_path.as_deref().unwrap_or("(no path)"),
    );
    Ok(Target { room: Found::Open { path: location.canonical_path.clone() }, warning: Some(warning) })
}

fn open(app: &App, tx: &mut dyn Tx, actor: &Actor, path: &str) -> Result<Room, Failure> {
    let earlier_events = rooms::events_at(tx, path)?;
    let created =
        Created { canonical_path: Some(path.to_owned()), name: None, earlier_events, policy: Policy::default() };
    create(app, tx, actor, created)
}

/// Opens a room that belongs to no path.
pub(crate) fn open_named(app: &App, tx: &mut dyn Tx, actor: &Actor, name: Option<&str>) -> Result<Room, Failure> {
    let created =
        Created { canonical_path: None, name: name.map(str::to_owned), earlier_events: 0, policy: Policy::default() };
    create(app, tx, actor, created)
}

fn create(app: &App, tx: &mut dyn Tx, actor: &Actor, created: Created) -> Result<Room, Failure> {
    let now = tx.now()?;
    let (event, payload) = storable(actor, Event::Created(created).into())?;
    let first = Recorded {
        overridden: actor.is_overridden(),
        room_id: app.ids.room_id()?,
        seq: Seq(1),
        at: now,
        actor: actor.agent_id.clone(),
        turn: Fence(0),
        event,
    };
    let room = Room::open(&first).ok_or_else(|| internal("a creation opens a room"))?;
    rooms::insert(tx, &room)?;
    log::append_written(tx, &first, &payload)?;
    Ok(room)
}
