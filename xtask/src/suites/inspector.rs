//! The MCP inspector's command line: a client of both eras of the protocol, over HTTP and over standard input and output.

use std::process::Command;

use serde_json::{Value, json};

use super::served::{Place, Served, baton};
use crate::{
    npm::Packages,
    run::{Outcome, output, say},
};

/// Revisions that begin with `initialize`, and the one that does not.
const ERAS: [&str; 2] = ["legacy", "modern"];

/// How the inspector reaches Baton.
#[derive(Clone, Copy)]
enum Way<'a> {
    Http(&'a str),
    Stdio,
}

pub(super) fn run(packages: &Packages, served: &Served, place: &Place) -> Outcome {
    let mut rooms = Vec::new();
    for way in [Way::Http(served.url()), Way::Stdio] {
        for era in ERAS {
            // It complains of schemas that some clients do not take.
            let tools = ask(packages, place, way, era, &["--method", "tools/list", "--strict"])?;
            let names = tools["result"]["tools"].as_array().map_or(0, Vec::len);
            if names == 0 {
                return Err(format!("no tools are listed: {tools}"));
            }
            let arguments = json!({"context_path": place.at("workspace")}).to_string();
            let call = ["--method", "tools/call", "--tool-name", "join_path", "--tool-args-json", &arguments];
            let joined = ask(packages, place, way, era, &call)?;
            rooms.push(joined["result"]["structuredContent"]["room_id"].clone());
        }
    }
    say(&format!("joined {}", Value::from(rooms.clone())));
    let same = rooms.iter().all(|room| room.is_string() && *room == rooms[0]);
    if same { Ok(()) } else { Err("it is not the same room on every way in".to_owned()) }
}

/// What the server answers, as the inspector understands it.
fn ask(packages: &Packages, place: &Place, way: Way<'_>, era: &str, words: &[&str]) -> Result<Value, String> {
    let mut inspector = packages.program("mcp-inspector")?;
    inspector.args(["--cli", "--format", "json", "--quiet", "--protocol-era", era]).args(words);
    // It passes on nothing of its own environment.
    inspector.arg("-e").arg(format!("BATON_DATA_DIR={}", place.at("data").display()));
    target(&mut inspector, way);
    place.settle(&mut inspector);
    let said = output(inspector)?;
    serde_json::from_str(&said).map_err(|error| format!("the inspector said {said:?}: {error}"))
}

fn target(inspector: &mut Command, way: Way<'_>) {
    match way {
        Way::Http(url) => inspector.args(["--transport", "http", "--server-url", &format!("{url}/mcp")]),
        Way::Stdio => inspector.arg("--").arg(baton()).arg("mcp"),
    };
}
