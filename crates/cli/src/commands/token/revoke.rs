//! `baton token revoke`

use std::process::ExitCode;

use baton_app::Failure;
use baton_http::{Keyring, OPERATOR, TokenName};
use serde_json::json;

use crate::ui::Ui;

/// End a token: it counts no more, from the next request on
#[derive(Debug, clap::Args)]
pub(in crate::commands) struct RevokeArgs {
    /// Which
    #[arg(value_name = "NAME")]
    name: TokenName,
}

impl RevokeArgs {
    pub(super) fn run(self, keyring: &Keyring, ui: Ui) -> Result<ExitCode, Failure> {
        let token = keyring.revoke(&self.name)?;
        let another = if token.name.as_str() == OPERATOR { " The next `baton up` makes another." } else { "" };
        Ok(ui.answer(&json!({ "revoked": token.name }), || format!("{} counts no more.{another}\n", token.name)))
    }
}
