//! Claude Code's record of a running process: which conversation it is at now, and whether it waits for a prompt.
//!
//! Its MCP servers start with a variable that may name another one: `claude --continue` starts them before it has found the
//! conversation to go on with.

use std::{
    fs::{self, File},
    io::Read as _,
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
};

use serde::Deserialize;

use super::Ancestor;
use crate::environment::Environment;

/// Longest record that is read. Real ones have about 600 bytes.
const RECORD_BYTES: u64 = 64 * 1024;
/// Longest id of a conversation. Real ones have 36 characters.
const CONVERSATION_CHARS: usize = 128;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Record {
    pid: u32,
    /// The start of the process in clock ticks, as text.
    proc_start: Option<String>,
    session_id: String,
    status: Option<String>,
}

/// A version of the record: another one is another file, or was written at another time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordStamp {
    inode: u64,
    seconds: i64,
    nanoseconds: i64,
}

/// The version of the record that is there.
pub(super) fn stamp(claude: &Ancestor, environment: &Environment) -> Option<RecordStamp> {
    let found = fs::metadata(file(claude, environment)?).ok()?;
    Some(RecordStamp { inode: found.ino(), seconds: found.mtime(), nanoseconds: found.mtime_nsec() })
}

fn file(claude: &Ancestor, environment: &Environment) -> Option<PathBuf> {
    Some(directory(environment)?.join(format!("sessions/{}.json", claude.pid)))
}

/// The conversation that the process `claude` is at, by its own record.
pub(super) fn conversation_of(claude: &Ancestor, environment: &Environment) -> Option<String> {
    let record = record_of(claude, environment)?;
    (1..=CONVERSATION_CHARS).contains(&record.session_id.len()).then_some(record.session_id)
}

/// Whether the process `claude` waits for a prompt, by its own record. No hook tells of a turn that a person interrupted.
pub(super) fn is_idle(claude: &Ancestor, environment: &Environment) -> bool {
    record_of(claude, environment).is_some_and(|record| record.status.as_deref() == Some("idle"))
}

fn record_of(claude: &Ancestor, environment: &Environment) -> Option<Record> {
    let record = read(&file(claude, environment)?)?;
    let start = claude.identity.as_ref().map(|identity| identity.start_ticks.to_string());
    // A record that was left behind by an earlier process with this pid says nothing.
    let is_of_this =
        record.pid == claude.pid && record.proc_start.clone().zip(start).is_none_or(|(told, seen)| told == seen);
    is_of_this.then_some(record)
}

fn directory(environment: &Environment) -> Option<PathBuf> {
    let chosen = environment.var("CLAUDE_CONFIG_DIR").map(PathBuf::from);
    chosen.or_else(|| Some(Path::new(environment.var("HOME")?).join(".claude")))
}

fn read(path: &Path) -> Option<Record> {
    let mut text = String::new();
    File::open(path).ok()?.take(RECORD_BYTES).read_to_string(&mut text).ok()?;
    serde_json::from_str(&text).ok()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{super::tests::ancestor, *};

    fn conversation(record: &str) -> Option<String> {
        let home = tempfile::tempdir().unwrap();
        let sessions = home.path().join(".claude/sessions");
        fs::create_dir_all(&sessions).unwrap();
        fs::write(sessions.join("50.json"), record).unwrap();
        let environment = Environment::of([("HOME", home.path().to_str().unwrap())], "/w");
        conversation_of(&ancestor("50 claude"), &environment)
    }

    #[test]
    fn a_process_is_idle_where_its_own_record_says_so() {
        let home = tempfile::tempdir().unwrap();
        let sessions = home.path().join(".claude/sessions");
        fs::create_dir_all(&sessions).unwrap();
        let environment = Environment::of([("HOME", home.path().to_str().unwrap())], "/w");
        let found = |status: &str| {
            fs::write(sessions.join("50.json"), format!(r#"{{"pid":50,"sessionId":"d98c"{status}}}"#)).unwrap();
            ["50 claude", "51 claude"].map(|claude| is_idle(&ancestor(claude), &environment))
        };
        assert_eq!(found(r#","status":"idle""#), [true, false]);
        assert_eq!(found(r#","status":"busy""#), [false, false]);
        assert_eq!(found(""), [false, false], "an older Claude Code");
    }

    #[test]
    fn only_the_record_of_this_very_process_tells_its_conversation() {
        let start = ancestor("50 claude").identity.unwrap().start_ticks;
        let told = |pid: u32, start: u64, id: &str| {
            conversation(&format!(r#"{{"pid":{pid},"procStart":"{start}","sessionId":"{id}","kind":"interactive"}}"#))
        };
        assert_eq!(told(50, start, "d98c").as_deref(), Some("d98c"));
        assert_eq!(told(51, start, "d98c"), None);
        assert_eq!(told(50, start + 1, "d98c"), None, "an earlier process had the pid");
        assert_eq!(told(50, start, ""), None);
        assert_eq!(told(50, start, &"x".repeat(129)), None);
        assert_eq!(conversation("{"), None);
        assert_eq!(conversation(r#"{"pid":50,"sessionId":"d98c"}"#).as_deref(), Some("d98c"), "an older Claude Code");
    }
}
