//! Whom the server runs as. PostgreSQL refuses to run as root, so root lends it another account.

use std::{
    fs,
    os::unix::fs::{PermissionsExt, chown},
    path::Path,
    process::Command,
};

use crate::{ClusterError, programs::plain};

const ACCOUNTS: &str = "/etc/passwd";

/// The account of the server's processes and files.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Account {
    /// Our own.
    Ours,
    /// Another one, since ours is root.
    Lent { user: u32, group: u32 },
}

impl Account {
    /// Ours; for root `postgres`, which the Debian package makes, or else `nobody`.
    pub(crate) fn find() -> Result<Self, ClusterError> {
        if !rustix::process::geteuid().is_root() {
            return Ok(Self::Ours);
        }
        let accounts = fs::read_to_string(ACCOUNTS).map_err(ClusterError::system("could not read the accounts"))?;
        let named = |name: &str| accounts.lines().find_map(|line| lent(line, name));
        named("postgres").or_else(|| named("nobody")).ok_or(ClusterError::NoAccount)
    }

    /// Gives a file or directory of ours to the account.
    pub(crate) fn give(self, path: &Path) -> Result<(), ClusterError> {
        let Self::Lent { user, group } = self else { return Ok(()) };
        let what = || format!("could not give {} to the server's account", path.display());
        chown(path, Some(user), Some(group)).map_err(ClusterError::system(what()))
    }

    /// A command under this account, which the kernel asks to quit (SIGQUIT) when the *thread* that started it ends.
    pub(crate) fn command(self, program: &Path) -> Command {
        self.setpriv(&[], program)
    }

    /// The same for initdb, which fails if it cannot look up its own name. Some machines let only root read the
    /// accounts; there it gets the right to, and the server that runs later does not.
    pub(crate) fn command_that_knows_its_name(self, program: &Path) -> Command {
        let readable = fs::metadata(ACCOUNTS).is_ok_and(|file| file.permissions().mode() & 0o004 != 0);
        match self {
            Self::Lent { .. } if !readable => {
                self.setpriv(&["--inh-caps=+dac_override", "--ambient-caps=+dac_override"], program)
            }
            _ => self.command(program),
        }
    }

    fn setpriv(self, rights: &[&str], program: &Path) -> Command {
        let mut command = plain("setpriv");
        command.args(["--pdeathsig", "QUIT"]);
        if let Self::Lent { user, group } = self {
            command.arg(format!("--reuid={user}")).arg(format!("--regid={group}")).arg("--clear-groups");
        }
        command.args(rights).arg("--").arg(program);
        command
    }
}

/// The account of a line of `/etc/passwd`, if it has this name.
fn lent(line: &str, name: &str) -> Option<Account> {
    let mut fields = line.split(':');
    if fields.next()? != name {
        return None;
    }
    let user = fields.nth(1)?.parse().ok()?;
    let group = fields.next()?.parse().ok()?;
    Some(Account::Lent { user, group })
}
