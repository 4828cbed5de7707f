//! The worked sessions of docs/protocol.md, played against a real server.
#![expect(clippy::unwrap_used, reason = "a test that cannot set its scene should stop there")]

use std::{
    io::{BufRead, BufReader, Write},
    os::unix::net::UnixStream,
    process::{Child, Stdio},
};

use serde_json::Value;

use super::{between, page};
use crate::support::{PATIENCE, Web, World};

/// A value of the page that stands for any.
const ANY: &str = "…";
/// The workspace that the page names.
const WORKSPACE: &str = "/home/ana/project";
/// Fields whose texts are made anew each time.
const MADE: &[&str] = &["display_name", "agent_id", "agents"];
/// Fields that depend on who runs the test, or on the build.
const OWN: &[&str] = &["role", "version"];

/// A worked session of the page.
fn session(name: &str) -> Vec<String> {
    let protocol = page("protocol.md");
    let block = between(&protocol, &format!("<!-- played by a test: {name} -->\n```text\n"), "```\n");
    block.lines().filter(|line| !line.starts_with("# ")).map(str::to_owned).collect()
}

/// What the page calls things, and what they are called here.
struct Named(Vec<(String, String)>);

impl Named {
    fn new(world: &World) -> Self {
        Self(vec![(WORKSPACE.to_owned(), world.workspace().to_str().unwrap().to_owned())])
    }

    /// A text of the page as it is here.
    fn here(&self, text: &str) -> String {
        self.0.iter().fold(text.to_owned(), |text, (there, here)| text.replace(there, here))
    }

    /// Fails unless what came is what the page shows, less what is made anew each time.
    fn assert_same(&mut self, shown: &Value, came: &Value, field: &str) {
        match (shown, came) {
            (Value::String(any), _) if any == ANY => {}
            (Value::Object(shown), Value::Object(came)) => {
                let names = |fields: &serde_json::Map<String, Value>| fields.keys().cloned().collect::<Vec<_>>();
                assert_eq!(names(shown), names(came), "{field}");
                shown.iter().for_each(|(name, value)| self.assert_same(value, &came[name], name));
            }
            (Value::Array(shown), Value::Array(came)) => {
                assert_eq!(shown.len(), came.len(), "{field}: {came:?}");
                shown.iter().zip(came).for_each(|(shown, came)| self.assert_same(shown, came, field));
            }
            (Value::String(shown), Value::String(came)) => self.assert_same_text(shown, came, field),
            _ => assert_eq!(shown, came, "{field}"),
        }
    }

    fn assert_same_text(&mut self, shown: &str, came: &str, field: &str) {
        let is_time = |text: &str| text.len() == 24 && text.ends_with('Z') && text.contains('T');
        let are = |prefix: &str| shown.starts_with(prefix) && came.starts_with(prefix);
        if self.here(shown) == came || (is_time(shown) && is_time(came)) || are("bus_") || OWN.contains(&field) {
            return;
        }
        if are("room_") {
            // Events are called after their room.
            let id = |text: &str| text["room_".len()..].to_owned();
            self.0.push((id(shown), id(came)));
        } else if are("lease_") || MADE.contains(&field) {
            self.0.push((shown.to_owned(), came.to_owned()));
        } else {
            assert_eq!(self.here(shown), came, "{field}");
        }
    }

    fn assert_same_line(&mut self, shown: &str, came: &str) {
        match (serde_json::from_str(shown), serde_json::from_str(came)) {
            (Ok(shown), Ok(came)) => self.assert_same(&shown, &came, "the line"),
            _ => assert_eq!(self.here(shown), came),
        }
    }
}

/// Connects as the page does.
fn connect(web: &Web) -> (UnixStream, BufReader<UnixStream>) {
    let stream = UnixStream::connect(web.facts["socket"].as_str().unwrap()).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    (stream.try_clone().unwrap(), BufReader::new(stream))
}

#[test]
fn the_session_on_the_socket_happens_as_it_is_shown() {
    let world = World::new();
    let web = world.up(&[]);
    let mut named = Named::new(&world);
    let (mut writer, mut reader) = connect(&web);
    let mut lines = 0;
    for line in session("socket") {
        lines += 1;
        if let Some(request) = line.strip_prefix("> ") {
            writeln!(writer, "{}", named.here(request)).unwrap();
        } else if let Some(shown) = line.strip_prefix("< ") {
            let mut came = String::new();
            reader.read_line(&mut came).unwrap();
            named.assert_same_line(shown, came.trim_end());
        } else {
            assert!(line.starts_with("---"), "{line}");
            (writer, reader) = connect(&web);
        }
    }
    assert!(lines > 30, "{lines}");
    drop((writer, reader, web));
    world.assert_sound();
}

/// A command of the page with what it shows. A reader that hangs up is killed.
struct Step {
    command: String,
    shows: Vec<String>,
}

fn steps(lines: Vec<String>) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    for line in lines {
        match (line.strip_prefix("$ "), steps.last_mut()) {
            (Some(command), _) => steps.push(Step { command: command.to_owned(), shows: Vec::new() }),
            (None, Some(step)) if step.command.ends_with('\\') => {
                step.command.pop();
                step.command.push_str(&line);
            }
            (None, Some(step)) => step.shows.push(line),
            (None, None) => panic!("{line}"),
        }
    }
    steps
}

#[test]
fn the_session_over_http_happens_as_it_is_shown() {
    let world = World::new();
    let web = world.up(&[]);
    let token = std::fs::read_to_string(world.data().join("operator.token")).unwrap();
    let mut named = Named::new(&world);
    let steps = steps(session("http"));
    assert!(steps.len() > 10);
    for Step { command, shows } in steps {
        let mut shell = world.command("sh");
        shell.args(["-c", &format!("exec {}", named.here(&command))]);
        shell.env("URL", web.facts["url"].as_str().unwrap()).env("TOKEN", token.trim());
        let mut child = shell.stdout(Stdio::piped()).spawn().unwrap();
        let came = BufReader::new(child.stdout.take().unwrap());
        assert_shown(&mut named, &shows, came.lines().map(Result::unwrap), &command);
        end(child);
    }
    drop(web);
    world.assert_sound();
}

fn assert_shown(named: &mut Named, shows: &[String], mut came: impl Iterator<Item = String>, command: &str) {
    for shown in shows {
        if shown == "^C" {
            return;
        }
        let came = came.next().unwrap_or_else(|| panic!("{command} ended before {shown}"));
        match (shown.strip_prefix("data: "), came.strip_prefix("data: ")) {
            (Some(shown), Some(came)) => named.assert_same_line(shown, came),
            _ => named.assert_same_line(shown, &came),
        }
    }
    assert_eq!(came.next(), None, "{command}");
}

fn end(mut child: Child) {
    // A command that has ended by itself cannot be killed, which is as good.
    let _ = child.kill();
    child.wait().unwrap();
}
