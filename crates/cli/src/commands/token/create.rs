//! `baton token create`

use std::process::ExitCode;

use baton_app::{
    Failure,
    clock::{Clock, SystemClock},
};
use baton_core::ids::AgentId;
use baton_http::{Keyring, Role, TokenName};
use serde_json::json;

use crate::ui::Ui;

/// Make a token and print it, this once
///
/// A viewer sees everything and changes nothing; an agent does whatever agents do; an operator is a person who steers.
/// A token that is bound to an agent speaks for that one only; any other names its agents in the header Baton-Agent.
#[derive(Debug, clap::Args)]
pub(in crate::commands) struct CreateArgs {
    /// What its holder may do
    #[arg(long, value_enum)]
    role: RoleArg,
    /// The one agent that it speaks for
    #[arg(long, value_name = "ID")]
    agent: Option<AgentId>,
    /// What it is called, so that it can be revoked [default: that of its agent, or its role]
    #[arg(long, value_name = "NAME")]
    name: Option<TokenName>,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum RoleArg {
    Viewer,
    Agent,
    Operator,
}

impl From<RoleArg> for Role {
    fn from(role: RoleArg) -> Self {
        match role {
            RoleArg::Viewer => Self::Viewer,
            RoleArg::Agent => Self::Agent,
            RoleArg::Operator => Self::Operator,
        }
    }
}

impl CreateArgs {
    pub(super) fn run(self, keyring: &Keyring, ui: Ui) -> Result<ExitCode, Failure> {
        let role = Role::from(self.role);
        let name = self.name.clone().unwrap_or_else(|| self.made_up_name());
        let secret = keyring.create(name.clone(), role, self.agent.clone(), SystemClock.now())?;
        let data = json!({ "name": name, "role": role, "agent": self.agent, "token": secret.reveal() });
        Ok(ui.answer(&data, || format!("{}\n", secret.reveal())))
    }

    /// A name that says what it is for. One that is taken is refused, and then it is time to choose.
    fn made_up_name(&self) -> TokenName {
        let of_agent = self.agent.as_ref().and_then(|agent| agent.as_str().parse().ok());
        of_agent.unwrap_or_else(|| self.role.usual_name())
    }
}

impl RoleArg {
    fn usual_name(self) -> TokenName {
        let name = match self {
            Self::Viewer => "viewer",
            Self::Agent => "agent",
            // The owner's own is called operator.
            Self::Operator => "operator-2",
        };
        name.parse().expect("these are names")
    }
}
