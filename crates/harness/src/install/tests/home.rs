//! A home directory for one test.

use std::{
    collections::BTreeMap,
    fs,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
};

use super::super::{InstallError, Outcome, Package, Part, Places, Registration, install, uninstall};
use crate::Harness;

pub(crate) const CLAUDE: &str = ".claude.json";
pub(crate) const CODEX: &str = ".codex/config.toml";
pub(crate) const GEMINI: &str = ".gemini/settings.json";
pub(crate) const OPENCODE: &str = ".config/opencode/opencode.jsonc";
pub(crate) const SHARED_SKILL: &str = ".agents/skills/baton/SKILL.md";
pub(crate) const CLAUDE_SKILL: &str = ".claude/skills/baton/SKILL.md";

/// Each harness with its file.
pub(crate) const FILES: [(Harness, &str); 4] =
    [(Harness::ClaudeCode, CLAUDE), (Harness::Codex, CODEX), (Harness::Gemini, GEMINI), (Harness::OpenCode, OPENCODE)];

pub(crate) struct Home(tempfile::TempDir);

impl Home {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn with(path: &str, text: &str) -> Self {
        let home = Self::new();
        home.write(path, text);
        home
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.0.path().join(path)
    }

    pub(crate) fn places(&self) -> Places {
        let home = self.0.path().to_str().unwrap().to_owned();
        Places::look_up(|name| (name == "HOME").then(|| home.clone())).unwrap()
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(crate) fn read(&self, path: &str) -> String {
        fs::read_to_string(self.path(path)).unwrap()
    }

    pub(crate) fn has(&self, path: &str) -> bool {
        self.path(path).exists()
    }

    pub(crate) fn install(&self, harness: Harness) -> Outcome {
        self.try_install(harness).unwrap()
    }

    pub(crate) fn try_install(&self, harness: Harness) -> Result<Outcome, InstallError> {
        install(harness, &self.places(), &registration(), &registration_only())
    }

    pub(crate) fn uninstall(&self, harness: Harness) -> Outcome {
        uninstall(harness, &self.places()).unwrap()
    }

    /// Every file with its inode and text: a file that was rewritten with the same text shows too.
    pub(crate) fn everything(&self) -> BTreeMap<PathBuf, (u64, String)> {
        let mut found = BTreeMap::new();
        collect(self.0.path(), &mut found);
        found
    }
}

fn collect(directory: &Path, found: &mut BTreeMap<PathBuf, (u64, String)>) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        let data = fs::symlink_metadata(&path).unwrap();
        if data.is_dir() {
            collect(&path, found);
        } else {
            let text = String::from_utf8_lossy(&fs::read(&path).unwrap_or_default()).into_owned();
            found.insert(path, (data.ino(), text));
        }
    }
}

/// The server entry and the skill.
pub(crate) fn registration_only() -> Package {
    Package { without: vec![Part::Hooks, Part::Commands, Part::Wake], ..Package::default() }
}

/// `/opt/baton mcp`, on the default store.
pub(crate) fn registration() -> Registration {
    Registration::new(Path::new("/opt/baton"), [], []).unwrap()
}

/// `/opt/baton mcp --tools full`, on a store of its own.
pub(crate) fn registration_with_store() -> Registration {
    let store = ("BATON_DATA_DIR".to_owned(), "/data/b".to_owned());
    Registration::new(Path::new("/opt/baton"), ["--tools".to_owned(), "full".to_owned()], [store]).unwrap()
}
