//! Handoffs, as JSON.

use serde_json::{Value, json};

/// A handoff that says no more than it must.
pub fn handoff(status: &str) -> Value {
    json!({"status": status, "next_action": "go on"})
}
