//! `baton mcp`: serves one client on standard input and output until it goes.

use std::{
    io,
    pin::pin,
    sync::{Arc, PoisonError},
    time::Duration,
};

use baton_app::{
    App,
    table::{TABLE, Tier},
};
use rmcp::{
    ServiceExt,
    service::{QuitReason, ServerInitializeError},
};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    runtime,
    signal::unix::{SignalKind, signal},
    sync::watch,
};

use crate::{
    callers::Callers,
    child::Child,
    lines::Lines,
    server::Server,
    stdio::{Input, Output},
    tools::Tools,
};

/// What is left to threads that are still busy when the client is gone and its calls have been drained. A
/// transaction that is cut off here is rolled back by the store.
const LAST_WORDS: Duration = Duration::from_millis(200);

/// Why serving failed. A client that goes away is not a failure.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The runtime, or its signal handlers, could not be set up.
    #[error("the server could not start")]
    Start(#[source] io::Error),
    /// The client could not be greeted.
    #[error("the MCP session could not begin")]
    Begin(#[source] Box<ServerInitializeError>),
    /// The session's task died.
    #[error("the MCP session broke off")]
    Broken(#[source] tokio::task::JoinError),
}

/// Serves one client on standard input and output, until input ends or the process is asked to end.
pub fn serve(app: Arc<App>, tier: Tier, callers: Callers) -> Result<(), ServeError> {
    // One thread: a call is a few microseconds of work, and waking a second thread costs more than that.
    let runtime = runtime::Builder::new_current_thread().enable_all().build().map_err(ServeError::Start)?;
    let (behind, told) = (callers.behind(), Arc::clone(&app));
    let served = runtime.block_on(async {
        let stop = stop_signal().map_err(ServeError::Start)?;
        serve_on(Input::open(), Output::open(), app, Tools::of(TABLE, tier), callers, stop).await
    });
    // Not a plain drop: the fallback for terminals has a thread that sits in a read for ever.
    runtime.shutdown_timeout(LAST_WORDS);
    if let Some(process) = behind.lock().unwrap_or_else(PoisonError::into_inner).take() {
        told.hung_up(&process);
    }
    served
}

/// Serves one client on any two ends, until it hangs up or `stop` is ready.
pub(crate) async fn serve_on<R, W>(
    reader: R,
    writer: W,
    app: Arc<App>,
    tools: Tools,
    callers: Callers,
    stop: impl Future<Output = ()>,
) -> Result<(), ServeError>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let mut stop = pin!(stop);
    let (hangup, hung_up) = watch::channel(false);
    let server = Server::new(Child::new(app, callers, hung_up), Arc::new(tools));
    let running = tokio::select! {
        begun = server.serve(Lines::new(reader, writer, hangup)) => match begun {
            Ok(running) => running,
            Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
            Err(error) => return Err(ServeError::Begin(Box::new(error))),
        },
        () = &mut stop => return Ok(()),
    };
    let token = running.cancellation_token();
    let mut ended = pin!(running.waiting());
    let reason = tokio::select! {
        reason = &mut ended => reason,
        () = &mut stop => {
            token.cancel();
            ended.await
        }
    };
    match reason {
        Ok(QuitReason::JoinError(error)) | Err(error) => Err(ServeError::Broken(error)),
        Ok(_) => Ok(()),
    }
}

/// Ready when the process is asked to end: Codex and Gemini send SIGTERM, Claude SIGINT, a closing terminal SIGHUP.
fn stop_signal() -> io::Result<impl Future<Output = ()>> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut hangup = signal(SignalKind::hangup())?;
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
            _ = hangup.recv() => {}
        }
    })
}
