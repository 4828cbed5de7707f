//! The real programs that agents run in, as `cargo xtask test` installs them, and how they are pointed at a model.
//!
//! [`ClientHome`] does that by environment and home alone: the test says nothing on the command line, because it is
//! Baton that writes the command line in the stories this is for.

use std::{
    ffi::OsString,
    fs,
    io::{self, Write},
    path::{Path, PathBuf},
    thread,
};

use baton_app::environment::Environment;

/// Names the directory the programs are installed in: `cargo xtask test` sees to it.
const VARIABLE: &str = "BATON_TEST_CLIENTS";
/// What the variable says when the programs are left out on purpose.
const NONE: &str = "none";
/// Where `codex` looks for the key to the model, which takes any.
const KEY: &str = "SCRIPTED_MODEL_KEY";

/// The programs.
#[derive(Debug)]
pub struct Clients;

impl Clients {
    /// Where `codex` is.
    pub fn codex() -> PathBuf {
        Self::program("codex")
    }

    /// Where `claude` is.
    pub fn claude() -> PathBuf {
        Self::program("claude")
    }

    /// The directory in which both are found by name, with the `node` they need, if the machine's own is too old.
    pub fn directory() -> PathBuf {
        let installed = Environment::read().var(VARIABLE).map(str::to_owned).unwrap_or_else(|| {
            panic!("{VARIABLE} is not set: run the tests with `cargo xtask test`, which installs codex and claude")
        });
        assert!(
            installed != NONE,
            "codex and claude were left out by --without-clients: ask clients::left_out() first"
        );
        Path::new(&installed).join("node_modules/.bin")
    }

    fn program(name: &str) -> PathBuf {
        let program = Self::directory().join(name);
        assert!(program.exists(), "{} is missing: run the tests with `cargo xtask test`", program.display());
        program
    }
}

/// Whether the programs are left out of this run by `--without-clients`. It says so; a test that needs them returns.
pub fn left_out() -> bool {
    let left_out = Environment::read().var(VARIABLE) == Some(NONE);
    if left_out {
        // Past what the test harness keeps to itself of a test that passes.
        let test = thread::current().name().unwrap_or("a test").to_owned();
        let _ = writeln!(io::stderr(), "LEFT OUT by --without-clients, for want of codex and claude: {test}");
    }
    left_out
}

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
        let file = own.join("config.toml");
        assert!(!file.exists(), "{} is there already", file.display());
        let retries = match self.patience {
            Patience::Own => "",
            Patience::None => "request_max_retries = 0\nstream_max_retries = 0\n",
        };
        fs::create_dir_all(&own).unwrap();
        fs::write(file, codex_configuration(self.codex_model, url, retries)).unwrap();
        self.variables.extend([("CODEX_HOME", own.into()), (KEY, "dummy".into())]);
        self
    }

    /// Points `claude` at a model.
    #[must_use]
    pub fn claude(mut self, url: &str) -> Self {
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

    /// The variables to start a program with, or Baton, which starts it.
    pub fn environment(&self) -> impl Iterator<Item = (&'static str, OsString)> {
        self.variables.clone().into_iter()
    }
}

fn codex_configuration(model: &str, url: &str, retries: &str) -> String {
    format!(
        r#"model = "{model}"
model_provider = "scripted"
check_for_update_on_startup = false

[analytics]
enabled = false

[model_providers.scripted]
name = "scripted"
base_url = "{url}/v1"
wire_api = "responses"
env_key = "{KEY}"
{retries}"#
    )
}
