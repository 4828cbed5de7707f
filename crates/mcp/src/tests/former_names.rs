//! The names that tools had before there were portals: refused, with where their command is now.

use baton_app::table::{TABLE, Tier};
use serde_json::{Value, json};

use super::wire::Wire;
use crate::tools::Tools;

/// Every name of a tool that the job contract mentions, and the tool and op that stand for it.
const NAMES: [(&str, &str, &str); 15] = [
    ("tasks_jobs_create", "jobs", "create"),
    ("tasks_jobs_list", "jobs", "list"),
    ("tasks_jobs_claim", "jobs", "claim"),
    ("tasks_jobs_report", "jobs", "report"),
    ("tasks_jobs_complete", "jobs", "complete"),
    ("tasks_jobs_open", "jobs", "open"),
    ("tasks_jobs_tail", "jobs", "tail"),
    ("tasks_jobs_radar", "jobs", "radar"),
    ("tasks_jobs_message", "jobs", "message"),
    ("tasks_runner_heartbeat", "jobs", "runner.heartbeat"),
    ("tasks_snapshot", "tasks", "snapshot"),
    ("tasks_macro_start", "tasks", "macro.start"),
    ("tasks_macro_delegate", "tasks", "macro.delegate"),
    ("tasks_macro_fanout_jobs", "tasks", "macro.fanout_jobs"),
    ("tasks_macro_merge_report", "tasks", "macro.merge_report"),
];

#[tokio::test]
async fn every_former_name_is_refused_and_told_where_its_command_is() {
    let mut wire = Wire::offering(Tools::of(TABLE, Tier::Daily));
    wire.initialize("2025-11-25").await;
    for (name, tool, op) in NAMES {
        let refused = wire.call(name, json!({})).await;
        assert_eq!(
            (&refused["isError"], &refused["structuredContent"]["error"]),
            (&json!(true), &json!("UNKNOWN_TOOL"))
        );
        let next = format!("Call the tool `{tool}` with op `{op}`.");
        assert_eq!(refused["structuredContent"]["next"], next, "{name}");
    }
}

#[tokio::test]
async fn a_name_that_never_was_is_told_which_tools_there_are() {
    let mut wire = Wire::offering(Tools::of(TABLE, Tier::Daily));
    wire.initialize("2025-11-25").await;
    for name in ["tasks_radar", "tasks_heartbeat", "jobs", "tasks_jobs_", "tasks_", "runner_heartbeat", "tasks_jobs_*"]
    {
        let answer: Value = wire.call(name, json!({})).await["structuredContent"].take();
        match name {
            "jobs" => assert_eq!(answer["error"]["code"], "INVALID_INPUT", "a tool, and its op is missing"),
            _ => {
                assert_eq!((&answer["error"], &answer["next"]), (&json!("UNKNOWN_TOOL"), &json!("Use one of `tools`.")))
            }
        }
    }
}
