//! `baton mcp`

use std::{process::ExitCode, sync::Arc, thread};

use baton_app::{App, Caller, Failure, environment::Environment, identity::Surroundings, table::Tier};
use baton_core::code::ErrorCode;
use baton_harness::ClaudeInbox;
use baton_mcp::Callers;

use crate::{
    autostart::{self, AutostartArgs},
    context,
    exit::Exit,
};

/// Serve MCP on standard input and output, for one coding agent
///
/// A harness starts this itself once `baton install` has registered it. There is no daemon: each process works
/// on the store directly.
#[derive(Debug, clap::Args)]
pub(super) struct McpArgs {
    /// Which tools to offer: the daily ones, or all
    #[arg(long, value_enum, default_value_t = Tools::Daily)]
    tools: Tools,
    #[command(flatten)]
    autostart: AutostartArgs,
}

/// The name under which Claude Code connects.
const CLAUDE_CODE: &str = "claude-code";

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub(super) enum Tools {
    Daily,
    Full,
}

impl Tools {
    pub(super) const fn tier(self) -> Tier {
        match self {
            Self::Daily => Tier::Daily,
            Self::Full => Tier::Full,
        }
    }
}

impl McpArgs {
    pub(super) fn run(&self, store: Option<&str>) -> Result<ExitCode, Failure> {
        let environment = Environment::read();
        let app = context::open(&environment, store)?;
        let surroundings = context::surroundings(&environment, &app)?;
        if self.autostart.decide(&surroundings, matches!(self.tools, Tools::Daily))? {
            autostart::enable(&app, store)?;
            look_for_jobs(&app, &surroundings);
        }
        wake_when_idle(&app, &surroundings);
        let data_directory = context::data_directory(&environment, store)?;
        baton_mcp::serve(app, self.tools.tier(), Callers::around(surroundings, data_directory))
            .map_err(|error| Failure::new(ErrorCode::Internal, format!("{error}.")))?;
        Ok(Exit::Done.into())
    }
}

/// Looks whether jobs wait in the room around this directory, without keeping the client waiting.
fn look_for_jobs(app: &Arc<App>, surroundings: &Surroundings) {
    let caller = Caller::new(surroundings.cli_caller(), surroundings.environment().cwd().to_owned());
    let app = Arc::clone(app);
    // Without a thread to spare, the next look at the room does it.
    let _ = thread::Builder::new().name("waiting jobs".to_owned()).spawn(move || {
        if let Ok(room) = app.room_for(&caller, None) {
            app.see_to_jobs(&room);
        }
    });
}

/// Wakes the Claude Code that started this process when it is idle and something comes for it.
fn wake_when_idle(app: &Arc<App>, surroundings: &Surroundings) {
    let environment = surroundings.environment();
    let Some(inbox) = ClaudeInbox::find(|name| environment.var(name)) else { return };
    let (app, surroundings, cwd) = (Arc::clone(app), surroundings.clone(), environment.cwd().to_owned());
    // Without a thread to spare, the session is told with its next prompt.
    let _ = thread::Builder::new().name("waking".to_owned()).spawn(move || {
        let caller = || Caller::new(surroundings.mcp_caller(Some(CLAUDE_CODE), None, None), cwd.clone());
        let _ = app.keep_waking(caller, || surroundings.is_claude_idle(), |text| inbox.send(text).is_ok());
    });
}
