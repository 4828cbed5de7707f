//! The processes a row needs: this program again, started with one of these names as its first word.
//!
//! A helper ends when its standard input does, so none outlives a bench that was interrupted.

use std::{
    env,
    io::{self, Read, Write},
    process::{Child, ChildStdout, Command, Stdio},
};

use crate::{
    bare, bell, bus, raw, servers,
    trouble::{Outcome, Trouble},
    worker,
};

/// What a helper does with the words after its name.
pub(crate) type Helper = fn(&[String]) -> Outcome<()>;

/// Every helper.
const HELPERS: [(&str, Helper); 8] = [
    ("helper-work", worker::main),
    ("helper-hold", raw::hold),
    ("helper-watch", bell::watch),
    ("helper-mcp", servers::serve),
    ("helper-bare-mcp", bare::serve),
    ("helper-up", bus::up::serve),
    ("helper-bare-socket", bus::bare::serve_socket),
    ("helper-bare-http", bus::bare::serve_http),
];

/// The helper that a command line names.
pub(crate) fn find(words: &[String]) -> Option<Helper> {
    let name = words.first()?;
    HELPERS.iter().find(|(known, _)| known == name).map(|(_, helper)| *helper)
}

/// The command that starts a helper.
pub(crate) fn command(name: &str) -> io::Result<Command> {
    let mut command = Command::new(env::current_exe()?);
    command.arg(name);
    Ok(command)
}

/// Starts a helper with both ends piped, and waits for the line that says it is ready.
pub(crate) fn start(mut command: Command) -> Outcome<(Child, ChildStdout)> {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    let mut stdout = child.stdout.take().ok_or("a helper has no output")?;
    let mut byte = [0; 1];
    match stdout.read_exact(&mut byte) {
        Ok(()) if byte == READY => Ok((child, stdout)),
        Ok(()) | Err(_) => Err(Trouble::from(format!("a helper did not start: {}", child.wait()?))),
    }
}

/// What a helper writes once it is ready.
const READY: [u8; 1] = *b"!";

/// Tells whoever started this helper that it is ready.
pub(crate) fn ready() -> io::Result<()> {
    let mut stdout = io::stdout();
    stdout.write_all(&READY)?;
    stdout.flush()
}

/// Waits until whoever started this helper wants it to end.
pub(crate) fn wait_for_the_end() -> io::Result<()> {
    io::copy(&mut io::stdin(), &mut io::sink()).map(|_| ())
}
