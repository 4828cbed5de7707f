//! What is told about a store, as text and as JSON; `baton doctor` tells the same.

use baton_app::doctor::{ServerInfo, StoreInfo, Survey};
use baton_core::time::Ttl;
use serde_json::{Value, json};

use crate::ui::clean;

/// About a store, for programs.
pub(in crate::commands) fn data(info: &StoreInfo) -> Value {
    let server = |server: &ServerInfo| {
        json!({
            "round_trip_us": server.round_trip_us, "clock_ahead_ms": server.clock_ahead_ms,
            "connections": server.connections, "connections_max": server.connections_max,
            "encrypted": server.encrypted,
        })
    };
    json!({
        "place": info.place, "schema": info.schema, "read_only": info.read_only, "engine": info.engine,
        "database_bytes": info.database_bytes, "wal_bytes": info.wal_bytes, "writer": info.writer,
        "clock_ahead_ms": info.clock_ahead_ms,
        "server": info.server.as_ref().map(server),
    })
}

/// About a store, for people, with what is in it where that was counted.
pub(in crate::commands) fn text(info: &StoreInfo, survey: Option<&Survey>) -> String {
    let mut page = String::new();
    let mut line = |name: &str, text: &str| page.push_str(&format!("{name:<12} {}\n", clean(text)));
    line("store", &info.place);
    line("engine", &info.engine);
    let standing =
        if info.read_only { "newer than this Baton, which only reads it" } else { "the one this Baton writes" };
    line("schema", &format!("{}, {standing}", info.schema));
    let wal = info.wal_bytes.map_or_else(String::new, |bytes| format!(", write-ahead log {} KiB", bytes / 1024));
    line("size", &format!("{} KiB{wal}", info.database_bytes / 1024));
    if let Some(survey) = survey {
        line("rooms", &format!("{}, with {}", survey.rooms, count(survey.events, "event")));
    }
    line("writer", info.writer.as_deref().unwrap_or("nobody right now"));
    if let Some(ahead_ms) = info.clock_ahead_ms {
        line("clock", &wall_clock(ahead_ms));
    }
    if let Some(server) = &info.server {
        line("round trip", &format!("{}.{:03} ms", server.round_trip_us / 1000, server.round_trip_us % 1000));
        line("clock", &clock(server));
        let connections = format!("{} from Batons; the server allows {}", server.connections, server.connections_max);
        line("connections", &connections);
        line("encrypted", if server.encrypted { "yes" } else { "no" });
    }
    page
}

/// How this machine's clock stands to the server's, which alone counts. It is not known better than to the round trip
/// and the whole milliseconds in which both are told.
fn clock(server: &ServerInfo) -> String {
    let apart_ms = server.clock_ahead_ms.unsigned_abs();
    if apart_ms <= 2 + server.round_trip_us / 1000 {
        return "this machine's agrees with the server's".to_owned();
    }
    let how = if server.clock_ahead_ms > 0 { "ahead of" } else { "behind" };
    format!("this machine's is {apart_ms} ms {how} the server's, which is the one that counts")
}

/// How this machine's wall clock stands to the time of a store on it.
fn wall_clock(ahead_ms: i64) -> String {
    let how = if ahead_ms > 0 { "ahead of" } else { "behind" };
    let apart = Ttl::from_millis(ahead_ms.unsigned_abs());
    format!("this machine's is {apart} {how} the store's time, which goes on from the boot; leases are not affected")
}

/// A number of things.
pub(super) fn count(number: u64, thing: &str) -> String {
    format!("{number} {thing}{}", if number == 1 { "" } else { "s" })
}
