//! Where calls come from and where they run, which is all that differs between transports.

use baton_app::{Caller, Cancel, table::Call};
use rmcp::{RoleServer, service::RequestContext};
use serde_json::Value;

use crate::blocking::Answer;

/// The process around a server: the child of one client, or a server of many.
pub(crate) trait Host: Send + Sync + 'static {
    /// Who makes a call.
    fn caller(&self, context: &RequestContext<RoleServer>, told: Option<&Value>, cancel: Cancel) -> Caller;

    /// Runs a call that came with a request to its end.
    fn run(
        &self,
        context: &RequestContext<RoleServer>,
        call: Call,
        caller: Caller,
    ) -> impl Future<Output = Answer> + Send;

    /// Ready when whoever made a call is gone without having cancelled it.
    fn gone(&self, context: &RequestContext<RoleServer>) -> impl Future<Output = ()> + Send;

    /// What a client is told when it connects.
    fn instructions(&self) -> &'static str;
}
