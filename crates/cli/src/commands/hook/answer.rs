//! The answer to each event.

use baton_app::{
    Failure,
    hook::{Beginning, Confinement, Displaced, GuardAnswer, SessionEnding, Stopped, ToolUse},
    identity::CALLER_ARGUMENT,
};
use baton_core::limits;
use baton_harness::{
    Harness,
    hook::{HookAnswer, HookEvent, SessionEnd, SessionSource, Tool, ToolCall},
};
use serde_json::{Map, Value};

use super::{compare, listener, run::Hook};

pub(super) fn answer(hook: &Hook<'_>) -> Result<HookAnswer, Failure> {
    match &hook.call.event {
        // A sub-agent is over when its part is done. OpenCode tells that as the end of a turn.
        HookEvent::SubagentStop | HookEvent::Stop | HookEvent::SessionEnd(_) if hook.main.is_some() => {
            hook.app.end_session(&hook.caller, SessionEnding::Replaced).map(|()| HookAnswer::Silence)
        }
        // Otherwise it works under the session that it belongs to.
        HookEvent::SessionStart(_) | HookEvent::Prompt if hook.main.is_some() => Ok(HookAnswer::Silence),
        HookEvent::SessionStart(source) => {
            let screens = hook.screens();
            let displaced = match source {
                SessionSource::Startup | SessionSource::Resume => Some(Displaced::Idle),
                SessionSource::Clear => Some(Displaced::All),
                SessionSource::Compact => None,
            };
            if let Some(displaced) = displaced {
                hook.app.end_displaced(&hook.caller, screens.as_deref(), displaced)?;
            }
            // The directory may have changed since it began, and its conversation is found by the first one.
            let conversation = displaced.and_then(|_| hook.resumable());
            let beginning = match source {
                SessionSource::Resume => Beginning::Resumed,
                SessionSource::Compact => Beginning::Compacted,
                SessionSource::Startup | SessionSource::Clear => Beginning::Usual,
            };
            let text = hook.app.begin_session(&hook.caller, beginning, conversation)?;
            hook.note(screens)?;
            // Gemini does not wait for this hook before it sends a prompt of its command line, so the prompt's own hook tells.
            if hook.harness == Harness::Gemini {
                hook.app.put_off_welcome(&hook.caller)?;
                return Ok(HookAnswer::Silence);
            }
            Ok(context(text))
        }
        HookEvent::Prompt => {
            let text = hook.app.news(&hook.caller, hook.resumable())?;
            hook.note(hook.screens())?;
            Ok(context(text.map(|text| if hook.steer { with_wait(&text) } else { text })))
        }
        HookEvent::SessionEnd(end) => {
            let ending = match end {
                SessionEnd::Exit => SessionEnding::Exit,
                SessionEnd::Replaced => SessionEnding::Replaced,
            };
            hook.app.end_session(&hook.caller, ending)?;
            if hook.harness.has_one_conversation() {
                // Whoever else is of this process was a sub-agent of the conversation.
                hook.app.end_subagents(&hook.caller)?;
            }
            Ok(HookAnswer::Silence)
        }
        HookEvent::BeforeTool(call) => before_tool(hook, call),
        HookEvent::AfterTool(call) => compare::after(hook, call).map(|()| HookAnswer::Silence),
        HookEvent::Stop => stop(hook),
        // The other programs begin the summarised session anew, and are told then.
        HookEvent::Compaction if hook.harness == Harness::OpenCode && hook.main.is_none() => {
            Ok(context(hook.app.begin_session(&hook.caller, Beginning::Compacted, None)?))
        }
        HookEvent::Compaction | HookEvent::SubagentStart | HookEvent::SubagentStop | HookEvent::Other => {
            Ok(HookAnswer::Silence)
        }
    }
}

/// A text with what a model has to do to be woken. A long text leaves no place for it.
fn with_wait(text: &str) -> String {
    let advice = "To be woken while you are idle, start this in the background (is_background), and again whenever it has ended: baton wait --park";
    let both = format!("{text}\n{advice}");
    if both.len() <= limits::HOOK_CONTEXT_BYTES { both } else { text.to_owned() }
}

fn context(text: Option<String>) -> HookAnswer {
    text.map_or(HookAnswer::Silence, HookAnswer::Context)
}

fn stop(hook: &Hook<'_>) -> Result<HookAnswer, Failure> {
    match hook.app.stop(&hook.caller)? {
        Some(Stopped::GoesOn(text)) => Ok(HookAnswer::GoOn(text)),
        Some(Stopped::Idle) => listener::start(hook).map(|()| HookAnswer::Silence),
        None => Ok(HookAnswer::Silence),
    }
}

fn before_tool(hook: &Hook<'_>, call: &ToolCall) -> Result<HookAnswer, Failure> {
    let tool = match &call.tool {
        Tool::Edit(paths) => ToolUse::Edit(paths.iter().filter(|path| !path.is_empty()).cloned().collect()),
        Tool::Shell(command) => ToolUse::Shell(command.clone()),
        Tool::Baton => {
            let caller = hook.signed_caller()?;
            return Ok(caller.map_or(HookAnswer::Silence, |caller| rewritten(call, CALLER_ARGUMENT, caller)));
        }
        Tool::Other => return Ok(HookAnswer::Silence),
    };
    let answer = hook.app.guard(&hook.caller, hook.main.as_ref(), &tool, confinement(hook))?;
    Ok(match answer {
        GuardAnswer::Pass => HookAnswer::Silence,
        GuardAnswer::Tell(text) => HookAnswer::Context(text),
        GuardAnswer::Refuse(reason) => HookAnswer::Deny(reason),
        GuardAnswer::Confine(room) => {
            let Tool::Shell(command) = &call.tool else { return Ok(HookAnswer::Silence) };
            rewritten(call, "command", confined(hook, room.as_str(), command)?.into())
        }
        GuardAnswer::Compare(room) => {
            compare::before(hook, call, &room)?;
            HookAnswer::Silence
        }
    })
}

fn rewritten(call: &ToolCall, field: &str, value: Value) -> HookAnswer {
    let mut input: Map<String, Value> = call.input.clone();
    input.insert(field.to_owned(), value);
    HookAnswer::Rewrite(input)
}

/// A rewritten command does not match the rules by which a person allows commands, so it is only rewritten where nobody is
/// asked, or where the person wants it.
fn confinement(hook: &Hook<'_>) -> Confinement {
    if !baton_host::confine::is_available() {
        Confinement::Unavailable
    } else if hook.confine || hook.call.is_bypassed {
        Confinement::Allowed
    } else {
        Confinement::Unwanted
    }
}

/// The command without write access to the room.
fn confined(hook: &Hook<'_>, room: &str, command: &str) -> Result<String, Failure> {
    let program = listener::own_program()?;
    let store = hook.store.map_or_else(String::new, |store| format!(" --store {}", quoted(store)));
    Ok(format!("{}{store} confine --room {room} -- bash -c {}", quoted(&program), quoted(command)))
}

/// One word to a shell, whatever is in it.
fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}
