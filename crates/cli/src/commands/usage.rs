//! What is said about arguments that make no command: clap's words for people, the envelope for programs.

use std::{ffi::OsString, process::ExitCode};

use baton_app::Failure;
use baton_core::code::ErrorCode;
use clap::{CommandFactory, error::ErrorKind};

use super::Arguments;
use crate::{exit::Exit, ui};

/// Shows help, the version, or what is wrong with the arguments of this process.
pub(super) fn explain(error: &clap::Error) -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    if error.use_stderr() && wants_json(&arguments) && !calls_hook(&arguments) {
        let command = named(&arguments);
        let help = if command == "baton" { "baton --help".to_owned() } else { format!("baton {command} --help") };
        let failure = Failure::new(ErrorCode::InvalidInput, message(error)).advising(format!("See `{help}`."));
        ui::failed_envelope(&command, &failure);
        return Exit::Usage.into();
    }
    let text = error.render().to_string();
    let plain = in_plain_words(&text);
    if plain == text {
        // A reader that has gone away is not an error.
        let _ = error.print();
    } else {
        ui::complain(&plain);
    }
    // A program that calls a hook takes any other status for a refusal: an unknown word stops nobody's tools.
    if error.use_stderr() && !calls_hook(&arguments) { Exit::Usage } else { Exit::Done }.into()
}

/// Whether the arguments are those of a hook, whatever is wrong with the rest of them.
fn calls_hook(arguments: &[OsString]) -> bool {
    let mut words = arguments.iter();
    loop {
        match words.next() {
            Some(option) if option == "--store" => drop(words.next()),
            Some(option) if option.as_encoded_bytes().starts_with(b"-") => {}
            word => return word.is_some_and(|word| word == "hook"),
        }
    }
}

/// Whether the flag is among the arguments, as far as they could be flags.
fn wants_json(arguments: &[OsString]) -> bool {
    arguments.iter().take_while(|argument| *argument != "--").any(|argument| argument == "--json")
}

/// The words that name a command, as far as they do. The first that does not may be an option's value.
fn named(arguments: &[OsString]) -> String {
    let root = Arguments::command();
    let (mut command, mut names) = (&root, Vec::new());
    for word in arguments.iter().filter_map(|argument| argument.to_str()).filter(|word| !word.starts_with('-')) {
        let Some(inner) = command.find_subcommand(word) else { break };
        names.push(inner.get_name());
        command = inner;
    }
    if names.is_empty() { "baton".to_owned() } else { names.join(" ") }
}

/// An error of clap without the words of the library that reads numbers.
fn in_plain_words(text: &str) -> String {
    [
        ("invalid digit found in string", "it is no whole number"),
        ("cannot parse integer from empty string", "it is no whole number"),
        ("number too large to fit in target type", "it is too large"),
        ("number too small to fit in target type", "it is too small"),
        ("invalid float literal", "it is no number"),
    ]
    .iter()
    .fold(text.to_owned(), |text, (theirs, ours)| text.replace(theirs, ours))
}

/// The first paragraph of what clap says, on one line.
fn message(error: &clap::Error) -> String {
    // Clap lists every subcommand there is.
    if let ErrorKind::MissingSubcommand | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand = error.kind() {
        return "A subcommand is missing.".to_owned();
    }
    let text = in_plain_words(&error.render().to_string());
    let lines = text.lines().map(str::trim).take_while(|line| !line.is_empty());
    let line = lines.collect::<Vec<_>>().join(" ");
    format!("{}.", line.strip_prefix("error: ").unwrap_or(&line))
}
