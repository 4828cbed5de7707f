//! An open Baton and who is asking: what every command starts with.

use std::{path::PathBuf, sync::Arc};

use baton_app::{
    App, Caller, Failure, Location, Rights,
    clock::{RandomIds, Time},
    environment::Environment,
    identity::Surroundings,
    table::{Command, UseCase},
};
use baton_core::code::ErrorCode;

use crate::{
    autostart::{self, AutostartArgs},
    ui,
};

/// What a command works with.
pub(crate) struct Context {
    pub(crate) app: Arc<App>,
    pub(crate) caller: Caller,
    pub(crate) surroundings: Surroundings,
    /// The store that was asked for by name, as it was written.
    pub(crate) store: Option<String>,
}

impl Context {
    /// Opens the store and finds out who is asking.
    pub(crate) fn open(store: Option<&str>) -> Result<Self, Failure> {
        let environment = Environment::read();
        let app = open(&environment, store)?;
        let surroundings = surroundings(&environment, &app)?;
        let caller = Caller::new(surroundings.cli_caller(), environment.cwd().to_owned())
            .granted(surroundings.rights())
            .assigned(surroundings.employment().clone());
        app.settle(&caller)?;
        Ok(Self { app, caller, surroundings, store: store.map(str::to_owned) })
    }

    /// The same for commands that show or move jobs: where some wait and nobody is there to do them, a runner is started
    /// for a person at a terminal. An agent's shell may be in a sandbox, where nothing could be done.
    pub(crate) fn open_for_jobs(store: Option<&str>) -> Result<Self, Failure> {
        let context = Self::open(store)?;
        let is_person = context.surroundings.rights() >= Rights::Operator;
        if AutostartArgs::default().decide(&context.surroundings, is_person)? {
            autostart::enable(&context.app, store)?;
        }
        Ok(context)
    }

    /// Refuses a caller who may not call a use case, for commands that show something before they run it.
    pub(crate) fn require<U: UseCase>(&self) -> Result<(), Failure> {
        Command::of::<U>().check(&self.caller)
    }

    /// Runs a use case.
    pub(crate) fn run<U: UseCase>(&self, input: U::Input) -> Result<U::Output, Failure> {
        U::run(&self.app, &self.caller, input)
    }
}

/// What the operating system tells about this process, as far as the members of a store need to know it.
pub(crate) fn surroundings(environment: &Environment, app: &App) -> Result<Surroundings, Failure> {
    let surroundings = Surroundings::gather(environment.clone())?;
    Ok(if app.is_remote() { surroundings.among_machines() } else { surroundings })
}

/// Opens the store that was asked for, or the one that the environment names.
pub(crate) fn open(environment: &Environment, store: Option<&str>) -> Result<Arc<App>, Failure> {
    open_at(environment, &location(environment, store)?)
}

/// Opens the store at a location.
pub(crate) fn open_at(environment: &Environment, location: &Location) -> Result<Arc<App>, Failure> {
    let app = App::open(location, environment.clone(), Time::Own, Box::new(RandomIds))?;
    Ok(Arc::new(app))
}

/// Where the store is that an argument asks for, or else the environment. Says what a person should know about it.
pub(crate) fn location(environment: &Environment, asked: Option<&str>) -> Result<Location, Failure> {
    if asked.is_none() && environment.var_os("BATON_STORE").is_some() && environment.var("BATON_STORE").is_none() {
        return Err(Failure::new(ErrorCode::InvalidInput, "BATON_STORE is not UTF-8 text."));
    }
    let location = environment.store_location(asked).map_err(|failure| match failure.code {
        ErrorCode::InvalidInput => failure.advising("Write it as postgres://user@host/database, or as a directory."),
        _ => failure,
    })?;
    if let Location::Postgres(address) = &location {
        if asked.is_some() && address.has_password_in_url() {
            return Err(password_in_argument());
        }
        if let Some(warning) = address.warning() {
            ui::complain(&format!("warning: {}\n", ui::clean(warning)));
        }
    }
    Ok(location)
}

/// Where files are kept that belong to the store: in its own directory, or for a server in this user's.
pub(crate) fn data_directory(environment: &Environment, store: Option<&str>) -> Result<PathBuf, Failure> {
    match environment.store_location(store)? {
        Location::Directory(directory) => Ok(directory),
        Location::Postgres(_) => environment.data_dir(),
    }
}

fn password_in_argument() -> Failure {
    let message = "A password does not belong on the command line: everybody on this machine can see it there.";
    let next = "Leave it out of the address, and put it into ~/.pgpass, PGPASSWORD or BATON_STORE.";
    Failure::new(ErrorCode::InvalidInput, message).advising(next)
}
