//! Rights of a person at a terminal, for what is no command of the table.

use baton_app::{
    Failure, Rights,
    environment::Environment,
    identity::{AgentAbove, Employment, Surroundings},
};
use baton_core::code::ErrorCode;

/// Refuses whoever is no operator. `command` is the one that was typed.
pub(crate) fn require_operator(environment: &Environment, command: &str) -> Result<(), Failure> {
    let surroundings = Surroundings::gather(environment.clone())?;
    if surroundings.rights() == Rights::Operator {
        return Ok(());
    }
    let by_person = format!("Ask a person to run `baton {command}` at a terminal of their own.");
    let (why, next) = match surroundings.agent_above() {
        Some(AgentAbove::Variable(name)) => {
            let next = format!("If this is your own terminal, run `unset {name}` and try again. {by_person}");
            (format!("{name} is set, as an agent's program sets it"), next)
        }
        Some(agent) => (format!("it was started by {agent}"), by_person),
        None => ("it was started without a terminal".to_owned(), by_person),
    };
    let message = format!("Only an operator may run `baton {command}`, and {why}.");
    Err(Failure::new(ErrorCode::Forbidden, message)
        .with("role", if *surroundings.employment() == Employment::None { "agent" } else { "job_agent" })
        .with("needs", Rights::Operator.as_str())
        .advising(next))
}
