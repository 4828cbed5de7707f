//! How the programs are pointed at a model, by environment and home alone: the test says nothing on the command line,
//! because it is Baton that writes the command line in the stories this is for.

use std::{
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
};

use baton_app::environment::Environment;
use serde_json::{Value, json};

use super::{Clients, settings};

/// Where `codex` looks for the key to the model, which takes any.
const KEY: &str = "SCRIPTED_MODEL_KEY";
/// The file in which `claude` keeps its servers, and the answers to its questions.
const CLAUDE_STATE: &str = ".claude.json";

/// A home in which the programs find the model, and nothing of the person who runs the tests.
#[derive(Clone, Debug)]
pub struct ClientHome {
    directory: PathBuf,
    patience: Patience,
    codex_model: &'static str,
    variables: Vec<(&'static str, OsString)>,
}

/// How a program takes it when the model fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Patience {
    /// As the program has it: several attempts, for half a minute to some minutes.
    Own,
    /// It gives up at the first failure.
    None,
}

impl ClientHome {
    /// A home in a directory of the test's own, which is made if it is not there.
    pub fn new(directory: &Path) -> Self {
        let temporary = directory.join("tmp");
        fs::create_dir_all(&temporary).unwrap();
        let machine = Environment::read();
        let before = machine.var_os("PATH").unwrap_or_default();
        let places = std::iter::once(Clients::directory()).chain(std::env::split_paths(&before));
        let variables = vec![
            ("PATH", std::env::join_paths(places).unwrap()),
            ("HOME", directory.into()),
            ("TMPDIR", temporary.into()),
        ];
        Self { directory: directory.to_owned(), patience: Patience::Own, codex_model: "scripted", variables }
    }

    /// Has the programs give up when the model fails once. Said before they are pointed anywhere.
    #[must_use]
    pub fn impatient(mut self) -> Self {
        self.patience = Patience::None;
        self
    }

    /// Has `codex` take the model for one that it knows, and treat it so. Said before it is pointed anywhere.
    ///
    /// It does not know `scripted`, says so in an event of kind `error` and calls tools as they are. It has
    /// `gpt-5.5` search for tools, and `gpt-6.1-sol` write code that calls them.
    #[must_use]
    pub fn codex_as(mut self, model: &'static str) -> Self {
        self.codex_model = model;
        self
    }

    /// Points `codex` at a model: a configuration file in its own home, which others may add to.
    #[must_use]
    pub fn codex(mut self, url: &str) -> Self {
        let own = self.directory.join(".codex");
        let retries = match self.patience {
            Patience::Own => "",
            Patience::None => "request_max_retries = 0\nstream_max_retries = 0\n",
        };
        write_new(&own.join("config.toml"), &settings::codex(self.codex_model, url, KEY, retries));
        self.variables.extend([("CODEX_HOME", own.into()), (KEY, "dummy".into())]);
        self
    }

    /// Points `claude` at a model. Its first questions (theme, key, permissions) count as answered, unless the test has
    /// written the file with the answers itself.
    #[must_use]
    pub fn claude(mut self, url: &str) -> Self {
        let state = self.directory.join(CLAUDE_STATE);
        if !state.exists() {
            write_new(&state, &pretty(&settings::claude()));
        }
        self.variables.extend([
            ("ANTHROPIC_BASE_URL", url.into()),
            ("ANTHROPIC_API_KEY", "dummy".into()),
            // Lets it be told to ask for nothing even as root.
            ("IS_SANDBOX", "1".into()),
            ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1".into()),
            ("DISABLE_AUTOUPDATER", "1".into()),
        ]);
        if self.patience == Patience::None {
            self.variables.push(("CLAUDE_CODE_MAX_RETRIES", "0".into()));
        }
        self
    }

    /// Points `gemini` at a model: a settings file, which others may add to.
    #[must_use]
    pub fn gemini(mut self, url: &str) -> Self {
        let settings = settings::gemini(self.patience == Patience::None);
        write_new(&self.directory.join(".gemini/settings.json"), &pretty(&settings));
        self.variables.extend([
            ("GOOGLE_GEMINI_BASE_URL", url.into()),
            ("GEMINI_API_KEY", "dummy".into()),
            ("NO_BROWSER", "1".into()),
        ]);
        self
    }

    /// Points `opencode` at a model: a configuration file, which others may add to.
    #[must_use]
    pub fn opencode(mut self, url: &str) -> Self {
        let own = self.directory.join(".config/opencode");
        write_new(&own.join("opencode.json"), &pretty(&settings::opencode(url)));
        // Without these, a plugin costs an attempt to install its package, more than a minute at each start.
        let (package, lock) = settings::opencode_packages();
        write_new(&own.join("package.json"), &pretty(&package));
        write_new(&own.join("package-lock.json"), &pretty(&lock));
        fs::create_dir_all(own.join("node_modules")).unwrap();
        let off = ["OPENCODE_DISABLE_AUTOUPDATE", "OPENCODE_DISABLE_MODELS_FETCH", "OPENCODE_DISABLE_LSP_DOWNLOAD"];
        self.variables.extend(off.map(|variable| (variable, "1".into())));
        self
    }

    /// Points all of them at a model.
    #[must_use]
    pub fn all(self, url: &str) -> Self {
        self.codex(url).claude(url).gemini(url).opencode(url)
    }

    /// Where it is.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Answers the question whether a program may work in a directory, as a person would on the first start. Only
    /// `claude` and `codex` ask it in spite of their settings.
    pub(super) fn trust(&self, directory: &Path) {
        self.trust_claude(directory);
        self.trust_codex(directory);
    }

    fn trust_codex(&self, directory: &Path) {
        let file = self.directory.join(".codex/config.toml");
        let Ok(text) = fs::read_to_string(&file) else { return };
        let table = format!("[projects.{:?}]", directory.to_str().unwrap());
        if !text.contains(&table) {
            fs::write(&file, format!("{text}\n{table}\ntrust_level = \"trusted\"\n")).unwrap();
        }
    }

    fn trust_claude(&self, directory: &Path) {
        let file = self.directory.join(CLAUDE_STATE);
        let Ok(text) = fs::read_to_string(&file) else { return };
        let mut state: Value = serde_json::from_str(&text).unwrap();
        let project = &mut state["projects"][directory.to_str().unwrap()];
        if project["hasTrustDialogAccepted"] != true {
            project["hasTrustDialogAccepted"] = json!(true);
            project["hasCompletedProjectOnboarding"] = json!(true);
            fs::write(&file, pretty(&state)).unwrap();
        }
    }

    /// The variables to start a program with, or Baton, which starts it.
    pub fn environment(&self) -> impl Iterator<Item = (&'static str, OsString)> {
        self.variables.clone().into_iter()
    }
}

fn write_new(file: &Path, text: &str) {
    assert!(!file.exists(), "{} is there already", file.display());
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(file, text).unwrap();
}

fn pretty(value: &Value) -> String {
    format!("{value:#}\n")
}
