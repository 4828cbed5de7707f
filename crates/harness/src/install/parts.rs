//! Writing and removing what a program's [`Contents`] list.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::{
    FileChange, FileReport, InstallError, Outcome, Package, Part,
    client::Problem,
    contents::{Contents, MARKER, OwnFile, Ownership, SharedFile, SharedItem},
    draft::Draft,
    json,
    json_edit::{self, Item, Step},
    register::{NEW_CONFIG_MODE, NEW_FILE_MODE, split_mark},
};

/// Writes the parts of a package.
pub(crate) fn write(
    contents: &Contents,
    package: &Package,
    draft: &mut Draft,
    outcome: &mut Outcome,
) -> Result<(), InstallError> {
    for file in contents.files.iter().filter(|file| package.has(file.part)) {
        let (change, text) = match draft.text(&file.path)? {
            None => (FileChange::Created, Some(&file.text)),
            Some(text) if text == file.text => (FileChange::Already, None),
            Some(text) if is_own(file, &text) => (FileChange::Updated, Some(&file.text)),
            Some(_) => (FileChange::KeptForeign, None),
        };
        if let Some(text) = text {
            draft.set(&file.path, Some(text.clone()), NEW_FILE_MODE)?;
        }
        outcome.files.push(report(file.part, &file.path, change, &file.text));
    }
    for file in contents.shared.iter().filter(|file| package.has(file.part)) {
        write_shared(file, draft, outcome)?;
    }
    Ok(())
}

/// Removes all parts.
pub(crate) fn remove(contents: &Contents, draft: &mut Draft, outcome: &mut Outcome) -> Result<(), InstallError> {
    for file in &contents.files {
        let Some(text) = draft.text(&file.path)? else { continue };
        let change = if text == file.text || is_own(file, &text) {
            draft.set(&file.path, None, 0)?;
            FileChange::Removed
        } else if file.ownership == Ownership::Exact {
            continue;
        } else {
            FileChange::KeptForeign
        };
        outcome.files.push(report(file.part, &file.path, change, ""));
    }
    for file in &contents.shared {
        let Some(text) = draft.text(&file.path)? else { continue };
        let (mark, content) = split_mark(&text);
        let found = find(file, content)?;
        if !found.is_empty() {
            let after = without(file, content, &found)?;
            draft.set(&file.path, after.map(|after| format!("{mark}{after}")), NEW_CONFIG_MODE)?;
            outcome.files.push(report(file.part, &file.path, FileChange::Removed, ""));
        }
    }
    Ok(())
}

/// The files of a part that say something else than the contents list. Those that a person may change are passed over.
pub(crate) fn differing(
    contents: &Contents,
    part: Part,
    read: impl Fn(&Path) -> Result<Option<String>, InstallError>,
) -> Result<Vec<PathBuf>, InstallError> {
    let mut differing = Vec::new();
    for file in contents.files.iter().filter(|file| file.part == part && file.ownership == Ownership::Marked) {
        if read(&file.path)?.as_deref() != Some(file.text.as_str()) {
            differing.push(file.path.clone());
        }
    }
    for file in contents.shared.iter().filter(|file| file.part == part) {
        let text = read(&file.path)?.unwrap_or_default();
        let content = split_mark(&text).1;
        if !is_current(file, content, &find(file, content)?)? {
            differing.push(file.path.clone());
        }
    }
    Ok(differing)
}

/// Whether a file has exactly the items that are wanted.
fn is_current(file: &SharedFile, content: &str, found: &[Vec<Step>]) -> Result<bool, InstallError> {
    let value = value_of(file, content)?;
    let mut there: Vec<_> = found.iter().map(|path| described(path, &value)).collect();
    let mut wanted: Vec<_> = file.items.iter().map(SharedItem::described).collect();
    there.sort();
    wanted.sort();
    Ok(there == wanted)
}

fn is_own(file: &OwnFile, text: &str) -> bool {
    file.ownership == Ownership::Marked && text.contains(MARKER)
}

fn write_shared(file: &SharedFile, draft: &mut Draft, outcome: &mut Outcome) -> Result<(), InstallError> {
    let text = draft.text(&file.path)?;
    let (mark, content) = split_mark(text.as_deref().unwrap_or_default());
    let found = find(file, content)?;
    if is_current(file, content, &found)? {
        if !file.items.is_empty() {
            outcome.files.push(report(file.part, &file.path, FileChange::Already, ""));
        }
        return Ok(());
    }
    let mut now = text.is_some().then(|| content.to_owned());
    if let Some(text) = now.take_if(|_| !found.is_empty()) {
        now = without(file, &text, &found)?;
    }
    let mut written = Vec::new();
    for item in &file.items {
        let value = now.as_deref().map(|text| value_of(file, text)).transpose()?.unwrap_or_default();
        if let Some(own) = item.key.and_then(|key| container(&value, &item.path).get(key)) {
            let path = file.path.display();
            let place = item.path.iter().copied().chain(item.key).collect::<Vec<_>>().join(".");
            outcome.notes.push(format!("{path} has {place} = {own} already, which stays"));
            continue;
        }
        check_shape(file, &value, item)?;
        let inserted = Item { path: &item.path, key: item.key, value: item.value.clone(), is_marked: item.is_marked };
        let options = json::options(file.syntax);
        let after = json_edit::insert(now.as_deref(), &inserted, &options).map_err(|_| bad_edit(file))?;
        now = Some(after);
        written.push(item);
    }
    let change = match (&text, written.is_empty()) {
        (_, true) if found.is_empty() => return Ok(()),
        (_, true) => FileChange::Removed,
        (None, false) => FileChange::Created,
        (Some(_), false) if found.is_empty() => FileChange::Added,
        (Some(_), false) => FileChange::Updated,
    };
    if let Some(text) = &now {
        value_of(file, text).map_err(|_| bad_edit(file))?;
    }
    draft.set(&file.path, now.map(|now| format!("{mark}{now}")), NEW_CONFIG_MODE)?;
    outcome.files.push(report(file.part, &file.path, change, &snippet(&written)));
    Ok(())
}

impl SharedItem {
    /// The item as a line to compare by.
    fn described(&self) -> String {
        let place = self.path.iter().copied().chain(self.key).collect::<Vec<_>>().join(".");
        format!("{place} {}", self.value)
    }
}

fn described(path: &[Step], value: &Value) -> String {
    // An item in a list inside of a list shares a group with others; it counts as if it had the group for itself.
    if let [group @ .., Step::Key(list), Step::Index(_)] = path
        && let Some(Step::Index(_)) = group.last()
    {
        let mut own = value_at(value, group).clone();
        own[list] = Value::Array(vec![value_at(value, path).clone()]);
        return format!("{} {own}", place(group));
    }
    format!("{} {}", place(path), value_at(value, path))
}

fn place(path: &[Step]) -> String {
    let key = |step: &Step| match step {
        Step::Key(key) => Some(key.clone()),
        Step::Index(_) => None,
    };
    path.iter().filter_map(key).collect::<Vec<_>>().join(".")
}

fn value_at<'a>(value: &'a Value, path: &[Step]) -> &'a Value {
    path.iter().fold(value, |value, step| match step {
        Step::Key(key) => &value[key],
        Step::Index(index) => &value[*index],
    })
}

fn container<'a>(value: &'a Value, path: &[&str]) -> &'a Value {
    path.iter().fold(value, |value, key| &value[*key])
}

fn check_shape(file: &SharedFile, value: &Value, item: &SharedItem) -> Result<(), InstallError> {
    for depth in 0..=item.path.len() {
        let path = &item.path[..depth];
        let there = container(value, path);
        let is_list = depth == item.path.len() && item.key.is_none();
        if !there.is_null() && if is_list { !there.is_array() } else { !there.is_object() } {
            let key = if depth == 0 { "the whole file".to_owned() } else { path.join(".") };
            let wanted = if is_list { "a list" } else { "an object" };
            return Err(
                Problem::WrongShape { key, found: "something else".to_owned(), wanted }.in_file(file.path.clone())
            );
        }
    }
    Ok(())
}

fn value_of(file: &SharedFile, text: &str) -> Result<Value, InstallError> {
    let value = json::read_value(text, file.syntax).map_err(|problem| problem.in_file(file.path.clone()))?;
    Ok(value.unwrap_or_default())
}

fn find(file: &SharedFile, text: &str) -> Result<Vec<Vec<Step>>, InstallError> {
    Ok((file.find)(text, &value_of(file, text)?))
}

/// The last first, so that places in a list stay what they are.
fn without(file: &SharedFile, text: &str, found: &[Vec<Step>]) -> Result<Option<String>, InstallError> {
    let mut now = Some(text.to_owned());
    for path in found.iter().rev() {
        let Some(text) = now else { break };
        now = json_edit::remove(&text, path, &json::options(file.syntax)).map_err(|_| bad_edit(file))?;
    }
    Ok(now)
}

fn bad_edit(file: &SharedFile) -> InstallError {
    InstallError::BadEdit { path: file.path.clone() }
}

/// The items as a configuration of their own.
fn snippet(items: &[&SharedItem]) -> String {
    let mut text = None;
    for item in items {
        let item = Item { path: &item.path, key: item.key, value: item.value.clone(), is_marked: item.is_marked };
        text = json_edit::insert(text.as_deref(), &item, &json::options(json::Syntax::Comments)).ok();
    }
    text.unwrap_or_default()
}

fn report(part: Part, path: &Path, change: FileChange, content: &str) -> FileReport {
    FileReport { part, path: path.to_owned(), change, content: content.to_owned() }
}
