//! One call of a hook: JSON in, the program's dialect out, exit 0 whatever happens.

use std::{path::PathBuf, process::ExitCode};

use baton_app::{
    App, Caller, Failure,
    environment::Environment,
    hook::ResumableConversation,
    identity::{HookKey, Surroundings, Told, screens},
};
use baton_core::{
    guard::{ShellEffect, read_shell},
    process::ProcessIdentity,
};
use baton_harness::{
    Harness,
    hook::{HookAnswer, HookCall, HookEvent, Tool, ToolCall},
};
use serde_json::Value;

use super::{
    answer,
    input::{self, Input},
    listener, status_line,
};
use crate::{context, ui};

/// Answer a hook of an agent program: JSON on standard input, the program's dialect on standard output
///
/// `baton install` puts it into the programs' hooks; nobody needs to call it by hand. It always exits with 0, says nothing outside
/// of a room, and no answer lets the program go on.
#[derive(Debug, clap::Args)]
pub(in crate::commands) struct HookArgs {
    /// claude-code, codex, gemini or opencode
    harness: Harness,
    /// At the end of a turn, wait until the session is to be woken
    #[arg(long, conflicts_with = "status_line")]
    park: bool,
    /// Ask the model to keep a wait running in the background, whose end reaches it
    #[arg(long)]
    steer: bool,
    /// Print one line about the room, for Claude Code's status line
    #[arg(long)]
    status_line: bool,
    /// Run shell commands confined where they may write without the stick, also where a person approves them
    #[arg(long)]
    confine: bool,
    /// Refuse edits while Baton cannot decide about them
    #[arg(long)]
    strict: bool,
}

/// A hook's call with all that answers it.
pub(super) struct Hook<'a> {
    pub(super) app: &'a App,
    pub(super) harness: Harness,
    pub(super) call: HookCall,
    /// The input as it came, for a listener that outlives this process.
    pub(super) input: Value,
    /// The agent of the session, or of the sub-agent that calls.
    pub(super) caller: Caller,
    /// The agent that a sub-agent works for.
    pub(super) main: Option<Caller>,
    pub(super) told: Told,
    pub(super) data_directory: PathBuf,
    pub(super) store: Option<&'a str>,
    pub(super) confine: bool,
    pub(super) steer: bool,
    /// Whether the program's process serves several screens.
    pub(super) is_server: bool,
}

impl HookArgs {
    pub(in crate::commands) fn run(&self, store: Option<&str>) -> ExitCode {
        let input = input::read();
        let call = self.harness.read_hook(input.value());
        let answered = match input {
            Input::Unreadable(_) if self.strict && matches!(call.event, HookEvent::BeforeTool(_)) => {
                HookAnswer::Deny(undecided("what the program says cannot be read"))
            }
            Input::Unreadable(_) => HookAnswer::Silence,
            Input::Read(value) => match self.answer(store, &call, value) {
                Ok(answer) => answer,
                Err(failure) if self.strict && is_guarded(&call) => HookAnswer::Deny(undecided(&failure.message)),
                Err(_) => HookAnswer::Silence,
            },
        };
        let output = self.harness.answer_hook(&call, &answered);
        ui::hook_output(&output.stdout, &output.stderr);
        ExitCode::from(output.status)
    }

    fn answer(&self, store: Option<&str>, call: &HookCall, input: Value) -> Result<HookAnswer, Failure> {
        let environment = Environment::read();
        let location = environment.store_location(store)?;
        // Nobody ever used Baton here, and a hook is not the one who begins.
        if !App::has_store(&location) {
            return Ok(HookAnswer::Silence);
        }
        let app = context::open_at(&environment, &location)?;
        let surroundings = context::surroundings(&environment, &app)?;
        let told = Told { session: call.session.clone(), agent: call.agent.clone() };
        let argv = surroundings.command_line_of(self.harness);
        let is_bypassed = argv.is_some_and(|argv| self.harness.is_bypassed(argv));
        let cwd = call.cwd.clone().unwrap_or_else(|| environment.cwd().to_owned());
        let caller = |told: &Told| self.caller(&app, &surroundings, told, cwd.clone());
        let hook = Hook {
            app: &app,
            harness: self.harness,
            caller: caller(&told)?,
            main: told.agent.is_some().then(|| caller(&told.main())).transpose()?,
            call: HookCall { is_bypassed: call.is_bypassed || is_bypassed, ..call.clone() },
            input,
            told,
            data_directory: context::data_directory(&environment, store)?,
            store,
            confine: self.confine,
            steer: self.steer,
            is_server: argv.is_some_and(|argv| self.harness.is_server(argv)),
        };
        if self.status_line {
            status_line::print(&hook)?;
            return Ok(HookAnswer::Silence);
        }
        if self.park { listener::listen(&hook) } else { answer::answer(&hook) }
    }

    fn caller(&self, app: &App, surroundings: &Surroundings, told: &Told, cwd: PathBuf) -> Result<Caller, Failure> {
        let caller =
            Caller::new(surroundings.hook_caller(self.harness, told), cwd).assigned(surroundings.employment().clone());
        app.settle(&caller)?;
        Ok(caller)
    }
}

impl Hook<'_> {
    /// The screens in the session's directory, if the program's process serves several.
    pub(super) fn screens(&self) -> Option<Vec<ProcessIdentity>> {
        self.is_server.then(|| screens(self.harness, &self.caller.cwd))
    }

    /// Notes the screens at which the session may be.
    pub(super) fn note(&self, screens: Option<Vec<ProcessIdentity>>) -> Result<(), Failure> {
        screens.map_or(Ok(()), |screens| self.app.note_screens(&self.caller, &screens))
    }

    /// The session's conversation, if a runner may resume it.
    pub(super) fn resumable(&self) -> Option<ResumableConversation<'_>> {
        let (home, id) = (self.app.environment().home()?, self.call.session.as_str());
        let can_resume = self.harness.can_resume() && !id.is_empty();
        can_resume.then_some(ResumableConversation { harness: self.harness.slug(), id, home })
    }

    /// The argument that names the calling conversation to the harness's MCP server.
    pub(super) fn signed_caller(&self) -> Result<Option<Value>, Failure> {
        let Some(process) = self.caller.actor().process else { return Ok(None) };
        Ok(HookKey::of(&self.data_directory)?.sign(&self.told, &process))
    }
}

/// Whether a call may change files. Reading is free whatever becomes of Baton.
fn is_guarded(call: &HookCall) -> bool {
    match &call.event {
        HookEvent::BeforeTool(ToolCall { tool: Tool::Shell(command), .. }) => {
            read_shell(command).effect != ShellEffect::Reads
        }
        HookEvent::BeforeTool(call) => matches!(call.tool, Tool::Edit(_)),
        _ => false,
    }
}

/// The reason of a strict hook that cannot decide.
fn undecided(why: &str) -> String {
    let why = why.trim_end_matches('.');
    format!(
        "Baton cannot decide about this ({why}), and edits wait for it here. Next: ask a person to run baton doctor"
    )
}
