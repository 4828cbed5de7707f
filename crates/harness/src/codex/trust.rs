//! The trust that Codex asks for: a hash of each hook in the person's `config.toml`.
//!
//! A hook without one is passed over, silently by `codex exec`. This is a person's consent, so it is written only when
//! they asked for it, and taken back with the hooks.

use std::{collections::BTreeMap, path::Path};

use jsonc_parser::ParseOptions;
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use crate::install::{
    FileChange, FileReport, InstallError, Outcome, Part,
    contents::find_hooks,
    draft::Draft,
    json_edit::{Step, value_of},
    register::{NEW_CONFIG_MODE, split_mark},
    toml,
};

/// The default where a hook names no timeout.
const TIMEOUT_SECONDS: u64 = 600;

/// Brings the hashes in `config` in line with our hooks in `hooks`, and notes what a person still has to do.
pub(super) fn settle(
    hooks: &Path,
    config: &Path,
    draft: &mut Draft,
    should_trust: bool,
    outcome: &mut Outcome,
) -> Result<(), InstallError> {
    let text = draft.text(hooks)?.unwrap_or_default();
    let wanted = keys(hooks, &text);
    let before = draft.text(config)?;
    let (mark, content) = split_mark(before.as_deref().unwrap_or_default());
    let problem = |problem: crate::install::client::Problem| problem.in_file(config.to_owned());
    let given = toml::hook_states(content).map_err(problem)?;
    let prefix = format!("{}:", hooks.display());
    let is_right = |key: &String, hash: &String| given.get(key) == Some(hash);
    if wanted.iter().all(|(key, hash)| is_right(key, hash)) && !wanted.is_empty() {
        return Ok(());
    }
    // Hashes of hooks that are gone; others' hooks in the file keep theirs. A hash of ours may be where another program's
    // hook is by now.
    let others = other_keys(hooks, &text);
    let had = keys(hooks, &draft.text_before(hooks)?.unwrap_or_default());
    let is_own = |given: &String| had.values().chain(wanted.values()).any(|hash| hash == given);
    let is_stale = |(key, hash): &(&String, &String)| {
        key.starts_with(&prefix) && (is_own(hash) || !others.contains(key)) && wanted.get(*key) != Some(*hash)
    };
    let stale: Vec<&String> = given.iter().filter(is_stale).map(|(key, _)| key).collect();
    let mut after = before.is_some().then(|| content.to_owned());
    if !stale.is_empty() {
        after = toml::without_hook_states(after.as_deref().unwrap_or_default(), &stale).map_err(problem)?;
    }
    if should_trust {
        let missing: BTreeMap<_, _> = wanted.iter().filter(|(key, hash)| !is_right(key, hash)).collect();
        if !missing.is_empty() {
            after = Some(toml::with_hook_states(after.as_deref(), &missing).map_err(problem)?);
            let change = if before.is_some() { FileChange::Added } else { FileChange::Created };
            let content = toml::hook_state_tables(&missing);
            outcome.files.push(FileReport { part: Part::Hooks, path: config.to_owned(), change, content });
        }
    }
    let after = after.map(|after| format!("{mark}{after}"));
    draft.set(config, after, NEW_CONFIG_MODE)?;
    let note = "hooks are not active until you trust them in codex: start codex and choose Trust, or run this again with --trust-hooks";
    outcome.notes.extend((!should_trust && !wanted.is_empty()).then(|| note.to_owned()));
    Ok(())
}

/// The key and the hash of each of our hooks.
pub(crate) fn keys(hooks: &Path, text: &str) -> BTreeMap<String, String> {
    let value = value_of(text, &ParseOptions::default()).ok().flatten().unwrap_or_default();
    let mut keys = BTreeMap::new();
    for path in find_hooks("codex", &value) {
        if let [_, Step::Key(event), Step::Index(index), shared @ ..] = path.as_slice() {
            let group = &value["hooks"][event][*index];
            for (place, handler) in group["hooks"].as_array().into_iter().flatten().enumerate() {
                if shared.last().is_none_or(|step| *step == Step::Index(place)) {
                    keys.insert(key(hooks, event, *index, place), hash(event, group, handler));
                }
            }
        }
    }
    keys
}

/// The keys of all hooks in the file that are not ours.
fn other_keys(hooks: &Path, text: &str) -> Vec<String> {
    let value = value_of(text, &ParseOptions::default()).ok().flatten().unwrap_or_default();
    let ours = keys(hooks, text);
    let mut keys = Vec::new();
    for (event, groups) in value["hooks"].as_object().into_iter().flatten() {
        for (index, group) in groups.as_array().into_iter().flatten().enumerate() {
            let handlers = group["hooks"].as_array().map_or(0, Vec::len);
            keys.extend((0..handlers).map(|place| key(hooks, event, index, place)));
        }
    }
    keys.retain(|key| !ours.contains_key(key));
    keys
}

fn key(hooks: &Path, event: &str, group: usize, handler: usize) -> String {
    format!("{}:{}:{group}:{handler}", hooks.display(), label(event))
}

/// `PreToolUse` as `pre_tool_use`.
fn label(event: &str) -> String {
    let mut label = String::new();
    for (index, letter) in event.char_indices() {
        if letter.is_ascii_uppercase() && index > 0 {
            label.push('_');
        }
        label.push(letter.to_ascii_lowercase());
    }
    label
}

/// Codex hashes a hook in its normal form, as JSON with sorted keys.
fn hash(event: &str, group: &Value, handler: &Value) -> String {
    let mut normal: BTreeMap<&str, Value> = BTreeMap::new();
    for (name, value) in handler.as_object().into_iter().flatten() {
        normal.insert(name, value.clone());
    }
    normal.entry("async").or_insert(Value::Bool(false));
    normal.entry("timeout").or_insert(TIMEOUT_SECONDS.into());
    let handler: Map<String, Value> = normal.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    let mut entry = Map::new();
    entry.insert("event_name".to_owned(), label(event).into());
    entry.insert("hooks".to_owned(), Value::Array(vec![Value::Object(handler)]));
    if let Some(matcher) = group.get("matcher") {
        entry.insert("matcher".to_owned(), matcher.clone());
    }
    let digest = Sha256::digest(Value::Object(entry).to_string());
    let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("sha256:{hex}")
}
