//! `baton mcp`

use std::process::ExitCode;

use baton_app::{Failure, environment::Environment, table::Tier};
use baton_core::code::ErrorCode;
use baton_mcp::Callers;

use crate::{autostart, context, exit::Exit};

/// Serve MCP on standard input and output, for one coding agent
///
/// A harness starts this itself once `baton install` has registered it. There is no daemon: each process works
/// on the store directly.
#[derive(Debug, clap::Args)]
pub(super) struct McpArgs {
    /// Which tools to offer: the daily ones, or all
    #[arg(long, value_enum, default_value_t = Tools::Daily)]
    tools: Tools,
    /// Start a runner when a job is queued and none is there [default: with the daily tools; else
    /// BATON_RUNNER_AUTOSTART=1|0 decides]
    #[arg(long, overrides_with = "no_runner_autostart")]
    runner_autostart: bool,
    /// Never start a runner
    #[arg(long, overrides_with = "runner_autostart")]
    no_runner_autostart: bool,
}

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
        if self.starts_runners(&environment)? {
            autostart::enable(&app, &environment, store)?;
        }
        baton_mcp::serve(app, self.tools.tier(), Callers::around(surroundings))
            .map_err(|error| Failure::new(ErrorCode::Internal, format!("{error}.")))?;
        Ok(Exit::Done.into())
    }

    /// Whether a runner is to be started for jobs that nobody is there for: by flag, by variable, or with the daily tools.
    fn starts_runners(&self, environment: &Environment) -> Result<bool, Failure> {
        if self.runner_autostart || self.no_runner_autostart {
            return Ok(self.runner_autostart);
        }
        for name in ["BATON_RUNNER_AUTOSTART", "BRANCHMIND_RUNNER_AUTOSTART"] {
            match environment.var(name) {
                None => {}
                Some("1") => return Ok(true),
                Some("0") => return Ok(false),
                Some(_) => {
                    let message = format!("{name} must be 1 or 0.");
                    return Err(Failure::new(ErrorCode::InvalidInput, message).with("field", name));
                }
            }
        }
        Ok(matches!(self.tools, Tools::Daily))
    }
}
