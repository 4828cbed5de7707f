//! The settings with which each program reaches the model, asks for nothing and looks for nothing outside the machine.

use serde_json::{Value, json};

pub(super) fn codex(model: &str, url: &str, key: &str, retries: &str) -> String {
    // Keys that come fast are typed by the test, and not pasted: Enter after them submits.
    // A command that is killed in Codex's sandbox leaves empty directories behind, one for each name that it was kept out
    // of: a `.git` in the directory for temporary files would be the root of every other test's workspace.
    format!(
        r#"model = "{model}"
model_provider = "scripted"
check_for_update_on_startup = false
disable_paste_burst = true

[analytics]
enabled = false

[sandbox_workspace_write]
exclude_slash_tmp = true
exclude_tmpdir_env_var = true

[model_providers.scripted]
name = "scripted"
base_url = "{url}/v1"
wire_api = "responses"
env_key = "{key}"
{retries}"#
    )
}

pub(super) fn claude() -> Value {
    json!({
        "hasCompletedOnboarding": true,
        "theme": "dark",
        "bypassPermissionsModeAccepted": true,
        "customApiKeyResponses": {"approved": ["dummy"], "rejected": []},
    })
}

pub(super) fn gemini(is_impatient: bool) -> Value {
    let mut general = json!({"enableAutoUpdate": false, "enableAutoUpdateNotification": false});
    if is_impatient {
        general["maxAttempts"] = json!(1);
    }
    json!({
        "general": general,
        // A model that is chosen automatically is chosen by a request of its own.
        "model": {"name": "gemini-2.5-flash"},
        "privacy": {"usageStatisticsEnabled": false},
        "security": {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": false}},
        "telemetry": {"enabled": false},
        "ui": {"hideTips": true},
    })
}

pub(super) fn opencode(url: &str) -> Value {
    let limit = json!({"context": 200_000, "output": 8_000});
    json!({
        "$schema": "https://opencode.ai/config.json",
        "autoupdate": false,
        "share": "disabled",
        "provider": {"scripted": {
            "npm": "@ai-sdk/openai-compatible",
            "name": "scripted",
            "options": {"baseURL": format!("{url}/v1"), "apiKey": "dummy"},
            "models": {"scripted": {"name": "scripted", "tool_call": true, "limit": limit}},
        }},
        "model": "scripted/scripted",
        "small_model": "scripted/scripted",
        "permission": "allow",
    })
}

/// `package.json` and `package-lock.json` that name what plugins are made of as installed.
pub(super) fn opencode_packages() -> (Value, Value) {
    let package = json!({"dependencies": {"@opencode-ai/plugin": "*"}});
    let lock = json!({"lockfileVersion": 3, "packages": {"": package.clone()}});
    (package, lock)
}
