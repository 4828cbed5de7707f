//! The engines a story is played on. A new engine is a new variant here; no story changes.

use std::path::Path;

use baton_store::Store;
use tempfile::TempDir;

use crate::TestApp;

/// An engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backend {
    /// One file in a directory of its own.
    Sqlite,
}

impl Backend {
    /// Every engine there is.
    pub const ALL: &[Self] = &[Self::Sqlite];
}

/// Where a store lives. It can be opened more than once, as by several processes, and ends with the test.
#[derive(Debug)]
pub struct Place {
    backend: Backend,
    directory: TempDir,
}

impl Place {
    /// A place where nothing is yet.
    pub fn new(backend: Backend) -> Self {
        Self { backend, directory: tempfile::tempdir().unwrap() }
    }

    /// Which engine.
    pub fn backend(&self) -> Backend {
        self.backend
    }

    /// The data directory, which the store itself makes.
    pub fn data_directory(&self) -> std::path::PathBuf {
        self.directory().join("data")
    }

    /// The directory that everything of this test is in.
    pub fn directory(&self) -> &Path {
        self.directory.path()
    }

    /// Opens the store.
    pub fn open(&self) -> Store {
        match self.backend {
            Backend::Sqlite => Store::open(&self.data_directory()).unwrap(),
        }
    }
}

/// Plays a story about the service on every engine.
pub fn on_every_backend(story: impl Fn(TestApp)) {
    for backend in Backend::ALL {
        story(TestApp::open(*backend));
    }
}

/// Plays a story about the store on every engine.
pub fn on_every_place(story: impl Fn(Place)) {
    for backend in Backend::ALL {
        story(Place::new(*backend));
    }
}
