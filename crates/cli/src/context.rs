//! An open Baton and who is asking: what every command starts with.

use std::{path::PathBuf, sync::Arc};

use baton_app::{
    App, Caller, Failure,
    clock::{RandomIds, SystemClock},
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
    pub(crate) fn open() -> Result<Self, Failure> {
        let environment = Environment::read();
        let app = open(&environment, environment.data_dir()?)?;
        let surroundings = Surroundings::gather(environment.clone())?;
        let caller = Caller::new(surroundings.cli_caller(), environment.cwd().to_owned());
        Ok(Self { app, caller, surroundings })
    }

    /// Runs a use case.
    pub(crate) fn run<U: UseCase>(&self, input: U::Input) -> Result<U::Output, Failure> {
        U::run(&self.app, &self.caller, input)
    }
}

/// Opens the store in a data directory.
pub(crate) fn open(environment: &Environment, data_directory: PathBuf) -> Result<Arc<App>, Failure> {
    let app = App::open(&data_directory, environment.clone(), Box::new(SystemClock), Box::new(RandomIds))?;
    Ok(Arc::new(app))
}
