//! The hook before a tool, read back from a configuration.

use serde_json::Value;

use crate::{
    Harness,
    install::{
        contents::find_hooks,
        hook_command::{HookCommand, is_ours},
        json::{Syntax, read_value},
        json_edit::Step,
        register::split_mark,
    },
};

/// The command of the hook before a tool.
#[derive(Clone, Debug)]
pub struct GuardCommand {
    /// The command as the program runs it.
    pub invocation: Invocation,
    /// The command line inside of it; none if Baton does not write it so.
    pub(crate) command: Option<HookCommand>,
}

/// A command as a program runs it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Invocation {
    /// Without a shell.
    Program(Vec<String>),
    /// As a line of a shell.
    Line { line: String, shell: HookShell },
}

/// The shell to which a program hands its hooks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HookShell {
    Sh,
    Bash,
    /// The one that `SHELL` names.
    Personal,
}

impl GuardCommand {
    /// The words of `baton hook …` without a person's choices, if Baton writes them so.
    pub fn words(&self) -> Option<Vec<String>> {
        self.command.as_ref().map(HookCommand::bare_words)
    }
}

/// Whether a configuration of the form that three programs share has hooks of ours.
pub(crate) fn has_groups(harness: Harness, text: &str, syntax: Syntax) -> bool {
    let value = read_value(split_mark(text).1, syntax).ok().flatten().unwrap_or_default();
    !find_hooks(harness.slug(), &value).is_empty()
}

/// Finds the hook of an event in such a configuration.
pub(crate) fn find_guard(
    harness: Harness,
    text: &str,
    syntax: Syntax,
    event: &str,
    shell: HookShell,
) -> Option<GuardCommand> {
    let value = read_value(split_mark(text).1, syntax).ok().flatten()?;
    let group = find_hooks(harness.slug(), &value).into_iter().find_map(|path| match path.as_slice() {
        [_, Step::Key(key), Step::Index(index), ..] if key == event => Some(value["hooks"][event][*index].clone()),
        _ => None,
    })?;
    let handler = group["hooks"].as_array()?.iter().find(|handler| is_ours(handler, harness.slug()))?;
    let command = HookCommand::of_handler(handler, harness);
    let line = handler["command"].as_str()?.to_owned();
    let invocation = match handler["args"].as_array() {
        Some(arguments) => {
            let arguments = arguments.iter().map(|word| word.as_str().map(str::to_owned));
            Invocation::Program(std::iter::once(Some(line)).chain(arguments).collect::<Option<_>>()?)
        }
        None => Invocation::Line { line, shell },
    };
    Some(GuardCommand { invocation, command })
}

/// A hook that is started without a shell, by the words of a list.
pub(crate) fn guard_of_words(harness: Harness, words: &Value) -> Option<GuardCommand> {
    let words: Vec<String> =
        words.as_array()?.iter().map(|word| word.as_str().map(str::to_owned)).collect::<Option<_>>()?;
    let command = HookCommand::of_words(words.clone(), harness);
    Some(GuardCommand { invocation: Invocation::Program(words), command })
}
