//! The programs that a configuration names by names of its own, and the settings that put nothing in their place.
//!
//! Attributes, which come with a repository, say `filter=NAME`; the configuration says what NAME executes. Git lists the
//! names of all settings without executing any. The overriding settings are in variables and not in arguments, because
//! a name may hold an equals sign.

use std::{
    collections::BTreeSet,
    ffi::{OsStr, OsString},
    io,
    os::unix::ffi::OsStrExt,
    path::Path,
    time::Duration,
};

use super::{
    bounded::run_bounded,
    command::{Hooks, bare},
};

/// More settings than anybody has. Beyond it git is not run at all.
const LIST_BYTES: u64 = 4 * 1024 * 1024;
/// Reading a few files takes no time; one that never ends would be a pipe.
const DEADLINE: Duration = Duration::from_secs(20);

/// What replaces the program of a driver, by the section that names it: nothing, where git takes that for no program, and
/// what does the least, where it does not.
const OVERRIDES: [(&str, &[(&str, &str)]); 4] = [
    ("filter", &[("clean", ""), ("smudge", ""), ("process", ""), ("required", "false")]),
    ("diff", &[("textconv", "cat"), ("command", "f() { diff -u \"$2\" \"$5\" || true; }; f")]),
    // A conflict, which somebody looks at.
    ("merge", &[("driver", "false")]),
    ("hook", &[("enabled", "false"), ("event", "")]),
];

/// Settings of an agent program's own git. Whether files of a submodule are changed is found out by git there, with the
/// drivers of the submodule; that it is at another commit is still told.
const FOR_AGENTS: [(&str, &str); 2] = [("core.fsmonitor", "false"), ("diff.ignoreSubmodules", "dirty")];

/// Whose drivers are overridden.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Whose {
    Everybodys,
    /// Those that the repository's own configuration names, with all that it includes.
    TheRepositorys,
}

/// A section and the name in it: `filter` and `lfs`.
type Driver = (&'static str, OsString);

/// Variables by which git at `root` has no driver that executes anything.
pub(super) fn overridden(root: &Path) -> io::Result<Vec<(OsString, OsString)>> {
    let listed = listed(root)?.map_err(io::Error::other)?;
    Ok(variables(&drivers(&listed, Whose::Everybodys), &[]))
}

/// The names of the filters that are configured at `root`, by the repository or by the user. None of them runs for Baton.
pub fn filters(root: &Path) -> io::Result<BTreeSet<OsString>> {
    let listed = listed(root)?.map_err(io::Error::other)?;
    let drivers = drivers(&listed, Whose::Everybodys).into_iter();
    Ok(drivers.filter(|(section, _)| *section == "filter").map(|(_, name)| name).collect())
}

/// Variables for an agent program in `directory`: it runs git by itself, outside of any sandbox, and git then executes
/// nothing that the repository's configuration names. Drivers of the user's own configuration stay. A partial clone fetches
/// nothing by the way, because the repository says with which programs.
pub fn settings_for_agents(directory: &Path) -> io::Result<Vec<(OsString, OsString)>> {
    let drivers = match listed(directory) {
        Ok(Ok(listed)) => drivers(&listed, Whose::TheRepositorys),
        // A configuration that git cannot read stops every command before it could execute anything.
        Ok(Err(_)) => BTreeSet::new(),
        // Without git nobody runs it.
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut all = variables(&drivers, &FOR_AGENTS);
    all.push(("GIT_NO_LAZY_FETCH".into(), "1".into()));
    Ok(all)
}

fn variables(drivers: &BTreeSet<Driver>, more: &[(&str, &str)]) -> Vec<(OsString, OsString)> {
    let replaced = drivers.iter().flat_map(|(section, name)| {
        let known = OVERRIDES.iter().filter(move |(known, _)| known == section).flat_map(|(_, settings)| *settings);
        known.map(move |(setting, value)| {
            let mut key = OsString::from(format!("{section}."));
            key.push(name);
            key.push(format!(".{setting}"));
            (key, OsString::from(value))
        })
    });
    let settings: Vec<_> = more.iter().map(|(key, value)| (key.into(), value.into())).chain(replaced).collect();
    let count = ("GIT_CONFIG_COUNT".into(), settings.len().to_string().into());
    let numbered = settings.into_iter().enumerate().flat_map(|(number, (key, value))| {
        [(format!("GIT_CONFIG_KEY_{number}").into(), key), (format!("GIT_CONFIG_VALUE_{number}").into(), value)]
    });
    std::iter::once(count).chain(numbered).collect()
}

/// Reads `SCOPE NUL NAME NUL …`, where a name is `section.NAME.setting` and NAME may hold anything.
fn drivers(listed: &[u8], whose: Whose) -> BTreeSet<Driver> {
    let mut fields = listed.split(|byte| *byte == 0);
    let mut found = BTreeSet::new();
    while let (Some(scope), Some(name)) = (fields.next(), fields.next()) {
        let is_the_users = matches!(scope, b"system" | b"global" | b"command");
        if whose == Whose::TheRepositorys && is_the_users {
            continue;
        }
        let ends = (name.iter().position(|byte| *byte == b'.'), name.iter().rposition(|byte| *byte == b'.'));
        let (Some(first), Some(last)) = ends else { continue };
        let section = OVERRIDES.iter().find(|(section, _)| name[..first].eq_ignore_ascii_case(section.as_bytes()));
        if let (Some((section, _)), true) = (section, first < last) {
            found.insert((*section, OsStr::from_bytes(&name[first + 1..last]).to_owned()));
        }
    }
    found
}

/// The names of all settings at `root`, or what git says is wrong with them.
fn listed(root: &Path) -> io::Result<Result<Vec<u8>, String>> {
    let mut command = bare(root, Hooks::Off)?;
    command.args(["config", "--list", "--includes", "--show-scope", "--name-only", "-z"]);
    let printed = run_bounded(&mut command, LIST_BYTES, DEADLINE).map_err(|error| match error.kind() {
        io::ErrorKind::TimedOut => io::Error::other("git's configuration cannot be read to its end"),
        _ => error,
    })?;
    if printed.is_cut {
        return Err(io::Error::other("git has more settings than can be looked at"));
    }
    if !printed.status.success() {
        let said = String::from_utf8_lossy(&printed.stderr);
        return Ok(Err(said.trim().lines().next().unwrap_or("git cannot read its configuration").to_owned()));
    }
    Ok(Ok(printed.stdout))
}
