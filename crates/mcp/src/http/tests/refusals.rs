//! What is not let in, and what a body may get wrong.

use http::{Method, Request, StatusCode};
use serde_json::json;

use super::{
    client::{Client, STATELESS},
    web::{Answer, Web},
};
use crate::unreadable::MESSAGE_BYTES;

fn ping() -> String {
    json!({"jsonrpc": "2.0", "id": 1, "method": "ping"}).to_string()
}

#[tokio::test]
async fn a_foreign_origin_and_a_foreign_host_are_refused() {
    let web = Web::open();
    for revision in ["2025-11-25", STATELESS] {
        let mut client = Client::new(&web, revision).greeted().await;
        for (name, value, expected) in [
            ("origin", "https://evil.example", StatusCode::FORBIDDEN),
            ("origin", "null", StatusCode::FORBIDDEN),
            ("origin", "http://127.0.0.1:9999", StatusCode::FORBIDDEN),
            ("host", "evil.example", StatusCode::FORBIDDEN),
            ("host", "127.0.0.1.evil.example:7433", StatusCode::FORBIDDEN),
        ] {
            let mut request = client.request_builder(Method::POST).body(ping()).unwrap();
            request.headers_mut().insert(name, value.parse().unwrap());
            assert_eq!(client.send(request).await.status(), expected, "{revision} {name} {value}");
        }
        assert_eq!(client.request("tools/list", json!({})).await.status, StatusCode::OK);
    }
    let client = Client::new(&web, "2025-11-25").greeted().await;
    let mut own = client.request_builder(Method::POST).body(ping()).unwrap();
    own.headers_mut().insert("origin", "http://127.0.0.1:7433".parse().unwrap());
    assert_eq!(client.send(own).await.status(), StatusCode::OK);
}

#[tokio::test]
async fn a_body_that_is_no_message_is_refused_as_on_a_line() {
    let web = Web::open();
    let client = Client::new(&web, "2025-11-25").greeted().await;
    for (body, status, code) in [
        ("{\"jsonrpc\":", StatusCode::BAD_REQUEST, -32700),
        ("hello", StatusCode::BAD_REQUEST, -32700),
        ("", StatusCode::BAD_REQUEST, -32700),
        ("{\"id\":7,\"method\":5}", StatusCode::BAD_REQUEST, -32600),
        ("[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]", StatusCode::BAD_REQUEST, -32600),
    ] {
        let request = client.request_builder(Method::POST).body(body.to_owned()).unwrap();
        let answer = Answer::of(client.send(request).await).await;
        assert_eq!((answer.status, &answer.message()["error"]["code"]), (status, &json!(code)), "{body}: {answer:?}");
    }
    let unknown = json!({"jsonrpc": "2.0", "method": "$/made-up", "params": [1]}).to_string();
    let request = client.request_builder(Method::POST).body(unknown).unwrap();
    assert_eq!(client.send(request).await.status(), StatusCode::ACCEPTED);
}

#[tokio::test]
async fn a_body_over_four_mebibytes_and_one_of_another_kind_are_refused() {
    let web = Web::open();
    let client = Client::new(&web, "2025-11-25").greeted().await;
    let long = client.request_builder(Method::POST).body("x".repeat(MESSAGE_BYTES + 1)).unwrap();
    assert_eq!(client.send(long).await.status(), StatusCode::PAYLOAD_TOO_LARGE);
    let mut text = client.request_builder(Method::POST).body(ping()).unwrap();
    text.headers_mut().insert("content-type", "text/plain".parse().unwrap());
    assert_eq!(client.send(text).await.status(), StatusCode::UNSUPPORTED_MEDIA_TYPE);
    let mut deaf = client.request_builder(Method::POST).body(ping()).unwrap();
    deaf.headers_mut().insert("accept", "text/html".parse().unwrap());
    assert_eq!(client.send(deaf).await.status(), StatusCode::NOT_ACCEPTABLE);
    let put = Request::builder().method(Method::PUT).uri("/mcp").header("host", "localhost").body(ping()).unwrap();
    assert_eq!(client.send(put).await.status(), StatusCode::METHOD_NOT_ALLOWED);
}
