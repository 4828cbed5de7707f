//! All that a program has of Baton beside its server entry and its skill, as its own `install.rs` describes it.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::{
    Package, Part,
    hook_command::HookCommand,
    hook_command::is_ours,
    json::Syntax,
    json_edit::{MARK, Step},
};

/// The words that make a whole file ours. A person who wants to keep their own version takes them out.
pub(crate) const MARKER: &str = "managed-by: baton";

/// Files that are Baton's, and places in files that are not.
#[derive(Default)]
pub(crate) struct Contents {
    pub(crate) files: Vec<OwnFile>,
    pub(crate) shared: Vec<SharedFile>,
}

/// A file that is Baton's as a whole.
pub(crate) struct OwnFile {
    pub(crate) part: Part,
    pub(crate) path: PathBuf,
    pub(crate) text: String,
    pub(crate) ownership: Ownership,
}

/// How a file is known to be ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ownership {
    /// By [`MARKER`]; brought up to date.
    Marked,
    /// By its text: written if there is none, removed if nobody changed it.
    Exact,
}

/// Items of ours in a JSON file that others write too.
pub(crate) struct SharedFile {
    pub(crate) part: Part,
    pub(crate) path: PathBuf,
    pub(crate) syntax: Syntax,
    /// Where our items are.
    pub(crate) find: fn(&str, &Value) -> Vec<Vec<Step>>,
    /// The items that are wanted.
    pub(crate) items: Vec<SharedItem>,
}

/// One item, see [`super::json_edit::Item`].
#[derive(Clone, Debug)]
pub(crate) struct SharedItem {
    pub(crate) path: Vec<&'static str>,
    pub(crate) key: Option<&'static str>,
    pub(crate) value: Value,
    pub(crate) is_marked: bool,
}

/// One event on which `baton hook` runs.
pub(crate) struct Event {
    pub(crate) name: &'static str,
    pub(crate) matcher: Option<&'static str>,
}

pub(crate) const fn event(name: &'static str) -> Event {
    Event { name, matcher: None }
}

pub(crate) const fn tool_event(name: &'static str, matcher: &'static str) -> Event {
    Event { name, matcher: Some(matcher) }
}

/// A group of one handler, as three harnesses write it.
pub(crate) fn group(event: &Event, handler: Value) -> Value {
    match event.matcher {
        Some(matcher) => json!({ "matcher": matcher, "hooks": [handler] }),
        None => json!({ "hooks": [handler] }),
    }
}

/// The groups below `hooks` that have nothing but our handlers, and our handlers in groups that others share.
pub(crate) fn find_hooks(slug: &str, value: &Value) -> Vec<Vec<Step>> {
    let mut found = Vec::new();
    for (name, groups) in value["hooks"].as_object().into_iter().flatten() {
        for (index, group) in groups.as_array().into_iter().flatten().enumerate() {
            let handlers = group["hooks"].as_array().map(Vec::as_slice).unwrap_or_default();
            let ours: Vec<usize> = (0..handlers.len()).filter(|place| is_ours(&handlers[*place], slug)).collect();
            let group = vec!["hooks".into(), name.as_str().into(), Step::Index(index)];
            if !ours.is_empty() && ours.len() == handlers.len() {
                found.push(group);
            } else {
                let of_group = |place| group.iter().cloned().chain(["hooks".into(), Step::Index(place)]).collect();
                found.extend(ours.into_iter().map(of_group));
            }
        }
    }
    found
}

/// The place of a setting that carries [`MARK`].
pub(crate) fn find_marked(text: &str, path: &[&str], value: &str) -> Option<Vec<Step>> {
    let key = path.last()?;
    text.contains(&format!("{}: {value}{MARK}", Value::from(*key)))
        .then(|| path.iter().map(|key| (*key).into()).collect())
}

/// A slash command: its name, what it is for, and the prompt.
pub(crate) struct SlashCommand {
    pub(crate) name: &'static str,
    pub(crate) description: &'static str,
    pub(crate) prompt: &'static str,
}

/// The slash commands, the same in every program.
pub(crate) const COMMANDS: [SlashCommand; 3] = [
    SlashCommand {
        name: "status",
        description: "Show the Baton room of this workspace",
        prompt: "Show how the Baton room of this workspace stands: who holds the stick and until when, who is next, \
                 unread messages, open jobs. Use Baton's tools get_room_state and inbox, or run `baton status` in the \
                 shell. Change nothing.",
    },
    SlashCommand {
        name: "handoff",
        description: "Hand the stick over with a written handoff",
        prompt: "Hand the stick of this workspace's Baton room over now. Write the handoff as Baton's skill says (status \
                 and next_action are required) and call release_stick, or pass_stick if a member is named here.",
    },
    SlashCommand {
        name: "wait",
        description: "Wait for the stick, then read the handoff",
        prompt: "Wait for the stick of this workspace's Baton room: call wait_for_turn, again while it answers not_yet, or \
                 run `baton wait` in the shell. Then read the handoff that came with it and say what you will do next. \
                 Edit nothing before the stick is yours.",
    },
];

impl SlashCommand {
    /// Markdown with a front matter.
    pub(crate) fn markdown(&self) -> String {
        format!("---\ndescription: {}\nmetadata:\n  {MARKER}\n---\n\n{}\n", self.description, self.prompt)
    }

    /// Gemini's form.
    pub(crate) fn toml(&self) -> String {
        format!("# {MARKER}\ndescription = \"{}\"\nprompt = \"\"\"\n{}\n\"\"\"\n", self.description, self.prompt)
    }
}

/// The version and place that a program's contents are made for.
pub(crate) struct Wanted<'a> {
    pub(crate) command: HookCommand,
    pub(crate) package: &'a Package,
}
