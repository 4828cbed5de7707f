//! Listeners of idle sessions: each waits until its session is to be woken, and then wakes it.
//!
//! Programs that start a listener themselves get the text on its output (`--park`). Codex has no such hook; its listener is
//! started here at the end of a turn, outlives the hook, and puts the text into Codex's own queue. Claude Code is woken by
//! Baton's MCP server. A listener ends with its session's program, and when the session goes on by itself.

use std::{
    io::{BufRead as _, BufReader, Write as _},
    os::unix::process::CommandExt as _,
    process::{Command, Stdio},
};

use baton_app::{Failure, hook::Stopped};
use baton_core::code::ErrorCode;
use baton_harness::{Harness, hook::HookAnswer};

use super::run::Hook;
use crate::ui;

/// The line with which a listener that was started says that it knows whose it is.
const READY: &str = "ready\n";

/// Starts the listener of a program that starts none itself. It is waited for until it has found its program among the processes
/// above it: once this process is gone, it cannot.
pub(super) fn start(hook: &Hook<'_>) -> Result<(), Failure> {
    if hook.harness != Harness::Codex {
        return Ok(());
    }
    let mut command = Command::new(own_program()?);
    command.args(hook.store.map(|store| ["--store", store]).into_iter().flatten());
    command.args(["hook", hook.harness.slug(), "--park"]);
    // A group of its own: the program ends its hooks by their group.
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).process_group(0);
    let failed =
        |error: std::io::Error| Failure::new(ErrorCode::Internal, format!("No listener was started: {error}."));
    let mut listener = command.spawn().map_err(failed)?;
    if let Some(mut input) = listener.stdin.take() {
        let _ = input.write_all(hook.input.to_string().as_bytes());
    }
    if let Some(output) = listener.stdout.take() {
        let _ = BufReader::new(output).read_line(&mut String::new());
    }
    Ok(())
}

/// Waits for a reason to wake the session of a hook that the program keeps open for it.
pub(super) fn listen(hook: &Hook<'_>) -> Result<HookAnswer, Failure> {
    if hook.main.is_some() {
        return Ok(HookAnswer::Silence);
    }
    let is_own = hook.harness == Harness::Codex;
    if is_own {
        ui::hook_output(READY, "");
    } else if let Some(Stopped::GoesOn(text)) = hook.app.stop(&hook.caller)? {
        return Ok(HookAnswer::Wake(text));
    }
    let Some(text) = hook.app.await_wake(&hook.caller)? else { return Ok(HookAnswer::Silence) };
    if !is_own {
        return Ok(HookAnswer::Wake(text));
    }
    wake_codex(hook, &text)?;
    Ok(HookAnswer::Silence)
}

/// Puts a text into the queue of a Codex that is idle.
fn wake_codex(hook: &Hook<'_>, text: &str) -> Result<(), Failure> {
    let failed = |why: String| Failure::new(ErrorCode::Internal, format!("Codex could not be woken: {why}."));
    let process = hook.caller.actor().process.ok_or_else(|| failed("its process is not known".to_owned()))?;
    let program =
        std::fs::read_link(format!("/proc/{}/exe", process.pid)).map_err(|error| failed(error.to_string()))?;
    let status = Command::new(program)
        .args(["queue", "--thread", &hook.call.session, "--message", text])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .map_err(|error| failed(error.to_string()))?;
    if status.success() { Ok(()) } else { Err(failed(status.to_string())) }
}

/// The path of this program.
pub(super) fn own_program() -> Result<String, Failure> {
    let failed = |why: String| Failure::new(ErrorCode::Internal, format!("This program's own path is unknown: {why}."));
    let path = std::env::current_exe().map_err(|error| failed(error.to_string()))?;
    path.into_os_string().into_string().map_err(|_| failed("it is no UTF-8 text".to_owned()))
}
