//! Without a server: the table itself, in this process.

use std::{collections::BTreeMap, sync::Arc};

use baton_app::{App, Caller, Rights, table};
use baton_core::ids::AgentId;
use serde_json::{Value, json};

use super::{ClientError, link};

/// This process's own store.
pub(super) struct Link {
    app: Arc<App>,
    caller: Caller,
    /// The agents that it added.
    added: BTreeMap<AgentId, Caller>,
}

impl Link {
    pub(super) fn new(app: &Arc<App>, caller: &Caller) -> Self {
        Self { app: Arc::clone(app), caller: caller.clone(), added: BTreeMap::new() }
    }

    /// The caller that an agent is, or who the client is.
    pub(super) fn caller(&self, agent: Option<&AgentId>) -> Caller {
        agent.and_then(|agent| self.added.get(agent)).unwrap_or(&self.caller).clone()
    }
}

/// The caller for an agent of one's own choice: a program, whoever runs it.
fn chosen(caller: &Caller, agent: &AgentId) -> Caller {
    // A program, whoever runs it: it has no more than an agent's rights.
    let rights = caller.rights().min(Rights::Agent);
    caller.acting_as(caller.actor().choosing(agent.clone())).with_rights(rights)
}

impl link::Link for Link {
    fn call(
        &mut self,
        command: &str,
        mut input: Value,
        key: Option<&str>,
        agent: Option<&AgentId>,
    ) -> Result<Value, ClientError> {
        let found = table::require_on_wire(command)?;
        if let Some(key) = key {
            input["idempotency_key"] = json!(key);
        }
        // Whom it adds is its own to choose, whoever it spoke for before; another agent of its own it need not add again.
        let adds = (found.wire_name() == "agent.add").then(|| input["id"].as_str().and_then(|id| id.parse().ok()));
        let caller = match &adds {
            Some(id) => self.caller(id.as_ref()),
            None => self.caller(agent),
        };
        let answer = found.run(&self.app, &caller, input)?;
        if let Some(Some(id)) = adds.filter(|id| id.as_ref() != Some(&self.caller.actor().agent_id)) {
            let chosen = chosen(&self.caller, &id);
            self.added.entry(id).or_insert(chosen);
        }
        Ok(answer)
    }
}
