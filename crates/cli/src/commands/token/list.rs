//! `baton token list`

use std::process::ExitCode;

use baton_app::Failure;
use baton_http::{Keyring, Token};
use serde_json::{Value, json};

use crate::ui::Ui;

/// List tokens, without what makes them one
#[derive(Debug, clap::Args)]
pub(in crate::commands) struct ListArgs {}

impl ListArgs {
    pub(super) fn run(&self, keyring: &Keyring, ui: Ui) -> Result<ExitCode, Failure> {
        let tokens = keyring.list()?;
        let shown: Vec<Value> = tokens.iter().map(shown).collect();
        Ok(ui.answer(&json!({ "tokens": shown }), || {
            if tokens.is_empty() {
                return "There are no tokens. `baton up` makes yours, `baton token create` others.\n".to_owned();
            }
            tokens.iter().map(line).collect()
        }))
    }
}

fn shown(token: &Token) -> Value {
    json!({ "name": token.name, "role": token.role, "agent": token.agent, "created_at": token.created_at })
}

fn line(token: &Token) -> String {
    let agent = token.agent.as_ref().map(|agent| format!("  speaks for {agent}")).unwrap_or_default();
    format!("{}  {}  {}{agent}\n", token.name, token.role.rights().as_str(), token.created_at)
}
