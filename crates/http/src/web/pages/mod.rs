//! The pages, one file each.

mod agents;
mod approvals;
pub(super) mod delegate;
mod doctor;
mod graph;
mod inspector;
mod job;
mod jobs;
pub(super) mod keys;
mod now;
mod opened;
mod room;
mod rooms;
mod search;

use baton_app::Failure;

use super::{look::Look, page::Page};

/// How a page comes about.
pub(crate) type Render = fn(&Look<'_>) -> Result<Page, Failure>;

/// Every page, by the pattern of its path.
pub(crate) const PAGES: &[(&str, Render)] = &[
    ("/", now::page),
    ("/rooms", rooms::page),
    ("/rooms/{room}", room::page),
    ("/rooms/{room}/graph", graph::page),
    ("/rooms/{room}/agents/{agent}", inspector::page),
    ("/rooms/{room}/jobs", jobs::of_room),
    ("/rooms/{room}/jobs/{job}", job::page),
    ("/rooms/{room}/open", opened::page),
    ("/jobs", jobs::page),
    ("/agents", agents::page),
    ("/approvals", approvals::page),
    ("/search", search::page),
    ("/doctor", doctor::page),
    ("/keys", keys::page),
];
