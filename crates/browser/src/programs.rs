//! Which programs there are.

use std::path::{Path, PathBuf};

/// Where distributions put programs.
const PLACES: [&str; 3] = ["/usr/local/bin", "/usr/bin", "/bin"];

/// A browser and the program that drives it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Programs {
    /// `chromium`
    pub browser: PathBuf,
    /// `chromedriver`
    pub driver: PathBuf,
}

impl Programs {
    /// What the machine has, if it has both.
    pub fn find() -> Option<Self> {
        Some(Self { browser: find("chromium")?, driver: find("chromedriver")? })
    }
}

fn find(name: &str) -> Option<PathBuf> {
    PLACES.iter().map(|place| Path::new(place).join(name)).find(|path| path.exists())
}
