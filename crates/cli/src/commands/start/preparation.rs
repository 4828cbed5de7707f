//! Everything that is missing for several agents in this workspace. Looks, and writes nothing.

use std::path::{Path, PathBuf};

use baton_app::{Failure, doctor, environment::Environment, paths};
use baton_core::{code::ErrorCode, ids::RoomId};
use baton_harness::{
    Harness,
    inspect::{Integrity, Workspace, inspect},
    install::{self, ConfigChange, InstallError, Package, Places, Registration, absence, plan_install},
};
use baton_http::Facts;

use crate::{
    commands::install::{places, registration},
    context::{self, Context},
    select::utf8,
};

/// The files of agent programs that may be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum InstallChoice {
    /// Those of the installation, with the trust that Codex asks for.
    InstallAndTrust,
    Install,
    /// Programs are only listed.
    ListOnly,
}

/// Whether a server is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ServerChoice {
    Up,
    AsItIs,
}

/// The state of everything, with what is missing.
pub(super) struct Preparation {
    pub(super) places: Places,
    pub(super) registration: Registration,
    /// The directory that a room is for, or would be.
    pub(super) root: PathBuf,
    pub(super) is_repository: bool,
    pub(super) agents: Vec<Agent>,
    /// The room that is there.
    pub(super) room: Option<RoomId>,
    /// The server that is there.
    pub(super) server: Option<Facts>,
    pub(super) data: PathBuf,
    wants_server: bool,
}

/// An agent program that is here.
pub(super) struct Agent {
    pub(super) harness: Harness,
    /// The choices of an earlier installation, which stay.
    pub(super) package: Package,
    /// The files in which something is missing or out of date.
    pub(super) files: Vec<PathBuf>,
    /// A registration of another program or store, and what becomes of it.
    pub(super) replaced: Option<(String, String)>,
    /// Whether its files are to be written.
    pub(super) is_installed_now: bool,
}

impl Preparation {
    pub(super) fn find(
        environment: &Environment,
        store: Option<&str>,
        install_choice: InstallChoice,
        server: ServerChoice,
    ) -> Result<Self, Failure> {
        let (places, registration) = (places(environment)?, registration(environment, store)?);
        let here = Path::new(".");
        let location = paths::resolve(here, environment.cwd(), environment.home())?;
        let repository = paths::repository_root(environment.cwd()).ok();
        let data = context::data_directory(environment, store)?;
        // Opening a store that is not there would make it.
        let room = match doctor::schema_at(&context::location(environment, store)?)? {
            Some(_) => room_here(&Context::open(store)?, here)?,
            None => None,
        };
        let root = PathBuf::from(&location.preferred_root);
        let agents = Harness::ALL.into_iter().filter(|harness| absence(*harness, &places).is_none());
        let agents: Result<Vec<Agent>, InstallError> = agents
            .map(|harness| Agent::find(harness, &places, &registration, install_choice, environment, &root))
            .collect();
        Ok(Self {
            agents: agents.map_err(|error| unusable(&error))?,
            is_repository: repository.is_some(),
            server: Facts::find(&data)?,
            wants_server: server == ServerChoice::Up,
            places,
            registration,
            root,
            room,
            data,
        })
    }

    /// Each thing to be done, in words. Nothing is left to do where there is none.
    pub(super) fn steps(&self) -> Vec<String> {
        let mut steps = Vec::new();
        for agent in self.agents.iter().filter(|agent| agent.is_installed_now) {
            let title = agent.harness.title();
            steps.extend(agent.files.iter().map(|file| format!("{title}: write {}", file.display())));
            if let Some((from, to)) = &agent.replaced {
                steps.push(format!("{title}: run {to}, no more {from}"));
            }
        }
        if self.room.is_none() {
            steps.push(format!("open a room for {}", self.root.display()));
        }
        if self.needs_server() {
            steps.push(format!("start a server in the background, with its log in {}", self.log().display()));
        }
        steps
    }

    pub(super) fn needs_server(&self) -> bool {
        self.wants_server && self.server.is_none()
    }

    pub(super) fn log(&self) -> PathBuf {
        self.data.join("up.log")
    }
}

impl Agent {
    fn find(
        harness: Harness,
        places: &Places,
        registration: &Registration,
        install_choice: InstallChoice,
        environment: &Environment,
        root: &Path,
    ) -> Result<Self, InstallError> {
        let variable = |name: &str| environment.var(name).map(str::to_owned);
        let installed = inspect(harness, places, &Workspace { root, variable: &variable })?;
        let package = match installed.map(|installed| installed.integrity) {
            Some(Integrity::Intact(package)) => package,
            Some(Integrity::Modified(_)) | None => Package::default(),
        };
        let package = Package { trust_hooks: install_choice == InstallChoice::InstallAndTrust, ..package };
        let plan = plan_install(harness, places, registration, &package)?;
        let replaced = plan.outcome.config.iter().find_map(|config| match &config.change {
            ConfigChange::Updated { from, to } => Some((from.clone(), to.clone())),
            _ => None,
        });
        let files: Vec<PathBuf> = plan.files().map(Path::to_owned).collect();
        let is_installed_now = install_choice != InstallChoice::ListOnly && !files.is_empty();
        Ok(Self { harness, package, files, replaced, is_installed_now })
    }

    /// Writes what is missing.
    pub(super) fn install(&self, places: &Places, registration: &Registration) -> Result<(), Failure> {
        let installed = install::install(self.harness, places, registration, &self.package);
        installed.map(|_| ()).map_err(|error| unusable(&error))
    }
}

/// The room around a path, if there is one.
fn room_here(context: &Context, path: &Path) -> Result<Option<RoomId>, Failure> {
    match context.app.room_at(&context.caller, Path::new(&utf8(path)?)) {
        Ok(room) => Ok(Some(room)),
        Err(failure) if failure.code == ErrorCode::UnknownRoom => Ok(None),
        Err(failure) => Err(failure),
    }
}

fn unusable(error: &InstallError) -> Failure {
    let message = format!("{}: {}", error.code(), error.message());
    let next = format!("{} To go on without: baton start --no-install", error.hint());
    Failure::new(ErrorCode::InvalidInput, message).advising(next)
}
