//! Finds what the address asks for, and has it shown by what it is.

use baton_app::{
    Failure,
    commands::open::{Open, OpenInput, Opened, What},
};
use baton_core::{
    ids::{RoomId, Seq},
    reference::Reference,
};
use maud::{Markup, html};

use super::{event, file, given, kept, passage, turn, work};
use crate::web::{
    look::Look,
    page::{Page, Place, Region},
    pages::room::Sight,
    parts::{RoomPage, cli, copy, raw, room_nav},
};

/// What a look at one thing is made of.
pub(super) struct View<'a> {
    pub(super) look: &'a Look<'a>,
    pub(super) sight: &'a Sight,
}

impl View<'_> {
    pub(super) fn room(&self) -> &RoomId {
        self.sight.id()
    }
}

/// `GET /rooms/{room}/open?ref=…`
pub(in crate::web::pages) fn page(look: &Look<'_>) -> Result<Page, Failure> {
    let sight = Sight::of(look)?;
    let view = View { look, sight: &sight };
    let reference = look.at.query("ref").unwrap_or_default();
    match reference.parse() {
        Ok(Reference::Event(seq)) => logged(&view, seq),
        Ok(_) | Err(_) => referred(&view, reference),
    }
}

fn framed(view: &View<'_>, title: String, lead: Markup) -> Page {
    let nav = room_nav(view.room(), RoomPage::Other, &[]);
    Page::new(title, Place::Rooms).of(view.room()).lead(lead).region(Region::new("pages", nav))
}

/// What a reference points to.
fn referred(view: &View<'_>, reference: &str) -> Result<Page, Failure> {
    let asked = |offset: Option<i64>| {
        let workspace = Some(view.room().to_string());
        view.look.ask::<Open>(OpenInput { id: reference.to_owned(), offset, workspace })
    };
    let mut opened = asked(view.look.at.parsed("offset"))?;
    passage::read_on(&mut opened.what, |offset| asked(Some(offset)).map(|next| next.what))?;
    let title = opened.reference.to_string();
    let command = view.look.command(&format!("open {title}"), view.sight.id());
    let lead = html! { p.quiet { (kind(&opened.what)) " " (copy(&title, "ref")) } (cli(&command)) };
    Ok(framed(view, title, lead)
        .region(Region::new("opened", shown(view, &opened)))
        .region(Region::new("raw", raw("As JSON", &opened))))
}

fn shown(view: &View<'_>, opened: &Opened) -> Markup {
    match &opened.what {
        What::Job(job) => work::job(view, job),
        What::JobEvent(event) => work::event(view, event),
        What::Task(task) => work::task(view, task),
        What::Runner(runner) => work::runner(view, runner),
        What::Card(card) => kept::card(view, card),
        What::Plan(plan) => kept::plan(view, plan),
        What::Note(note) => kept::note(view, note),
        What::Anchor(anchor) => kept::anchor(view, anchor),
        What::Artifact(artifact) => file::artifact(view, artifact),
        What::ContextPack(pack) => file::pack(view, pack),
        What::Envelope(envelope) => given::envelope(view, envelope),
        What::Approval(approval) => given::approval(view, approval),
        What::Turn(turn) => turn::turn(view, turn),
        What::Event(opened) => event::shown(view, &opened.event),
    }
}

const fn kind(what: &What) -> &'static str {
    match what {
        What::Job(_) => "A job",
        What::JobEvent(_) => "Something that happened to a job",
        What::Task(_) => "A task",
        What::Card(_) => "A card",
        What::Plan(_) => "A plan",
        What::Note(_) => "A note",
        What::Anchor(_) => "A part of the map",
        What::Runner(_) => "A runner",
        What::Artifact(_) => "A file that was kept",
        What::ContextPack(_) => "A context pack",
        What::Envelope(_) => "An envelope",
        What::Turn(_) => "A turn",
        What::Approval(_) => "A request for another agent",
        What::Event(_) => "An event of the log",
    }
}

/// An event of the log, as it is stored.
fn logged(view: &View<'_>, seq: Seq) -> Result<Page, Failure> {
    let (event, is_more) = event::find(view, seq)?;
    let before = seq.0.saturating_sub(1);
    let command = view.look.command(&format!("room events --after {before} --limit 1 --json"), view.sight.id());
    let lead = html! { p.quiet { "An event of the log " (copy(&event.event_id, "event id")) } (cli(&command)) };
    Ok(framed(view, format!("Event {seq}"), lead)
        .region(Region::new("opened", event::shown(view, &event)))
        .region(Region::new("raw", event::stored(&event)))
        .region(Region::new("turning", event::turning(view, seq, is_more))))
}
