//! Everything that is missing for several agents in this workspace. Looks, and writes nothing.

use std::path::{Path, PathBuf};

use baton_app::{Failure, doctor, environment::Environment, paths};
use baton_core::{code::ErrorCode, ids::RoomId};
use baton_harness::{
    Harness,
    inspect::Workspace,
    install::{self, ConfigChange, InstallError, Package, Places, Plan, Registration, absence, plan_install},
};
use baton_http::Facts;

use crate::{
    commands::install::{chosen, places, registration},
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
    pub(super) installation: Installation,
    pub(super) package: Package,
    /// The files in which something is missing or out of date.
    pub(super) files: Vec<PathBuf>,
    /// A registration of another program or store, and what becomes of it.
    pub(super) replaced: Option<(String, String)>,
    /// Whether its files are to be written.
    pub(super) is_installed_now: bool,
    /// Why it is not known what is missing.
    pub(super) unreadable: Option<String>,
}

/// The place where a program has Baton, or is to get it: for this user, or in this repository.
#[derive(Clone)]
pub(super) struct Installation {
    pub(super) places: Places,
    registration: Registration,
}

impl Preparation {
    pub(super) fn find(
        environment: &Environment,
        store: Option<&str>,
        install_choice: InstallChoice,
        server: ServerChoice,
    ) -> Result<Self, Failure> {
        let user = Installation { places: places(environment)?, registration: registration(environment, store)? };
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
        let project = repository.clone().map(|root| Installation {
            places: Places { project: Some(root), ..user.places.clone() },
            registration: Registration::shared(),
        });
        let variable = |name: &str| environment.var(name).map(str::to_owned);
        let workspace = Workspace { root: &root, variable: &variable };
        let agents = Harness::ALL.into_iter().filter(|harness| absence(*harness, &user.places).is_none());
        let agents: Result<Vec<Agent>, InstallError> =
            agents.map(|harness| Agent::find(harness, &user, project.as_ref(), install_choice, &workspace)).collect();
        Ok(Self {
            agents: agents.map_err(|error| unusable(&error))?,
            is_repository: repository.is_some(),
            server: Facts::find(&data)?,
            wants_server: server == ServerChoice::Up,
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
    /// A repository that has all of Baton for a program needs nothing more for this user: its hooks would run twice.
    fn find(
        harness: Harness,
        user: &Installation,
        project: Option<&Installation>,
        install_choice: InstallChoice,
        workspace: &Workspace<'_>,
    ) -> Result<Self, InstallError> {
        let is_complete = |project: &&Installation| {
            let plan = project.plan(harness, &chosen(harness, &project.places, workspace));
            plan.is_ok_and(|plan| plan.files().next().is_none())
        };
        let installation = project.filter(is_complete).unwrap_or(user).clone();
        let trust_hooks = install_choice == InstallChoice::InstallAndTrust;
        let package = Package { trust_hooks, ..chosen(harness, &installation.places, workspace) };
        let (plan, unreadable) = match installation.plan(harness, &package) {
            Ok(plan) => (Some(plan), None),
            // Nothing is to be written, so nothing depends on it.
            Err(error) if install_choice == InstallChoice::ListOnly => (None, Some(error.message())),
            Err(error) => return Err(error),
        };
        let replaced = plan.iter().flat_map(|plan| &plan.outcome.config).find_map(|config| match &config.change {
            ConfigChange::Updated { from, to } => Some((from.clone(), to.clone())),
            _ => None,
        });
        let files: Vec<PathBuf> = plan.iter().flat_map(Plan::files).map(Path::to_owned).collect();
        let is_installed_now = install_choice != InstallChoice::ListOnly && !files.is_empty();
        Ok(Self { harness, installation, package, files, replaced, is_installed_now, unreadable })
    }

    /// Writes what is missing.
    pub(super) fn install(&self) -> Result<(), Failure> {
        let Installation { places, registration } = &self.installation;
        let installed = install::install(self.harness, places, registration, &self.package);
        installed.map(|_| ()).map_err(|error| unusable(&error))
    }
}

impl Installation {
    fn plan(&self, harness: Harness, package: &Package) -> Result<Plan, InstallError> {
        plan_install(harness, &self.places, &self.registration, package)
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
