//! The parts of the page.

use baton_app::{
    Failure,
    commands::agent::{Inspect, InspectInput, Section},
};
use maud::{Markup, html};

use super::{files, handoffs, header, inbox, prompts, tools, usage, view::View};
use crate::web::{
    look::Look,
    page::{Page, Place, Region},
    pages::room::Sight,
    parts::{RoomPage, cli, copy, room_nav},
};

/// Every part, with what it is called and what has to be looked up for it.
const TABS: [(&str, &str, Section); 8] = [
    ("incoming", "Incoming", Section::Incoming),
    ("outgoing", "Outgoing", Section::Outgoing),
    ("inbox", "Inbox", Section::Inbox),
    ("diffs", "Diffs", Section::Diffs),
    ("artifacts", "Files", Section::Artifacts),
    ("tools", "Tools", Section::Tools),
    ("prompts", "Prompts", Section::Turns),
    ("usage", "Usage", Section::Turns),
];

/// `GET /rooms/{room}/agents/{agent}`
pub(in crate::web::pages) fn page(look: &Look<'_>) -> Result<Page, Failure> {
    let sight = Sight::of(look)?;
    let tab = TABS.iter().find(|(tab, ..)| look.at.query("tab") == Some(tab));
    let shown = look.ask::<Inspect>(InspectInput {
        room_id: sight.id().clone(),
        agent: look.param("agent")?,
        section: tab.map(|(.., section)| *section),
        before: tab.and_then(|_| look.at.parsed("before")),
        limit: None,
    })?;
    let view = View { look, sight: &sight, shown: &shown, tab: tab.map(|(tab, ..)| *tab) };
    let mut page = Page::new(shown.node.name.clone(), Place::Agents)
        .of(sight.id())
        .lead(lead(&view))
        .region(Region::new("pages", nav(&view)))
        .region(Region::new("agent", header::region(&view)));
    page.conversation = true;
    for (name, _, _) in TABS.iter().filter(|(name, ..)| view.tab.is_none_or(|tab| tab == *name)) {
        page = page.region(Region::new(name, region(&view, name)?));
    }
    Ok(page)
}

fn region(view: &View<'_>, name: &str) -> Result<Markup, Failure> {
    Ok(match name {
        "incoming" => handoffs::incoming(view),
        "outgoing" => handoffs::outgoing(view),
        "inbox" => inbox::region(view),
        "diffs" => files::diffs(view)?,
        "artifacts" => files::artifacts(view),
        "tools" => tools::region(view),
        "prompts" => prompts::region(view)?,
        _ => usage::region(view),
    })
}

fn lead(view: &View<'_>) -> Markup {
    let id = view.shown.node.agent_id.as_str();
    html! {
        p.quiet { code { bdi { (id) } } (copy(id, "agent id")) " in " a href=(crate::web::at::path(&["rooms", view.room().as_str()])) { bdi { (view.sight.name()) } } }
        (cli(&view.look.command(&format!("agent inspect '{id}'"), view.sight.id())))
    }
}

/// The room's pages, and the parts of this one. They work without scripts.
fn nav(view: &View<'_>) -> Markup {
    let at = view.look.at;
    html! {
        (room_nav(view.room(), RoomPage::Other, &[]))
        nav.filters aria-label="About this agent" {
            ul {
                li { a href=(at.with(&[("tab", ""), ("before", "")])) aria-current=[view.tab.is_none().then_some("page")] { "All" } }
                @for (tab, name, _) in TABS { li { a href=(at.with(&[("tab", tab), ("before", "")])) aria-current=[(view.tab == Some(tab)).then_some("page")] { (name) } } }
            }
        }
    }
}
