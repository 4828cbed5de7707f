//! `baton install` and `baton uninstall`

use std::process::ExitCode;

use baton_app::{Address, Failure, Location, environment::Environment};
use baton_core::code::ErrorCode;
use serde_json::{Value, json};

use crate::{
    exit::Exit,
    install::{
        self, Harness, InstallError, Outcome, Places, Registration, SkillStatus, Status, absence, plan_install,
        plan_uninstall, skill_status,
    },
    select::utf8,
    ui::Ui,
};

/// Variables that decide which store Baton uses. A harness need not have those of this shell, nor start where it does.
const STORE_VARIABLES: [&str; 3] = ["BATON_DATA_DIR", "TALKING_STICK_DATA_DIR", "XDG_DATA_HOME"];

/// Register Baton in coding agents: its MCP server and a skill that teaches how to use it
///
/// What is registered uses the store that this command would use: that of --store, of BATON_STORE, or the data
/// directory of this shell. A password is never written down; it belongs in ~/.pgpass.
#[derive(Debug, clap::Args)]
pub(super) struct InstallArgs {
    #[command(flatten)]
    which: Which,
}

/// Take Baton out of coding agents again
#[derive(Debug, clap::Args)]
pub(super) struct UninstallArgs {
    #[command(flatten)]
    which: Which,
}

#[derive(Debug, clap::Args)]
struct Which {
    /// claude-code, codex, gemini or opencode
    #[arg(value_name = "HARNESS", required_unless_present = "all")]
    harnesses: Vec<Harness>,
    /// Every one that is here
    #[arg(long, conflicts_with = "harnesses")]
    all: bool,
    /// Show what would be written, and write nothing
    #[arg(long)]
    print: bool,
}

impl Which {
    fn harnesses(&self) -> Vec<Harness> {
        if self.all { Harness::ALL.to_vec() } else { self.harnesses.clone() }
    }
}

/// What came of one harness.
struct Done {
    harness: Harness,
    text: String,
    data: Value,
    failed: bool,
}

impl Done {
    fn skipped(harness: Harness, why: String) -> Self {
        let data = json!({ "harness": harness, "skipped": why });
        Self { harness, text: why, data, failed: false }
    }

    fn of<T: std::fmt::Display>(
        harness: Harness,
        outcome: Result<T, InstallError>,
        data: impl Fn(&T) -> Value,
    ) -> Self {
        match outcome {
            Ok(outcome) => Self { harness, text: outcome.to_string(), data: data(&outcome), failed: false },
            Err(error) => {
                let data = json!({
                    "harness": harness,
                    "error": { "error": error.code(), "message": error.message(), "next": error.hint() },
                });
                let text = format!("{}: {}\n  next: {}", error.code(), error.message(), error.hint());
                Self { harness, text, data, failed: true }
            }
        }
    }
}

impl InstallArgs {
    pub(super) fn run(&self, store: Option<&str>, ui: Ui) -> Result<ExitCode, Failure> {
        let environment = Environment::read();
        let (places, registration) = (places(&environment)?, registration(&environment, store)?);
        let each = |harness: Harness| match absence(harness, &places).filter(|_| self.which.all) {
            Some(why) => Done::skipped(harness, why),
            None if self.which.print => Done::of(
                harness,
                plan_install(harness, &places, &registration),
                |plan| json!({ "would": plan.to_string() }),
            ),
            None => Done::of(harness, install::install(harness, &places, &registration), outcome_json),
        };
        Ok(report(ui, self.which.harnesses().into_iter().map(each).collect()))
    }
}

impl UninstallArgs {
    pub(super) fn run(&self, ui: Ui) -> Result<ExitCode, Failure> {
        let environment = Environment::read();
        let places = places(&environment)?;
        let each = |harness: Harness| {
            if self.which.print {
                return Done::of(
                    harness,
                    plan_uninstall(harness, &places),
                    |plan| json!({ "would": plan.to_string() }),
                );
            }
            Done::of(harness, install::uninstall(harness, &places), outcome_json)
        };
        Ok(report(ui, self.which.harnesses().into_iter().map(each).collect()))
    }
}

fn outcome_json(outcome: &Outcome) -> Value {
    json!({ "changed": outcome.changed(), "outcome": outcome })
}

fn report(ui: Ui, done: Vec<Done>) -> ExitCode {
    let exit = if done.iter().any(|done| done.failed) { Exit::Failed } else { Exit::Done };
    let data: Vec<_> = done.iter().map(|done| &done.data).collect();
    ui.answer_with(exit, &data, || {
        done.iter()
            .map(|done| format!("{}\n  {}\n", done.harness.title(), done.text.trim_end().replace('\n', "\n  ")))
            .collect()
    })
}

/// How each harness stands, for `baton doctor`.
pub(super) fn registrations(environment: &Environment, store: Option<&str>) -> Vec<(&'static str, String)> {
    let Ok(places) = places(environment) else { return Vec::new() };
    let registration = match registration(environment, store) {
        Ok(registration) => registration,
        Err(failure) => {
            let unknown = format!("not looked at: {}", failure.message);
            return Harness::ALL.iter().map(|harness| (harness.slug(), unknown.clone())).collect();
        }
    };
    let state = |harness: Harness| {
        let registered = match install::status(harness, &places, &registration) {
            Status::Absent => return "not here".to_owned(),
            Status::NotRegistered { .. } => format!("not registered: baton install {}", harness.slug()),
            Status::Registered { .. } => "registered".to_owned(),
            Status::RegisteredElsewhere { path, command } => format!("registered as {command} in {}", path.display()),
            Status::Disabled { .. } => "registered, but disabled".to_owned(),
            Status::Unreadable { why } => format!("its configuration cannot be read: {why}"),
        };
        let skill = match skill_status(harness, &places) {
            Ok(SkillStatus::Current) => "skill installed",
            Ok(SkillStatus::Missing) => "skill missing",
            Ok(SkillStatus::Outdated) => "skill outdated",
            Ok(SkillStatus::Foreign) => "another skill has its name",
            Err(_) => "skill cannot be read",
        };
        format!("{registered}, {skill}")
    };
    Harness::ALL.iter().map(|harness| (harness.slug(), state(*harness))).collect()
}

fn places(environment: &Environment) -> Result<Places, Failure> {
    Places::look_up(|name| environment.var(name).map(str::to_owned)).map_err(|error| failure(&error))
}

fn registration(environment: &Environment, store: Option<&str>) -> Result<Registration, Failure> {
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
