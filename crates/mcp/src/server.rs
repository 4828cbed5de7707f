//! What a client asks for, answered: the handler that rmcp drives.
//!
//! Where calls come from and where they run is the host's to know; the rest is the same on every transport. A wait is
//! withdrawn when its client cancels the request or is gone; a client that cancels what was already answered is
//! ignored, which rmcp does for us.

use std::{pin::pin, sync::Arc, time::Duration};

use baton_app::{
    Cancel, Failure,
    boundary::Boundary,
    identity::CALLER_ARGUMENT,
    table::{Call, Effect},
};
use baton_core::code::ErrorCode;
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, CompleteRequestParams, CompleteResult, CustomRequest, CustomResult,
        ErrorCode as RpcCode, Implementation, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult,
        ListToolsResult, PaginatedRequestParams, ProgressNotificationParam, ServerCapabilities, ServerConfig,
    },
    service::RequestContext,
};
use serde_json::Value;
use tokio::time::{Instant, interval_at};

use crate::{
    answer,
    blocking::Answer,
    host::Host,
    tools::{Request, Tools},
};

/// How often a waiting call says that it is alive, well within the 60 s after which some clients give up.
const PROGRESS_EVERY: Duration = Duration::from_secs(10);
/// The methods whose parameters rmcp reads for us. When it could not, they arrive as unknown ones.
const OWN_METHODS: [&str; 3] = ["initialize", "tools/call", "tools/list"];

/// One client's server.
pub(crate) struct Server<H> {
    host: H,
    tools: Arc<Tools>,
}

impl<H: Host> Server<H> {
    pub(crate) const fn new(host: H, tools: Arc<Tools>) -> Self {
        Self { host, tools }
    }

    /// Runs a call to its end. That its caller is interrupted is left at `boundary`.
    async fn run(
        &self,
        call: Call,
        context: &RequestContext<RoleServer>,
        told: Option<&Value>,
        boundary: &Boundary,
    ) -> Answer {
        match call.command.effect {
            Effect::Read | Effect::Write => {
                let caller = self.host.caller(context, told, Cancel::never()).interruptible(boundary);
                self.host.run(context, call, caller).await
            }
            Effect::Wait | Effect::Follow => {
                let cancel = Cancel::new().map_err(|error| {
                    Failure::new(ErrorCode::Internal, format!("A wait could not be prepared: {error}."))
                })?;
                let caller = self.host.caller(context, told, cancel.clone()).interruptible(boundary);
                self.attend(self.host.run(context, call, caller), &cancel, context).await
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
        let mut unwanted = pin!(async {
            tokio::select! {
                () = context.ct.cancelled() => {}
                () = self.host.gone(context) => {}
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

impl<H: Host> ServerHandler for Server<H> {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("baton", env!("CARGO_PKG_VERSION")))
            .with_instructions(self.host.instructions())
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
        let mut arguments = request.arguments.unwrap_or_default();
        // It is no argument of any tool: a hook of the client added it.
        let told = arguments.remove(CALLER_ARGUMENT);
        let (form, asked) = self.tools.call(&request.name, arguments);
        let boundary = Boundary::default();
        let answer = match asked {
            Ok(Request::Run(call)) => self.run(call, &context, told.as_ref(), &boundary).await,
            Ok(Request::Told(answer)) => Ok(answer),
            Err(refused) => Err(refused),
        };
        let interrupts = match boundary.call() {
            Some(take) => {
                self.host.run(&context, take, self.host.caller(&context, told.as_ref(), Cancel::never())).await
            }
            None => return Ok(answer::render(&form, answer).into()),
        };
        let interrupts = interrupts.map(Boundary::answered).unwrap_or_default();
        Ok(answer::interrupted(answer::render(&form, answer), &interrupts).into())
    }

    async fn list_prompts(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Err(no_method("prompts/list"))
    }

    async fn list_resources(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Err(no_method("resources/list"))
    }

    async fn list_resource_templates(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Err(no_method("resources/templates/list"))
    }

    async fn complete(
        &self,
        _request: CompleteRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        Err(no_method("completion/complete"))
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let method = request.method.as_str();
        // A revision that is named in every request has no `initialize` any more.
        let is_former = method == "initialize" && context.meta.protocol_version().is_some();
        Err(if OWN_METHODS.contains(&method) && !is_former {
            ErrorData::invalid_params(format!("The parameters of {method} are missing or of the wrong type."), None)
        } else {
            no_method(method)
        })
    }
}

/// There is nothing but tools here. rmcp would answer listings of other things with empty ones, as if there could be some.
/// In these words, because some clients know them and then say nothing to their user.
fn no_method(method: &str) -> ErrorData {
    ErrorData::new(RpcCode::METHOD_NOT_FOUND, format!("Method not found: {method}"), None)
}
