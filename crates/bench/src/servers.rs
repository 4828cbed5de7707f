//! MCP servers to measure: Baton's, in a process of its own, as a harness would start it.

use std::{
    env,
    path::{Path, PathBuf},
    process::Command,
    sync::Arc,
};

use baton_app::{
    App,
    clock::{RandomIds, Time},
    environment::Environment,
    identity::Surroundings,
    table::Tier,
};
use baton_mcp::{Callers, client::Client};
use serde_json::{Value, json};

use crate::trouble::{Outcome, refused};

/// Starts servers.
pub(crate) struct Servers {
    program: PathBuf,
    argument: &'static str,
}

impl Servers {
    /// Servers of the binary at `baton`, or else of this program, which was built with the same profile.
    pub(crate) fn new(baton: Option<PathBuf>) -> Outcome<Self> {
        Ok(match baton {
            Some(program) => Self { program: program.canonicalize()?, argument: "mcp" },
            None => Self { program: env::current_exe()?, argument: "helper-mcp" },
        })
    }

    /// The command that starts a server on the store at `data`, a directory or an address, for `agent`.
    pub(crate) fn command(&self, data: &Path, agent: &str) -> Command {
        let mut command = Command::new(&self.program);
        command.arg(self.argument).env("BATON_STORE", data).env("BATON_AGENT_ID", agent);
        command
    }

    /// A server whose agent has joined the room of `workspace`, and the room's id.
    pub(crate) fn joined(&self, data: &Path, workspace: &Path, agent: &str) -> Outcome<(Client, String)> {
        std::fs::create_dir_all(workspace)?;
        let mut client = Client::spawn(self.command(data, agent), CLIENT_NAME)?;
        let joined = ask(&mut client, "join_path", json!({"context_path": workspace}))?;
        let room_id = joined["room_id"].as_str().ok_or("joining answered no room")?.to_owned();
        Ok((client, room_id))
    }
}

/// What the bench calls itself towards a server.
pub(crate) const CLIENT_NAME: &str = "baton-bench";

/// Calls a tool that is expected to succeed.
pub(crate) fn ask(client: &mut Client, tool: &str, arguments: Value) -> Outcome<Value> {
    let answer = client.call(tool, arguments)?;
    if answer.is_error {
        return Err(format!("{tool} was refused: {}", answer.content).into());
    }
    Ok(answer.content)
}

/// The helper: what `baton mcp` does.
pub(crate) fn serve(_words: &[String]) -> Outcome<()> {
    let environment = Environment::read();
    let location = environment.store_location(None).map_err(refused)?;
    let app = App::open(&location, environment.clone(), Time::Own, Box::new(RandomIds)).map_err(refused)?;
    let data_directory = environment.data_dir().map_err(refused)?;
    let surroundings = Surroundings::gather(environment).map_err(refused)?;
    Ok(baton_mcp::serve(Arc::new(app), Tier::Daily, Callers::around(surroundings, data_directory))?)
}
