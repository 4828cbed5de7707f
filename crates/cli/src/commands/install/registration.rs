//! What is registered: this program, on the store that this shell uses.

use baton_app::{Address, Failure, Location, environment::Environment};
use baton_core::code::ErrorCode;

use crate::select::utf8;
use baton_harness::install::{InstallError, Places, Registration};

/// Variables that decide which store Baton uses. A harness need not have those of this shell, nor start where it does.
const STORE_VARIABLES: [&str; 3] = ["BATON_DATA_DIR", "TALKING_STICK_DATA_DIR", "XDG_DATA_HOME"];

pub(in crate::commands) fn places(environment: &Environment) -> Result<Places, Failure> {
    Places::look_up(|name| environment.var(name).map(str::to_owned)).map_err(|error| failure(&error))
}

pub(in crate::commands) fn registration(
    environment: &Environment,
    store: Option<&str>,
) -> Result<Registration, Failure> {
    let program = std::env::current_exe()
        .map_err(|error| Failure::new(ErrorCode::Internal, format!("This program's own path is unknown: {error}.")))?;
    Registration::new(&program, [], store_of(environment, store)?).map_err(|error| failure(&error))
}

/// The store that was asked for or that this shell uses, in words that mean the same anywhere, unless it is the usual
/// one.
fn store_of(environment: &Environment, store: Option<&str>) -> Result<Option<(String, String)>, Failure> {
    if let Some(named) = store.or_else(|| environment.var("BATON_STORE")) {
        return match environment.store_location(Some(named))? {
            Location::Directory(directory) => Ok(Some(("BATON_DATA_DIR".to_owned(), utf8(&directory)?))),
            Location::Postgres(address) if address.has_password_in_url() => Err(password_in_configuration()),
            Location::Postgres(address) if address.relative_file().is_some() => Err(relative_file(&address)),
            Location::Postgres(_) => Ok(Some(("BATON_STORE".to_owned(), named.to_owned()))),
        };
    }
    if STORE_VARIABLES.iter().all(|name| environment.var_os(name).is_none()) {
        return Ok(None);
    }
    let directory = utf8(&environment.data_dir()?)?;
    Ok(Some(("BATON_DATA_DIR".to_owned(), directory)))
}

fn password_in_configuration() -> Failure {
    let message =
        "The address of the store has a password in it, and the configuration of a harness is no place for one.";
    let next = "Leave it out of the address and put it into ~/.pgpass, where every Baton of yours finds it.";
    Failure::new(ErrorCode::InvalidInput, message).advising(next)
}

fn relative_file(address: &Address) -> Failure {
    let file = address.relative_file().map(|path| path.display().to_string()).unwrap_or_default();
    let message =
        format!("The address of the store names {file}, which a harness would look for in another directory.");
    Failure::new(ErrorCode::InvalidInput, message).advising("Write the whole path of the file.")
}

fn failure(error: &InstallError) -> Failure {
    Failure::new(ErrorCode::InvalidInput, format!("{}: {}", error.code(), error.message())).advising(error.hint())
}
