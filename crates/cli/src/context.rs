//! An open Baton and who is asking: what every command starts with.

use std::sync::Arc;

use baton_app::{
    App, Caller, Failure,
    clock::{RandomIds, Time},
    environment::Environment,
    identity::Surroundings,
    table::UseCase,
};

/// What a command works with.
pub(crate) struct Context {
    pub(crate) app: Arc<App>,
    pub(crate) caller: Caller,
    pub(crate) surroundings: Surroundings,
}

impl Context {
    /// Opens the store and finds out who is asking.
    pub(crate) fn open(store: Option<&str>) -> Result<Self, Failure> {
        let environment = Environment::read();
        let app = open(&environment, store)?;
        let surroundings = Surroundings::gather(environment.clone())?;
        let caller = Caller::new(surroundings.cli_caller(), environment.cwd().to_owned());
        Ok(Self { app, caller, surroundings })
    }

    /// Runs a use case.
    pub(crate) fn run<U: UseCase>(&self, input: U::Input) -> Result<U::Output, Failure> {
        U::run(&self.app, &self.caller, input)
    }
}

/// Opens the store that was asked for, or the one that the environment names.
pub(crate) fn open(environment: &Environment, store: Option<&str>) -> Result<Arc<App>, Failure> {
    let location = environment.store_location(store)?;
    let app = App::open(&location, environment.clone(), Time::Own, Box::new(RandomIds))?;
    Ok(Arc::new(app))
}
