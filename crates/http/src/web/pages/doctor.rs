//! How the store and the server are: what there is, who writes, what runs where, and what is of which version.

use baton_app::{
    Failure,
    commands::{
        jobs::{Format, Radar, RadarInput},
        room::{List, ListInput},
    },
    doctor::{self, StoreInfo, Survey},
    view::PathRoom,
};
use baton_core::time::Ttl;
use maud::{Markup, html};

use crate::web::{
    at::path,
    look::Look,
    page::{Page, Place, Region},
    parts::{cli, empty, room_name},
};

/// Rooms whose runners are looked at, those that changed last first.
const ROOMS: usize = 24;
/// A write-ahead log that is longer than this is not being taken care of.
const WAL_BYTES: u64 = 64 * 1024 * 1024;

/// `GET /doctor`
pub(super) fn page(look: &Look<'_>) -> Result<Page, Failure> {
    let survey = doctor::survey(look.app)?;
    let rooms = look.ask::<List>(ListInput { context_path: None, all: true })?.rooms;
    Ok(Page::new("Doctor", Place::Doctor)
        .region(Region::new("store", store(&survey)))
        .region(Region::new("runners", runners(look, &rooms)?))
        .region(Region::new("versions", versions(&survey.info)))
        .region(Region::new("checks", checks(look))))
}

fn store(survey: &Survey) -> Markup {
    let info = &survey.info;
    let long = info.wal_bytes.is_some_and(|bytes| bytes > WAL_BYTES);
    html! {
        h2 { "Store" }
        dl.facts {
            div { dt { "Where" } dd { code { bdi { (info.place) } } } }
            div { dt { "Engine" } dd { (info.engine) @if info.read_only { " " span.badge.alarm { "read only: a newer Baton wrote it" } } } }
            div { dt { "Rooms, events" } dd { (survey.rooms) " rooms, " (survey.events) " events" } }
            div { dt { "Size" } dd { (bytes(info.database_bytes)) } }
            @if let Some(wal) = info.wal_bytes {
                div { dt { "Write-ahead log" } dd { (bytes(wal)) @if long { " " span.badge.alarm { "long: is a reader stuck?" } } } }
            }
            div { dt { "Current writer" } dd { @match &info.writer { Some(writer) => bdi { (writer) }, None => "nobody right now" } } }
            @if let Some(ahead_ms) = info.clock_ahead_ms {
                div { dt { "Clock" } dd { "this machine's clock is " (Ttl::from_millis(ahead_ms.unsigned_abs()))
                    @if ahead_ms > 0 { " ahead of" } @else { " behind" } " the store's time; leases are not affected" } }
            }
            @if let Some(server) = &info.server {
                div { dt { "Server" } dd { (server.connections) " of " (server.connections_max) " connections, " (server.round_trip_us) " µs there and back"
                    @if !server.encrypted { ", " span.badge.ask { "not encrypted" } } } }
                div { dt { "Clock" } dd { "this machine is " (server.clock_ahead_ms) " ms ahead of the server" } }
            }
        }
    }
}

fn runners(look: &Look<'_>, rooms: &[PathRoom]) -> Result<Markup, Failure> {
    let mut rows = Vec::new();
    for room in rooms.iter().take(ROOMS) {
        let input = RadarInput {
            room_id: room.room_id.clone(),
            status: None,
            task: None,
            anchor: None,
            limit: Some(1),
            fmt: Format::Json,
            max_chars: None,
            reply_job: None,
            reply_message: None,
            idempotency_key: None,
        };
        let Some(fields) = look.ask_without_writing::<Radar>(input)?.fields else { continue };
        let name = room_name(None, room.canonical_path.as_deref(), &room.room_id);
        let jobs = path(&["rooms", room.room_id.as_str(), "jobs"]);
        for runner in &fields.runner_list {
            rows.push(html! {
                tr data-row {
                    td { bdi { (runner.runner_id) } }
                    td { a href=(jobs) { bdi { (name) } } }
                    td { span.badge { (runner.status.as_str()) } }
                    td { @match runner.job { Some(job) => (job), None => "nothing" } }
                }
            });
        }
        for diagnosis in &fields.diagnostics {
            rows.push(html! {
                tr data-row {
                    td { @if let Some(runner) = &diagnosis.runner_id { bdi { (runner) } } @else { "–" } }
                    td { a href=(jobs) { bdi { (name) } } }
                    td { span.badge.alarm { (diagnosis.kind.as_str().replace('_', " ")) } }
                    td { @if let Some(job) = diagnosis.job { (job) } }
                }
            });
        }
    }
    Ok(html! {
        h2 { "Runners" }
        @if rows.is_empty() {
            (empty("No runner is there.", html! { p { "Jobs wait until one is. Start one in a workspace:" } p { (cli(&look.store_command("run"))) } }))
        } @else {
            table { thead { tr { th scope="col" { "Runner" } th scope="col" { "Room" } th scope="col" { "State" } th scope="col" { "Does" } } } tbody { @for row in rows { (row) } } }
        }
    })
}

fn versions(info: &StoreInfo) -> Markup {
    html! {
        h2 { "Versions" }
        dl.facts {
            div { dt { "Baton" } dd { (env!("CARGO_PKG_VERSION")) } }
            div { dt { "Schema" } dd { (info.schema) } }
            div { dt { "Engine" } dd { (info.engine) } }
            div { dt { "Server process" } dd { "pid " (std::process::id()) } }
        }
    }
}

fn checks(look: &Look<'_>) -> Markup {
    html! {
        h2 { "The whole check" }
        p { "Pages, references, modes of files, and every room against its log; it reads everything, so it is run by hand:" }
        p { (cli(&look.store_command("doctor"))) }
    }
}

/// A size as people say it.
fn bytes(count: u64) -> String {
    match count {
        0..1024 => format!("{count} bytes"),
        1024..1_048_576 => format!("{} KiB", count / 1024),
        _ => format!("{:.1} MiB", count as f64 / 1_048_576.0),
    }
}
