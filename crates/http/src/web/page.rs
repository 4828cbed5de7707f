//! What a page is made of.

use std::hash::{DefaultHasher, Hash, Hasher};

use baton_core::ids::RoomId;
use maud::Markup;

/// A page without its frame.
pub(crate) struct Page {
    /// What it is called, in the window's title and at its top.
    pub(crate) title: String,
    /// What stands beside the title: where one is, in a few words.
    pub(crate) lead: Markup,
    /// Which entry of the navigation it belongs to.
    pub(crate) place: Place,
    /// The room that it is about, whose events the feed shows.
    pub(crate) room: Option<RoomId>,
    /// Whether somebody is reading or writing to an agent here: the feed makes way.
    pub(crate) conversation: bool,
    /// Whether what it shows changes without an event, from second to second: it is rendered as often.
    pub(crate) restless: bool,
    /// What changes, each on its own.
    pub(crate) regions: Vec<Region>,
}

impl Page {
    /// A page with nothing on it yet.
    pub(crate) fn new(title: impl Into<String>, place: Place) -> Self {
        Self {
            title: title.into(),
            lead: Markup::default(),
            place,
            room: None,
            conversation: false,
            restless: false,
            regions: Vec::new(),
        }
    }

    /// With a region more.
    pub(crate) fn region(mut self, region: Region) -> Self {
        self.regions.push(region);
        self
    }

    /// Of a room.
    pub(crate) fn of(self, room: &RoomId) -> Self {
        Self { room: Some(room.clone()), ..self }
    }

    /// With something beside its title.
    pub(crate) fn lead(self, lead: Markup) -> Self {
        Self { lead, ..self }
    }
}

/// An entry of the navigation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Now,
    Rooms,
    Jobs,
    Agents,
    Approvals,
    Search,
    Doctor,
    /// None of them.
    Elsewhere,
}

/// A part of a page that is sent again when it changes.
pub(crate) struct Region {
    /// What it is called in the document. Once on a page.
    pub(crate) id: &'static str,
    pub(crate) html: Markup,
}

impl Region {
    pub(crate) fn new(id: &'static str, html: Markup) -> Self {
        Self { id, html }
    }

    /// Tells it from what it was before. How long ago something was changes all the time and does not count: the browser
    /// keeps it current by itself.
    pub(crate) fn fingerprint(&self) -> String {
        fingerprint(&self.html.0)
    }
}

fn fingerprint(html: &str) -> String {
    let mut hasher = DefaultHasher::new();
    let mut rest = html;
    while let Some((before, after)) = rest.split_once("<time") {
        before.hash(&mut hasher);
        let (tag, words) = after.split_once('>').unwrap_or((after, ""));
        tag.hash(&mut hasher);
        rest = words.split_once("</time>").map_or("", |(_, rest)| rest);
    }
    rest.hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}

#[cfg(test)]
mod tests {
    use super::fingerprint;

    #[test]
    fn that_time_goes_by_changes_nothing() {
        let told = |words: &str, at: &str| fingerprint(&format!("<p>a <time datetime=\"{at}\">{words}</time> b</p>"));
        assert_eq!(told("1 min ago", "1"), told("2 min ago", "1"));
        assert_ne!(told("1 min ago", "1"), told("1 min ago", "2"));
        assert_ne!(fingerprint("<p>a</p>"), fingerprint("<p>b</p>"));
    }
}
