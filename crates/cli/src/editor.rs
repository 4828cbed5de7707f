//! Asking a person through their editor.

use std::{io::Write, process::Command};

use baton_app::{Failure, environment::Environment};
use baton_core::code::ErrorCode;

/// What a person is asked to write.
pub(crate) struct Draft<'a> {
    /// What it is called: its file is named so.
    pub(crate) what: &'static str,
    /// What it says so far.
    pub(crate) text: &'a str,
    /// How else to say it.
    pub(crate) otherwise: &'static str,
}

/// Lets the person edit a draft and gives back what they saved.
pub(crate) fn edit(environment: &Environment, draft: &Draft<'_>) -> Result<String, Failure> {
    let program = ["VISUAL", "EDITOR"].iter().find_map(|name| environment.var(name)).unwrap_or("vi");
    let wrong = |problem: String| Failure::new(ErrorCode::InvalidInput, problem).advising(draft.otherwise);
    let mut file = tempfile::Builder::new()
        .prefix(&format!("baton-{}-", draft.what))
        .suffix(".md")
        .tempfile()
        .map_err(|error| wrong(format!("No file to edit could be made: {error}.")))?;
    file.write_all(draft.text.as_bytes())
        .map_err(|error| wrong(format!("The draft could not be written: {error}.")))?;
    // $EDITOR may carry arguments, as in "code --wait", so the shell splits it; the path is an argument of its own.
    let status = Command::new("sh").arg("-c").arg(format!("{program} \"$1\"")).arg("sh").arg(file.path()).status();
    match status {
        Ok(status) if status.success() => {}
        Ok(status) => return Err(wrong(format!("The editor ({program}) ended with {status}; nothing was done."))),
        Err(error) => return Err(wrong(format!("The editor ({program}) could not be started: {error}."))),
    }
    std::fs::read_to_string(file.path()).map_err(|error| wrong(format!("What you wrote could not be read: {error}.")))
}
