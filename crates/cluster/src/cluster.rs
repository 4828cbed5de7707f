//! A server of our own, from initdb to the removal of its last file.
#![expect(clippy::disallowed_methods, reason = "waiting for a server to start has a deadline")]

use std::{
    fs::{self, File, OpenOptions},
    io::Write,
    os::unix::{fs::OpenOptionsExt, process::CommandExt},
    path::{Path, PathBuf},
    process::Stdio,
    time::{Duration, Instant},
};

use crate::{
    ClusterError, Options, Programs, SharedCluster, account::Account, janitor::Janitor, place, port, programs,
    server::Server, shared::encoded,
};

/// The superuser that initdb makes.
const ROLE: &str = "baton";
const START_LIMIT: Duration = Duration::from_secs(60);
/// How long to wait between two looks whether the server accepts connections.
const LOOK_AGAIN: Duration = Duration::from_millis(10);
const PORT_ATTEMPTS_MAX: u32 = 5;
/// How much of the log an error shows.
const LOG_LINES_MAX: usize = 30;

/// A PostgreSQL server of our own. It and all its files go when this is dropped.
#[derive(Debug)]
pub struct Cluster {
    server: Option<Server>,
    was_killed: bool,
    port: u16,
    options: Options,
    account: Account,
    programs: Programs,
    janitor: Janitor,
}

impl Cluster {
    /// Makes a server and waits until it accepts connections.
    pub fn start(options: Options) -> Result<Self, ClusterError> {
        let programs = Programs::find()?;
        let account = Account::find()?;
        let janitor = Janitor::with_directory(&place::for_server(options.durability))?;
        let mut cluster = Self { server: None, was_killed: false, port: 0, options, account, programs, janitor };
        cluster.initialise()?;
        for _ in 0..PORT_ATTEMPTS_MAX {
            cluster.port = port::free(&cluster.options.listen)?;
            match cluster.launch() {
                Err(ClusterError::PortTaken(_)) => {}
                result => return result.map(|()| cluster),
            }
        }
        Err(ClusterError::NoPort(cluster.options.listen.join(", ")))
    }

    /// The address of a database, over TCP.
    pub fn url(&self, database: &str) -> String {
        let (host, port) = self.address();
        let host = if host.contains(':') { format!("[{host}]") } else { host };
        format!("postgres://{}@{host}:{port}/{}", role(&self.options), encoded(database))
    }

    /// The first address it listens on, and the port.
    pub fn address(&self) -> (String, u16) {
        let host = match self.options.listen.first().map(String::as_str) {
            None | Some("*" | "0.0.0.0") => "127.0.0.1",
            Some(address) => address,
        };
        (host.to_owned(), self.port)
    }

    /// Where its Unix socket is.
    pub fn socket_directory(&self) -> PathBuf {
        self.directory().join("socket")
    }

    /// The postmaster's pid, while it runs.
    pub fn pid(&self) -> Option<u32> {
        self.server.as_ref().map(|server| server.pid().as_raw_nonzero().get().unsigned_abs())
    }

    /// Everything the server has written to its log.
    pub fn log(&self) -> String {
        fs::read(self.log_path()).map(|log| String::from_utf8_lossy(&log).into_owned()).unwrap_or_default()
    }

    /// See [`SharedCluster::create_database`].
    pub fn create_database(&self, name: &str) -> Result<(), ClusterError> {
        self.shared().create_database(name)
    }

    /// See [`SharedCluster::drop_database`].
    pub fn drop_database(&self, name: &str) -> Result<(), ClusterError> {
        self.shared().drop_database(name)
    }

    /// See [`SharedCluster::sql`].
    pub fn sql(&self, database: &str, text: &str) -> Result<String, ClusterError> {
        self.shared().sql(database, text)
    }

    /// Stops the server cleanly, ending its sessions.
    pub fn stop(&mut self) -> Result<(), ClusterError> {
        self.server.take().ok_or(ClusterError::NotRunning)?.stop()
    }

    /// Kills the postmaster and all its children in one moment (SIGKILL), and returns when they are gone.
    pub fn kill(&mut self) -> Result<(), ClusterError> {
        let server = self.server.take().ok_or(ClusterError::NotRunning)?;
        self.was_killed = true;
        server.kill()
    }

    /// Starts the server again, with the same data and on the same port, after stopping it if it runs.
    pub fn restart(&mut self) -> Result<(), ClusterError> {
        if self.server.is_some() {
            self.stop()?;
        }
        self.launch()
    }

    /// Over the Unix socket, which is there whatever the server listens on.
    fn shared(&self) -> SharedCluster {
        SharedCluster::over_socket(self.programs.clone(), &role(&self.options), &self.socket_directory(), self.port)
    }

    fn initialise(&mut self) -> Result<(), ClusterError> {
        self.account.give(self.directory())?;
        let socket = self.socket_directory();
        fs::create_dir(&socket).map_err(ClusterError::system("could not make the socket's directory"))?;
        self.account.give(&socket)?;
        // Not every system has the locale of Unicode without a country.
        self.initdb("C.UTF-8").or_else(|_| self.initdb("C"))?;
        let data = self.data();
        let mut configuration = OpenOptions::new()
            .append(true)
            .open(data.join("postgresql.conf"))
            .map_err(ClusterError::system("could not open postgresql.conf"))?;
        configuration
            .write_all(self.options.configuration().as_bytes())
            .map_err(ClusterError::system("could not write postgresql.conf"))?;
        self.write(&data.join("pg_hba.conf"), &self.options.access())?;
        if let Some(tls) = &self.options.tls {
            self.write(&data.join("server.crt"), &tls.certificate_pem)?;
            self.write(&data.join("server.key"), &tls.key_pem)?;
        }
        Ok(())
    }

    fn initdb(&self, locale: &str) -> Result<(), ClusterError> {
        // What a failed attempt has left is in the way of the next.
        let _ = fs::remove_dir_all(self.data());
        let mut initdb = self.account.command_that_knows_its_name(&self.programs.path("initdb"));
        initdb.current_dir(self.directory());
        initdb.args(["--encoding=UTF8", "--no-sync", "--username", ROLE, "--pgdata"]).arg(self.data());
        initdb.arg(format!("--locale={locale}")).arg(format!("--auth={}", self.options.authentication.method()));
        if let Some(password) = self.options.authentication.password() {
            let file = self.directory().join("password");
            self.write(&file, password)?;
            initdb.arg("--pwfile").arg(file);
        }
        programs::output(initdb, "initdb").map(drop)
    }

    /// Starts the server on its port and waits until it accepts connections.
    fn launch(&mut self) -> Result<(), ClusterError> {
        let log = OpenOptions::new().create(true).append(true).open(self.log_path());
        let log = log.map_err(ClusterError::system("could not open the server's log"))?;
        let log_before = self.log().len();
        let mut postgres = self.account.command(&self.programs.path("postgres"));
        postgres.current_dir(self.directory()).arg("-D").arg(self.data()).arg("-k").arg(self.socket_directory());
        postgres.args(["-p", &self.port.to_string()]);
        // In a group of its own: Ctrl-C is for the starter, whose end the server then follows.
        postgres.process_group(0).stdin(Stdio::null()).stdout(duplicate(&log)?).stderr(log);
        let server = Server::start(postgres)?;
        let ready = self.wait_until_ready(&server);
        let log = self.log().split_off(log_before);
        // One of several addresses is a mere warning to the server.
        if log.contains("could not create listen socket") {
            return Err(ClusterError::PortTaken(self.port));
        }
        ready.map_err(|error| match error {
            ClusterError::Start { why, .. } => ClusterError::Start { why, log: tail(&log) },
            other => other,
        })?;
        self.server = Some(server);
        self.was_killed = false;
        Ok(())
    }

    fn wait_until_ready(&self, server: &Server) -> Result<(), ClusterError> {
        let failed = |why: &str| Err(ClusterError::Start { why: why.to_owned(), log: String::new() });
        let deadline = Instant::now() + START_LIMIT;
        while !self.is_ready() {
            if server.ends_within(LOOK_AGAIN)? {
                return failed("it ended");
            }
            if Instant::now() > deadline {
                return failed("it accepts no connections");
            }
        }
        Ok(())
    }

    fn is_ready(&self) -> bool {
        let mut look = self.programs.command("pg_isready");
        look.arg("-q").arg("-h").arg(self.socket_directory()).args(["-p", &self.port.to_string()]);
        look.args(["-U", ROLE, "-d", "postgres", "-t", "5"]);
        look.status().is_ok_and(|status| status.success())
    }

    /// Writes a file that only the server's account may read, as a key must be.
    fn write(&self, path: &Path, text: &str) -> Result<(), ClusterError> {
        let opened = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(path);
        opened
            .and_then(|mut file| file.write_all(text.as_bytes()))
            .map_err(ClusterError::system(format!("could not write {}", path.display())))?;
        self.account.give(path)
    }

    fn directory(&self) -> &Path {
        self.janitor.directory()
    }

    fn data(&self) -> PathBuf {
        self.directory().join("data")
    }

    fn log_path(&self) -> PathBuf {
        self.directory().join("log")
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        // A killed server leaves shared memory behind, which only its next start finds and frees.
        if self.was_killed {
            let _ = self.launch();
        }
        self.server = None;
    }
}

/// Who logs in: `baton`, or `baton:password`.
fn role(options: &Options) -> String {
    options
        .authentication
        .password()
        .map_or_else(|| ROLE.to_owned(), |password| format!("{ROLE}:{}", encoded(password)))
}

fn duplicate(file: &File) -> Result<File, ClusterError> {
    file.try_clone().map_err(ClusterError::system("could not open the server's log twice"))
}

fn tail(log: &str) -> String {
    let lines: Vec<&str> = log.lines().collect();
    lines[lines.len().saturating_sub(LOG_LINES_MAX)..].join("\n")
}
