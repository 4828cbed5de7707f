//! The same over a real connection, where a client can really go.

use std::time::Duration;

use hyper_util::{rt::TokioIo, service::TowerToHyperService};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    time::timeout,
};

use super::{
    client::{Client, STATELESS},
    web::Web,
};

/// Longer than anything here takes; a test that gets here has failed.
const PATIENCE: Duration = Duration::from_secs(10);

/// Serves one connection after the other, each in a task of its own.
async fn listen(web: &Web) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let service = web.service.clone();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let service = TowerToHyperService::new(service.clone());
            tokio::spawn(hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(stream), service));
        }
    });
    address
}

/// Connects and posts a message, with what its revision asks for.
async fn post(address: &str, headers: &str, message: &Value) -> TcpStream {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let body = message.to_string();
    let head = format!(
        "POST /mcp HTTP/1.1\r\nhost: {address}\r\naccept: application/json, text/event-stream\r\n\
         content-type: application/json\r\ncontent-length: {}\r\n{headers}\r\n",
        body.len()
    );
    stream.write_all((head + &body).as_bytes()).await.unwrap();
    stream
}

async fn read_until(stream: &mut TcpStream, wanted: &str) -> String {
    let mut text = String::new();
    let mut buffer = [0; 4096];
    while !text.contains(wanted) {
        let read = timeout(PATIENCE, stream.read(&mut buffer)).await.expect("an answer in time").unwrap();
        assert_ne!(read, 0, "{text}");
        text.push_str(&String::from_utf8_lossy(&buffer[..read]));
    }
    text
}

#[tokio::test]
async fn a_wait_ends_when_its_connection_does() {
    let web = Web::open();
    let address = listen(&web).await;
    let mut client = Client::new(&web, "2025-11-25").greeted().await;
    let wait = client.join_to_wait().await;
    let session = client.session.clone().unwrap();
    let message = json!({"jsonrpc": "2.0", "id": 1000, "method": "tools/call", "params": wait});
    let mut stream = post(&address, &format!("mcp-session-id: {session}\r\n"), &message).await;
    let begun = read_until(&mut stream, "\r\n\r\n").await;
    assert!(begun.starts_with("HTTP/1.1 200 OK"), "{begun}");
    web.until_waits_are(1).await;
    drop(stream);
    web.until_waits_are(0).await;
}

#[tokio::test]
async fn a_wait_without_a_session_ends_when_its_connection_does() {
    let web = Web::open();
    let address = listen(&web).await;
    let mut client = Client::new(&web, STATELESS);
    let mut wait = client.join_to_wait().await;
    wait["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": STATELESS,
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "test-client", "version": "1"},
    });
    let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": wait});
    let headers = format!("mcp-protocol-version: {STATELESS}\r\nmcp-method: tools/call\r\nmcp-name: wait_for_turn\r\n");
    let stream = post(&address, &headers, &message).await;
    web.until_waits_are(1).await;
    drop(stream);
    web.until_waits_are(0).await;
}

#[tokio::test]
async fn an_answer_comes_over_the_wire() {
    let web = Web::open();
    let address = listen(&web).await;
    let hello = json!({
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "wire", "version": "1"},
    });
    let message = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello});
    let mut stream = post(&address, "", &message).await;
    let text = read_until(&mut stream, "\"serverInfo\"").await;
    assert!(text.contains("mcp-session-id: "), "{text}");
}
