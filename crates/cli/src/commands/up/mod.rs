//! `baton up`
//!
//! One process: HTTP, the bus socket and, if asked, a runner, on the store that everybody else works on directly
//! ([`serve`]). What it was started with is checked before anything listens.

mod mcp;
mod serve;
mod signals;
mod started;

pub(super) use started::login;

use std::{net::SocketAddr, path::PathBuf, process::ExitCode, sync::Arc};

use baton_app::{Failure, clock::SystemClock};
use baton_core::code::ErrorCode;
use baton_http::{CONNECTIONS_MAX, Exposure, LISTEN, Owner, Settings, TlsFiles};

use super::{mcp::Tools, run::RunArgs};
use crate::{
    autostart::{self, AutostartArgs},
    context::{self, Context},
    exit::Exit,
    select::RoomArgs,
    ui::Ui,
};

/// Rooms that are looked at for waiting jobs when it starts.
const ROOMS: u32 = 100;

/// Serve HTTP, MCP over HTTP and the bus socket
///
/// Agents and people that work on the store directly go on as before: what they do shows up here at once, and the other
/// way round. It listens on this machine alone and lets in whoever has a token: yours is in operator.token in the data
/// directory, `baton token` makes others, and a browser gets in with the address that is printed or that `baton ticket`
/// makes. An agent that starts it is told no way in. Ctrl-C ends it once running calls are answered; a second one ends it at once.
#[derive(Debug, clap::Args)]
pub(super) struct UpArgs {
    /// Where to listen for HTTP; port 0 is any that is free
    #[arg(long, value_name = "ADDRESS", default_value_t = LISTEN)]
    listen: SocketAddr,
    /// Where the bus socket is [default: bus.sock in the data directory]
    #[arg(long, value_name = "FILE")]
    socket: Option<PathBuf>,
    /// Another name that this server goes by, with its port if that is another
    #[arg(long = "host", value_name = "NAME")]
    hosts: Vec<String>,
    /// Let other machines in: needed to listen anywhere but on this machine
    #[arg(long)]
    allow_remote: bool,
    /// The certificate to encrypt connections with, in PEM
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    tls_cert: Option<PathBuf>,
    /// Its private key, in PEM
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    tls_key: Option<PathBuf>,
    /// Let other machines in without encryption: whoever is on the way can read tokens and all else
    #[arg(long, requires = "allow_remote", conflicts_with = "tls_cert")]
    insecure_plaintext: bool,
    /// Which tools to offer to MCP clients: the daily ones, or all
    #[arg(long, value_enum, default_value_t = Tools::Daily)]
    tools: Tools,
    #[command(flatten)]
    autostart: AutostartArgs,
    /// Also execute jobs of one room, as `baton run` does
    #[arg(long)]
    runner: bool,
    /// The room that the runner works for
    #[command(flatten)]
    room: RoomArgs,
}

impl UpArgs {
    pub(super) fn run(self, store: Option<&str>, ui: Ui) -> Result<ExitCode, Failure> {
        if !self.runner && !self.room.is_bare() {
            let message = "--room and --path say which room the runner works for.";
            return Err(Failure::new(ErrorCode::InvalidInput, message).advising("Add --runner, or leave them out."));
        }
        let context = Context::open(store)?;
        let environment = context.app.environment().clone();
        let data = context::data_directory(&environment, store)?;
        let runner = match self.runner {
            true => Some(RunArgs::for_room(self.room).prepare(&context, store)?),
            false => None,
        };
        // Callers from other machines are not to have programs started here, unless that is asked for.
        let usual = matches!(self.tools, Tools::Daily) && !self.allow_remote;
        if self.autostart.decide(&context.surroundings, usual)? {
            autostart::enable(&context.app, store)?;
            context.app.see_to_jobs_everywhere(ROOMS)?;
        }
        let exposure = match (self.allow_remote, self.insecure_plaintext) {
            (false, _) => Exposure::Loopback,
            (true, false) => Exposure::Remote,
            (true, true) => Exposure::RemoteInPlaintext,
        };
        let owner =
            Owner { data: data.clone(), id: context.surroundings.person_over("http"), clock: Arc::new(SystemClock) };
        let tls = self.tls_cert.zip(self.tls_key).map(|(certificate, key)| TlsFiles { certificate, key });
        let http =
            Settings { listen: self.listen, exposure, tls, hosts: self.hosts, connections_max: CONNECTIONS_MAX, owner };
        let socket = self.socket.map(|socket| environment.cwd().join(socket));
        let socket = socket.unwrap_or_else(|| data.join(baton_bus::socket::FILE_NAME));
        serve::serve(serve::Plan { context, http, socket, tier: self.tools.tier(), runner, data }, ui)?;
        Ok(Exit::Done.into())
    }
}
