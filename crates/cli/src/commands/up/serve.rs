//! Everything that listens, until it is told to end.

use std::{
    path::PathBuf,
    sync::Arc,
    thread::{self, JoinHandle},
};

use baton_app::{Failure, clock::Clock, table::Tier};
use baton_bus::{Hub, socket};
use baton_core::code::ErrorCode;
use baton_http::{Facts, Keyring, Server, Settings};
use baton_runner::{Leave, Told};
use tokio::runtime::Builder;

use super::{mcp, signals, started::Started};
use crate::{
    context::Context,
    ui::{self, Ui},
};

/// Threads that carry bytes. Calls that write or wait have threads of their own.
const WORKERS: usize = 2;

/// What is to be served.
pub(super) struct Plan {
    pub(super) context: Context,
    pub(super) http: Settings,
    pub(super) socket: PathBuf,
    pub(super) tier: Tier,
    pub(super) runner: Option<baton_runner::Settings>,
    pub(super) data: PathBuf,
}

/// Serves, and returns when everything has ended in good order.
pub(super) fn serve(plan: Plan, ui: Ui) -> Result<(), Failure> {
    // Every client takes one. Fewer only means that fewer fit.
    socket::raise_descriptor_limit();
    let runtime = Builder::new_multi_thread().worker_threads(WORKERS).enable_all().build().map_err(failed)?;
    let hub = Hub::new(Arc::clone(&plan.context.app));
    let clock = Arc::clone(&plan.http.owner.clock);
    Keyring::in_directory(&plan.data).ensure_operator(clock.now())?;
    let served = runtime.block_on(listen_and_serve(&hub, plan, &*clock, ui));
    // Whoever still waits was told to come back; nobody is waited for here.
    runtime.shutdown_background();
    served
}

async fn listen_and_serve(hub: &Arc<Hub>, plan: Plan, clock: &dyn Clock, ui: Ui) -> Result<(), Failure> {
    let Plan { context, http, socket, tier, runner, data } = plan;
    let bus = socket::Server::bind(hub, &socket, context.app.environment())?;
    let http = Server::bind(Arc::clone(hub), http, |names| mcp::routes(hub, tier, names)).await?;
    let facts =
        Facts { url: http.url(), listen: http.address(), socket: bus.path().to_owned(), pid: std::process::id() };
    let published = facts.clone().publish(&data)?;
    let runner = runner.map(|settings| Runner::start(&context, settings)).transpose()?;
    let (ending, leave) = (Arc::clone(hub), runner.as_ref().map(|runner| runner.leave.clone()));
    signals::heed(move || {
        ui.warn("ending; once more ends at once");
        ending.shut_down();
        if let Some(leave) = leave {
            leave.ask();
        }
    })
    .map_err(failed)?;
    let started = Started::new(facts, &data, clock, context.surroundings.agent_above())?;
    // Nobody needs to read it: it serves all the same.
    let _ = ui.part(&started, || started.text());
    tokio::join!(bus.serve(), http.run());
    drop(published);
    hub.drained().await;
    if let Some(runner) = runner {
        runner.end();
    }
    Ok(())
}

/// A runner on a thread of its own.
struct Runner {
    leave: Leave,
    thread: JoinHandle<()>,
}

impl Runner {
    fn start(context: &Context, settings: baton_runner::Settings) -> Result<Self, Failure> {
        let (app, leave) = (Arc::clone(&context.app), settings.leave.clone());
        let told = Told::to(|line| ui::complain(&format!("{}\n", ui::clean(line))));
        let work = move || {
            if let Err(failure) = baton_runner::run(app, settings, told) {
                ui::complain(&format!("The runner ended: {}\n", ui::clean(&failure.to_string())));
            }
        };
        let thread = thread::Builder::new().name("runner".to_owned()).spawn(work).map_err(failed)?;
        Ok(Self { leave, thread })
    }

    /// Waits until it has given its jobs back.
    fn end(self) {
        self.leave.ask();
        // One that panicked has said so.
        let _ = self.thread.join();
    }
}

fn failed(error: std::io::Error) -> Failure {
    Failure::new(ErrorCode::Internal, format!("The server could not be started: {error}."))
}
