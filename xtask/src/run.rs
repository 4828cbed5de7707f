//! Running commands in the open.

use std::{
    error::Error,
    io::{self, Write},
    path::{Path, PathBuf},
    process::Command,
};

/// Why a task stopped.
pub(crate) type Outcome = Result<(), String>;

/// Tells the person something.
pub(crate) fn say(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{}", text.trim_end());
}

/// The top of the checkout.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().map(Path::to_owned).unwrap_or_default()
}

/// A cargo command in the workspace.
pub(crate) fn cargo(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO"));
    command.args(arguments).current_dir(root());
    command
}

/// Shows a command, runs it, and fails if it does.
pub(crate) fn run(mut command: Command) -> Outcome {
    let shown = shown(&command);
    say(&format!("$ {shown}"));
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("`{shown}` ended with {status}")),
        Err(error) => Err(format!("`{shown}` could not be started: {error}")),
    }
}

/// Shows a command and runs it, and shows what it says only if it fails. Gives that otherwise.
pub(crate) fn quietly(mut command: Command) -> Result<String, String> {
    let shown = shown(&command);
    say(&format!("$ {shown}"));
    let output = command.output().map_err(|error| format!("`{shown}` could not be started: {error}"))?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    if output.status.success() {
        return Ok(said);
    }
    say(&said);
    say(&String::from_utf8_lossy(&output.stderr));
    Err(format!("`{shown}` ended with {}", output.status))
}

/// What a command prints.
pub(crate) fn output(mut command: Command) -> Result<String, String> {
    let shown = shown(&command);
    let output = command.output().map_err(|error| format!("`{shown}` could not be started: {error}"))?;
    if !output.status.success() {
        return Err(format!("`{shown}` ended with {}:\n{}", output.status, String::from_utf8_lossy(&output.stderr)));
    }
    String::from_utf8(output.stdout).map_err(|_| format!("`{shown}` printed something that is not text"))
}

/// An error and, after it, what brought it about.
pub(crate) fn with_causes(error: &dyn Error) -> String {
    match error.source() {
        Some(cause) => format!("{error}: {}", with_causes(cause)),
        None => error.to_string(),
    }
}

fn shown(command: &Command) -> String {
    let program = Path::new(command.get_program()).file_name().unwrap_or(command.get_program());
    let words = std::iter::once(program).chain(command.get_args());
    words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}
