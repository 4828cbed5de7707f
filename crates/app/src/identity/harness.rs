//! The harness that shows itself in an environment or among the processes above.

use baton_harness::Harness;

use super::{Ancestor, shells};
use crate::environment::Environment;

/// The harness whose own variables are set. Only for where no process tells: several may be.
pub(super) fn of_variables(environment: &Environment) -> Option<Harness> {
    Harness::variables().find(|(_, name)| environment.var(name).is_some()).map(|(harness, _)| harness)
}

/// A variable of a harness that is set.
pub(super) fn variable_set(environment: &Environment) -> Option<&'static str> {
    Harness::variables().map(|(_, name)| name).find(|name| environment.var(name).is_some())
}

/// Whether an ancestor process is this harness.
pub(super) fn is(harness: Harness, ancestor: &Ancestor, environment: &Environment) -> bool {
    of_ancestor(ancestor, environment) == Some(harness)
}

/// The harness that an ancestor process is.
pub(super) fn of_ancestor(ancestor: &Ancestor, environment: &Environment) -> Option<Harness> {
    let named_by_variable = |harness: &Harness| {
        let pid = harness.pid_variable().and_then(|name| environment.var(name));
        // Everybody may name an ancestor that all have.
        shells::stands(ancestor) && pid.is_some_and(|pid| pid.parse() == Ok(ancestor.pid))
    };
    Harness::of_process(&ancestor.comm, &ancestor.argv).or_else(|| Harness::ALL.into_iter().find(named_by_variable))
}
