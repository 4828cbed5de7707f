//! `baton mcp`

use std::process::ExitCode;

use baton_app::{Failure, environment::Environment, table::Tier};
use baton_core::code::ErrorCode;
use baton_mcp::Callers;

use crate::{context, exit::Exit};

/// Serve MCP on standard input and output, for one coding agent
///
/// A harness starts this itself once `baton install` has registered it. There is no daemon: each process works
/// on the store directly.
#[derive(Debug, clap::Args)]
pub(super) struct McpArgs {
    /// Which tools to offer: the daily ones, or all
    #[arg(long, value_enum, default_value_t = Tools::Daily)]
    tools: Tools,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Tools {
    Daily,
    Full,
}

impl McpArgs {
    pub(super) fn run(&self, store: Option<&str>) -> Result<ExitCode, Failure> {
        let environment = Environment::read();
        let app = context::open(&environment, store)?;
        let surroundings = context::surroundings(&environment, &app)?;
        let tier = match self.tools {
            Tools::Daily => Tier::Daily,
            Tools::Full => Tier::Full,
        };
        baton_mcp::serve(app, tier, Callers::around(surroundings))
            .map_err(|error| Failure::new(ErrorCode::Internal, format!("{error}.")))?;
        Ok(Exit::Done.into())
    }
}
