//! How a call is run: the handler that rmcp drives.
//!
//! Reads run on the runtime's one thread, and so do writes while nothing else is going on (`traffic` says when), unless
//! the store is at the other end of a network. Other writes and waits have threads of their own, so that a wait never
//! delays another call, nor a write a wait. A wait is withdrawn when its client cancels the
//! request, hangs up or ends the process; a client that cancels what was already answered is ignored, which rmcp
//! does for us.

use std::{pin::pin, sync::Arc, time::Duration};

use baton_app::{
    App, Cancel, Failure,
    table::{Call, Effect},
};
use baton_core::code::ErrorCode;
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, CustomRequest, CustomResult, ErrorCode as RpcCode, Implementation,
        ListToolsResult, PaginatedRequestParams, ProgressNotificationParam, ServerCapabilities, ServerConfig,
    },
    service::RequestContext,
};
use tokio::{
    sync::watch,
    time::{Instant, interval_at},
};

use crate::{
    answer,
    blocking::{self, Answer},
    callers::Callers,
    instructions::{INSTRUCTIONS, JOB_INSTRUCTIONS},
    tools::{Request, Tools},
    traffic::Traffic,
};

/// How often a waiting call says that it is alive, well within the 60 s after which some clients give up.
const PROGRESS_EVERY: Duration = Duration::from_secs(10);
/// The methods whose parameters rmcp reads for us. When it could not, they arrive as unknown ones.
const OWN_METHODS: [&str; 3] = ["initialize", "tools/call", "tools/list"];

/// One client's server.
pub(crate) struct Server {
    app: Arc<App>,
    tools: Tools,
    callers: Callers,
    hangup: watch::Receiver<bool>,
    traffic: Arc<Traffic>,
}

impl Server {
    pub(crate) fn new(app: Arc<App>, tools: Tools, callers: Callers, hangup: watch::Receiver<bool>) -> Self {
        Self { app, tools, callers, hangup, traffic: Arc::default() }
    }

    async fn run(&self, call: Call, context: &RequestContext<RoleServer>) -> Answer {
        let _under_way = self.traffic.enter();
        match call.command.effect {
            Effect::Read if !self.app.is_remote() => {
                let caller = self.callers.caller(context, Cancel::never());
                blocking::inline(|| call.run(&self.app, &caller))
            }
            Effect::Write if !self.app.is_remote() && self.traffic.is_clear() => {
                let caller = self.callers.caller(context, Cancel::never());
                blocking::inline(|| self.traffic.timed(|| call.run(&self.app, &caller)))
            }
            Effect::Read | Effect::Write => {
                let caller = self.callers.caller(context, Cancel::never());
                let (app, traffic) = (Arc::clone(&self.app), Arc::clone(&self.traffic));
                blocking::cross(move || traffic.timed(|| call.run(&app, &caller))).await
            }
            Effect::Wait | Effect::Follow => {
                let cancel = Cancel::new().map_err(|error| {
                    Failure::new(ErrorCode::Internal, format!("A wait could not be prepared: {error}."))
                })?;
                let caller = self.callers.caller(context, cancel.clone());
                let app = Arc::clone(&self.app);
                let running = blocking::cross(move || call.run(&app, &caller));
                self.attend(running, &cancel, context).await
            }
        }
    }

    /// Sees a wait through to its end: withdraws it when nobody wants it any more, and reports progress until then.
    async fn attend(
        &self,
        running: impl Future<Output = Answer>,
        cancel: &Cancel,
        context: &RequestContext<RoleServer>,
    ) -> Answer {
        let mut running = pin!(running);
        let mut hangup = self.hangup.clone();
        let mut unwanted = pin!(async {
            tokio::select! {
                () = context.ct.cancelled() => {}
                // An error means that the transport is gone, which is a hang-up too.
                _ = hangup.wait_for(|hung_up| *hung_up) => {}
            }
        });
        let token = context.meta.get_progress_token();
        let mut ticks = interval_at(Instant::now() + PROGRESS_EVERY, PROGRESS_EVERY);
        let mut waited = Duration::ZERO;
        let mut withdrawn = false;
        loop {
            tokio::select! {
                answer = &mut running => return answer,
                () = &mut unwanted, if !withdrawn => {
                    cancel.ring();
                    withdrawn = true;
                }
                _ = ticks.tick(), if token.is_some() && !withdrawn => {
                    waited += PROGRESS_EVERY;
                    if let Some(token) = token.clone() {
                        let progress = ProgressNotificationParam::new(token, waited.as_secs_f64())
                            .with_message(format!("Still waiting after {} s.", waited.as_secs()));
                        // On its own, so that a client that does not read cannot hold up the withdrawal.
                        let peer = context.peer.clone();
                        tokio::spawn(async move { peer.notify_progress(progress).await });
                    }
                }
            }
        }
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("baton", env!("CARGO_PKG_VERSION")))
            .with_instructions(if self.callers.are_a_job() { JOB_INSTRUCTIONS } else { INSTRUCTIONS })
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.tools.list()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let (form, asked) = self.tools.call(&request.name, request.arguments.unwrap_or_default());
        let answer = match asked {
            Ok(Request::Run(call)) => self.run(call, &context).await,
            Ok(Request::Told(answer)) => Ok(answer),
            Err(refused) => Err(refused),
        };
        Ok(answer::render(&form, answer).into())
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        Err(if OWN_METHODS.contains(&request.method.as_str()) {
            ErrorData::invalid_params(
                format!("The parameters of {} are missing or of the wrong type.", request.method),
                None,
            )
        } else {
            ErrorData::new(RpcCode::METHOD_NOT_FOUND, format!("There is no method {}.", request.method), None)
        })
    }
}
