//! What a client is shown.

use std::collections::BTreeSet;

use baton_app::table::{Command, TABLE, Tier};
use serde_json::{Value, json};

use super::wire::Wire;
use crate::tools::Tools;

async fn tools(tier: Tier) -> Vec<Value> {
    let mut wire = Wire::offering(Tools::of(TABLE, tier));
    wire.initialize("2025-11-25").await;
    match wire.request("tools/list", json!({})).await["result"]["tools"].take() {
        Value::Array(tools) => tools,
        other => panic!("{other}"),
    }
}

#[tokio::test]
async fn what_is_listed_is_what_the_table_makes() {
    for tier in [Tier::Daily, Tier::Full] {
        let made: Vec<Value> = serde_json::from_str(&crate::listing(tier)).unwrap();
        assert_eq!(tools(tier).await, made, "listing/ is out of date: run `cargo xtask docs`");
    }
}

#[test]
fn the_daily_list_is_small() {
    // What the table makes, so that a listing that is out of date hides nothing.
    let made: Vec<Value> = serde_json::from_str(&crate::listing(Tier::Daily)).unwrap();
    let bytes = json!({"jsonrpc": "2.0", "id": 1, "result": {"tools": made}}).to_string().len();
    assert!(bytes <= 9000, "tools/list has {bytes} bytes");
}

#[tokio::test]
async fn every_command_is_offered_as_a_tool_and_annotated() {
    let (daily, full) = (tools(Tier::Daily).await, tools(Tier::Full).await);
    for (tools, tier) in [(&daily, Tier::Daily), (&full, Tier::Full)] {
        let offered: BTreeSet<_> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
        let of_tier = |command: &&Command| tier == Tier::Full || command.tier() == Tier::Daily;
        let expected: BTreeSet<_> = TABLE.iter().filter(of_tier).map(Command::tool).collect();
        assert_eq!((offered, tools.len()), (expected.clone(), expected.len()));
    }
    for tool in full {
        let name = tool["name"].as_str().unwrap();
        assert!(name.len() < 40, "{name}");
        let hints = &tool["annotations"];
        assert_eq!(hints["readOnlyHint"] == false, hints["destructiveHint"].is_boolean(), "{name}");
        assert!(hints["readOnlyHint"].is_boolean(), "{name}");
        assert_eq!(hints["openWorldHint"], false, "{name}");
        assert_eq!(tool["_meta"]["anthropic/alwaysLoad"], true, "{name}");
        // Measured: those of the nine tools around the stick are 22.8 KB as small as they can be written, and the smallest
        // alone, of heartbeat, would not fit into the daily list. Answers carry `next`, and op help has the fields of ops.
        assert!(tool.get("outputSchema").is_none(), "{name}");
        // Links are for readers of the source.
        assert!(!tool.to_string().contains("[`") && !tool.to_string().contains("::"), "{name}: {tool}");
        let schema = &tool["inputSchema"];
        assert_eq!(schema["type"], "object", "{name}");
        assert!(!schema.to_string().contains("$ref"), "{name}: {schema}");
        assert!(!schema["properties"].as_object().unwrap().is_empty(), "{name} has no fields");
        let arguments = tool["inputSchema"]["properties"].as_object().unwrap();
        assert!(arguments.values().all(|argument| argument.get("type").is_some()), "{name}: {arguments:?}");
    }
}

#[test]
fn handing_something_over_costs_little_in_every_conversation() {
    let made: Vec<Value> = serde_json::from_str(&crate::listing(Tier::Daily)).unwrap();
    let tool = made.iter().find(|tool| tool["name"] == "send_handoff").unwrap().to_string();
    assert!(tool.len() <= 700, "send_handoff has {} bytes: {tool}", tool.len());
}
