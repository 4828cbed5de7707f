//! The yardstick for MCP: rmcp and SQLite and as little else as possible.
//!
//! Pipes as standard input and output, polled by a current-thread runtime, like Baton's server; rmcp's own line
//! transport; one tool that gives back its argument, or as many bytes as asked.

use std::{io, os::fd::AsFd, path::Path, sync::Arc};

use rmcp::{
    ErrorData, RoleServer, ServerHandler, ServiceExt,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation, ListToolsResult,
        PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
    },
    service::RequestContext,
};
use serde_json::{Map, Value, json};
use tokio::net::unix::pipe;

use crate::{raw, trouble::Outcome};

struct Echo;

impl ServerHandler for Echo {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("bare", "1"))
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let schema = Map::from_iter([("type".to_owned(), json!("object"))]);
        Ok(ListToolsResult::with_all_items(vec![Tool::new("echo", "Answers what it was told.", Arc::new(schema))]))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        let text = match arguments.get("bytes").and_then(Value::as_u64) {
            Some(bytes) => "x".repeat(usize::try_from(bytes).unwrap_or_default()),
            None => arguments.get("text").and_then(Value::as_str).unwrap_or_default().to_owned(),
        };
        Ok(CallToolResult::success(vec![ContentBlock::text(text)]).into())
    }
}

/// The helper. Opens the store in a directory first, as Baton's server does.
pub(crate) fn serve(words: &[String]) -> Outcome<()> {
    let [data] = words else { return Err("the bare server needs a data directory".into()) };
    let _connection = raw::open_existing(Path::new(data))?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let reader = pipe::Receiver::from_owned_fd(io::stdin().as_fd().try_clone_to_owned()?)?;
        let writer = pipe::Sender::from_owned_fd(io::stdout().as_fd().try_clone_to_owned()?)?;
        Echo.serve((reader, writer)).await?.waiting().await?;
        Ok(())
    })
}
