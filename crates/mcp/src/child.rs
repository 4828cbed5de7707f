//! The child of one client: what `baton mcp` is.
//!
//! Reads run on the runtime's one thread, and so do writes while nothing else is going on (`traffic` says when), unless
//! the store is at the other end of a network. Other writes and waits have threads of their own, so that a wait never
//! delays another call, nor a write a wait.

use std::sync::Arc;

use baton_app::{
    App, Caller, Cancel,
    table::{Call, Effect},
};
use rmcp::{RoleServer, service::RequestContext};
use serde_json::Value;
use tokio::sync::watch;

use crate::{
    blocking::{self, Answer},
    callers::Callers,
    host::Host,
    instructions::{INSTRUCTIONS, JOB_INSTRUCTIONS},
    traffic::Traffic,
};

/// A process that serves whoever started it.
pub(crate) struct Child {
    app: Arc<App>,
    callers: Callers,
    hangup: watch::Receiver<bool>,
    traffic: Arc<Traffic>,
}

impl Child {
    pub(crate) fn new(app: Arc<App>, callers: Callers, hangup: watch::Receiver<bool>) -> Self {
        Self { app, callers, hangup, traffic: Arc::default() }
    }
}

impl Host for Child {
    fn caller(&self, context: &RequestContext<RoleServer>, told: Option<&Value>, cancel: Cancel) -> Caller {
        self.callers.caller(context, told, cancel)
    }

    async fn run(&self, _context: &RequestContext<RoleServer>, call: Call, caller: Caller) -> Answer {
        let _under_way = self.traffic.enter();
        match call.command.effect {
            Effect::Read if !self.app.is_remote() => blocking::inline(|| call.run(&self.app, &caller)),
            Effect::Write if !self.app.is_remote() && self.traffic.is_clear() => {
                blocking::inline(|| self.traffic.timed(|| call.run(&self.app, &caller)))
            }
            Effect::Read | Effect::Write => {
                let (app, traffic) = (Arc::clone(&self.app), Arc::clone(&self.traffic));
                blocking::cross(move || traffic.timed(|| call.run(&app, &caller))).await
            }
            Effect::Wait | Effect::Follow => {
                let app = Arc::clone(&self.app);
                blocking::cross(move || call.run(&app, &caller)).await
            }
        }
    }

    async fn gone(&self, _context: &RequestContext<RoleServer>) {
        // An error means that the transport is gone, which is a hang-up too.
        let _ = self.hangup.clone().wait_for(|hung_up| *hung_up).await;
    }

    fn instructions(&self) -> &'static str {
        if self.callers.are_a_job() { JOB_INSTRUCTIONS } else { INSTRUCTIONS }
    }
}
