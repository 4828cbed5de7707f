//! Asking a person through their editor.

use std::{io::Write, process::Command};

use baton_app::{Failure, environment::Environment};
use baton_core::code::ErrorCode;

/// Lets the person edit `text` and gives back what they saved.
pub(super) fn edit(environment: &Environment, text: &str) -> Result<String, Failure> {
    let program = ["VISUAL", "EDITOR"].iter().find_map(|name| environment.var(name)).unwrap_or("vi");
    let wrong = |problem: String| {
        Failure::new(ErrorCode::InvalidInput, problem)
            .advising("Set $EDITOR, or give the handoff with --status and --next, or --file.")
    };
    let mut file = tempfile::Builder::new()
        .prefix("baton-handoff-")
        .suffix(".md")
        .tempfile()
        .map_err(|error| wrong(format!("No file to edit could be made: {error}.")))?;
    file.write_all(text.as_bytes()).map_err(|error| wrong(format!("The draft could not be written: {error}.")))?;
    // $EDITOR may carry arguments, as in "code --wait", so the shell splits it; the path is an argument of its own.
    let status = Command::new("sh").arg("-c").arg(format!("{program} \"$1\"")).arg("sh").arg(file.path()).status();
    match status {
        Ok(status) if status.success() => {}
        Ok(status) => return Err(wrong(format!("The editor ({program}) ended with {status}; nothing was released."))),
        Err(error) => return Err(wrong(format!("The editor ({program}) could not be started: {error}."))),
    }
    std::fs::read_to_string(file.path()).map_err(|error| wrong(format!("What you wrote could not be read: {error}.")))
}
