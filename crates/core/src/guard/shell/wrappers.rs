//! Programs and builtins that run the command behind them.

use super::{assignment, command::skip_assignments, scene::Scene, token::Word};

/// The command behind a wrapper.
pub(super) enum Wrapped<'a, 'b> {
    /// This is no wrapper.
    No,
    /// The shell runs it, so a `cd` counts.
    ByShell(&'b [&'a Word]),
    /// Another program runs it.
    ByProgram(&'b [&'a Word]),
}

/// Finds the command that `program` would run. Options that are not known here make it unknown.
pub(super) fn unwrap<'a, 'b>(program: &str, arguments: &'b [&'a Word], scene: &mut Scene) -> Wrapped<'a, 'b> {
    match program {
        "command" => match arguments.first().and_then(|word| word.literal()) {
            Some("-v" | "-V") => Wrapped::ByShell(&[]),
            _ => Wrapped::ByShell(skip_options(arguments, &["-p"], &[], scene)),
        },
        "builtin" => Wrapped::ByShell(skip_options(arguments, &[], &[], scene)),
        "time" => Wrapped::ByShell(skip_options(arguments, &["-p"], &[], scene)),
        "exec" => Wrapped::ByProgram(skip_options(arguments, &["-c", "-l", "-cl"], &["-a"], scene)),
        "sudo" => {
            let rest = skip_options(arguments, &["-n", "-E", "-H", "-k", "-S", "-nE"], &["-u", "-g"], scene);
            Wrapped::ByProgram(skip_passed_assignments(rest, scene))
        }
        "env" => {
            let rest = skip_options(arguments, &["-i", "-0", "--null"], &["-u"], scene);
            let options = arguments.get(..arguments.len() - rest.len()).unwrap_or_default();
            scene.is_partial |= options.iter().any(|word| assignment::is_powerful(&word.text));
            Wrapped::ByProgram(skip_passed_assignments(rest, scene))
        }
        "nice" => {
            let is_number =
                |word: &&Word| word.text.strip_prefix('-').is_some_and(|number| number.parse::<i8>().is_ok());
            let skipped = usize::from(arguments.first().is_some_and(is_number));
            Wrapped::ByProgram(skip_options(arguments.get(skipped..).unwrap_or_default(), &[], &["-n"], scene))
        }
        // Its output goes to a file if it would go to a terminal.
        "nohup" => {
            scene.unknown();
            Wrapped::ByProgram(skip_options(arguments, &[], &[], scene))
        }
        "timeout" | "gtimeout" => {
            let flags = ["--preserve-status", "--foreground", "-v", "--verbose", "-p", "-f"];
            let rest = skip_options(arguments, &flags, &["-s", "-k", "--signal", "--kill-after"], scene);
            let is_duration = |word: &&Word| {
                word.literal().is_some_and(|text| text.starts_with(|first: char| first.is_ascii_digit()))
            };
            scene.is_partial |= !rest.first().is_some_and(is_duration);
            Wrapped::ByProgram(rest.get(1..).unwrap_or_default())
        }
        "stdbuf" => Wrapped::ByProgram(skip_options(
            arguments,
            &["-i0", "-o0", "-e0", "-iL", "-oL", "-eL"],
            &["-i", "-o", "-e", "--input", "--output", "--error"],
            scene,
        )),
        "setsid" => Wrapped::ByProgram(skip_options(arguments, &["-f", "-w", "-c", "--fork", "--wait"], &[], scene)),
        _ => Wrapped::No,
    }
}

/// The words behind assignments that a program is given: to it they are words like any other, which the shell may split.
fn skip_passed_assignments<'a, 'b>(words: &'b [&'a Word], scene: &mut Scene) -> &'b [&'a Word] {
    let rest = skip_assignments(words, scene);
    let assignments = words.get(..words.len() - rest.len()).unwrap_or_default();
    scene.is_partial |= assignments.iter().any(|word| word.splits);
    rest
}

/// The words behind a wrapper's options: `flags` stand alone, `valued` are followed by a word or, if long, have a value behind `=`.
fn skip_options<'a, 'b>(words: &'b [&'a Word], flags: &[&str], valued: &[&str], scene: &mut Scene) -> &'b [&'a Word] {
    let mut rest = words;
    while let Some((word, after)) = rest.split_first() {
        let text = word.text.as_str();
        if word.may_be_option() {
            scene.unknown();
            break;
        }
        let has_value = text.starts_with("--") && text.split_once('=').is_some_and(|(name, _)| valued.contains(&name));
        if text == "--" {
            return after;
        } else if !text.starts_with('-') {
            break;
        } else if flags.contains(&text) || has_value {
            rest = after;
        } else if valued.contains(&text) {
            scene.is_partial |= after.first().is_none_or(|value| value.literal().is_none());
            rest = after.get(1..).unwrap_or_default();
        } else {
            scene.unknown();
            return &[];
        }
    }
    rest
}
