//! Agents and rooms, as they are called.

use std::collections::BTreeMap;

use baton_core::ids::{AgentId, RoomId};
use maud::{Markup, html};

use crate::web::at::path;

/// What people call the agents of a room.
pub(in crate::web) type Names = BTreeMap<AgentId, String>;

/// An agent, as a link to all about it.
pub(in crate::web) fn agent(room: &RoomId, names: &Names, id: &AgentId) -> Markup {
    let name = names.get(id).map_or(id.as_str(), String::as_str);
    html! { a.agent href=(path(&["rooms", room.as_str(), "agents", id.as_str()])) title=(id) { bdi { (name) } } }
}

/// What a room is called: its name, or the last parts of its path.
pub(in crate::web) fn room_name(name: Option<&str>, canonical_path: Option<&str>, id: &RoomId) -> String {
    let path = canonical_path.map(|path| path.rsplit('/').find(|part| !part.is_empty()).unwrap_or("/").to_owned());
    name.map(str::to_owned).or(path).unwrap_or_else(|| id.to_string())
}
