//! Where a program is.

use std::{
    ffi::OsStr,
    path::{Path, PathBuf},
};

use baton_app::programs::{find_on_path, is_program};

/// What is known about where a program is. What is said first counts, and must be right.
#[derive(Clone, Copy, Debug, Default)]
pub struct Wanted<'a> {
    /// What the command line says.
    pub flag: Option<&'a Path>,
    /// What the variable says, and which one that is.
    pub variable: Option<(&'a str, &'a OsStr)>,
    /// What the configuration says.
    pub configured: Option<&'a Path>,
    /// Where to look for the name otherwise: `PATH`.
    pub search: Option<&'a OsStr>,
}

/// Why there is no program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotFound {
    /// Something names it, and it is not there.
    #[error("{source_of_it} says that {name} is {}, which is no program", path.display())]
    Wrong {
        /// The program.
        name: String,
        /// What names it.
        source_of_it: String,
        /// What it names.
        path: PathBuf,
    },
    /// Nothing names it, and it is nowhere.
    #[error("{name} was not found on PATH")]
    Nowhere {
        /// The program.
        name: String,
    },
}

/// Finds a program.
pub fn find(name: &str, wanted: Wanted<'_>) -> Result<PathBuf, NotFound> {
    let on_path = |name: &Path| wanted.search.and_then(|search| find_on_path(name, search));
    let said = [
        wanted.flag.map(|path| ("the command line".to_owned(), path)),
        wanted.variable.map(|(variable, value)| (variable.to_owned(), Path::new(value))),
        wanted.configured.map(|path| ("the configuration".to_owned(), path)),
    ];
    if let Some((source_of_it, path)) = said.into_iter().flatten().next() {
        // A name without a directory is looked for, as a shell would.
        let is_name = path.components().count() == 1 && !path.has_root();
        let found = if is_name { on_path(path) } else { is_program(path).then(|| path.to_owned()) };
        return found.ok_or_else(|| NotFound::Wrong { name: name.to_owned(), source_of_it, path: path.to_owned() });
    }
    on_path(Path::new(name)).ok_or_else(|| NotFound::Nowhere { name: name.to_owned() })
}
