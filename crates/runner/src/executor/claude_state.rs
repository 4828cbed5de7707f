//! A place of its own for what Claude Code writes down about itself.
//!
//! Claude notes every directory that it was started in, and more, in `.claude.json`: the file in which a person's own MCP
//! servers are registered. A job is no reason to change that. `CLAUDE_CONFIG_DIR` moves the file, and with it all of
//! `~/.claude`; so a slice gets a directory of links to a person's own, with a copy of the file.
//!
//! Logins stay where they are. `CLAUDE_SECURESTORAGE_CONFIG_DIR` says so to a Claude that knows it; for an earlier one there
//! is a link. Conversations stay too, because later slices go on with them.

use std::{
    ffi::{OsStr, OsString},
    fs::{self, DirBuilder},
    io,
    os::unix::fs::{DirBuilderExt, symlink},
    path::{Path, PathBuf},
};

use super::Variables;

const CONFIG_DIR: &str = "CLAUDE_CONFIG_DIR";
const LOGIN_DIR: &str = "CLAUDE_SECURESTORAGE_CONFIG_DIR";
/// The file that Claude writes to all the time.
const STATE: &str = ".claude.json";
/// The name that it had earlier, within the directory.
const EARLIER_STATE: &str = ".config.json";
/// The directory of conversations.
const CONVERSATIONS: &str = "projects";
/// Copies that Claude makes of its state before it changes that.
const BACKUPS: &str = "backups";

/// Makes the directory below `scratch`, and gives the variables by which Claude uses it. Without a home there is nothing to
/// keep apart.
pub(super) fn apart(scratch: &Path, inherited: &Variables) -> io::Result<Vec<(OsString, OsString)>> {
    let given = |name: &str| inherited.iter().find(|(known, _)| known == name).map(|(_, value)| value);
    let chosen = given(CONFIG_DIR).filter(|chosen| !chosen.is_empty()).map(PathBuf::from);
    let Some(home) = given("HOME").filter(|home| !home.is_empty()).map(PathBuf::from) else { return Ok(Vec::new()) };
    let (own, state) = match &chosen {
        Some(chosen) => (chosen.clone(), chosen.join(STATE)),
        None => (home.join(".claude"), home.join(STATE)),
    };
    let apart = scratch.join("claude");
    match fs::remove_dir_all(&apart) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        // Links go, and not the files that they lead to.
        Ok(()) | Err(_) => DirBuilder::new().mode(0o700).create(&apart)?,
    }
    let conversations = own.join(CONVERSATIONS);
    fs::create_dir_all(&conversations).map_err(|error| about(&conversations, &error))?;
    for entry in fs::read_dir(&own).map_err(|error| about(&own, &error))? {
        let entry = entry?;
        let name = entry.file_name();
        let is_state = name.as_encoded_bytes().starts_with(STATE.as_bytes()) || name == EARLIER_STATE;
        if !is_state && name != BACKUPS {
            symlink(entry.path(), apart.join(name))?;
        }
    }
    for (file, name) in [(state, STATE), (own.join(EARLIER_STATE), EARLIER_STATE)] {
        match fs::copy(&file, apart.join(name)) {
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(about(&file, &error)),
        }
    }
    // Empty means the usual place.
    let logins = given(LOGIN_DIR).or(chosen.map(PathBuf::into_os_string)).unwrap_or_default();
    let variable = |name: &str, value: &OsStr| (name.into(), value.to_owned());
    Ok(vec![variable(CONFIG_DIR, apart.as_os_str()), variable(LOGIN_DIR, &logins)])
}

fn about(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use baton_app::environment::Environment;

    use super::{super::ExecutorKind, *};

    fn variables(pairs: &[(&str, &str)]) -> Variables {
        let environment = Environment::of(pairs.iter().copied(), "/");
        Variables::inherited(&environment, ExecutorKind::ClaudeCode, [])
    }

    #[test]
    fn what_claude_notes_stays_in_the_slice_and_everything_else_is_the_persons_own() {
        let directory = tempfile::tempdir().unwrap();
        let (home, scratch) = (directory.path().join("home"), directory.path().join("scratch"));
        fs::create_dir_all(home.join(".claude/backups")).unwrap();
        fs::create_dir(&scratch).unwrap();
        fs::write(home.join(".claude.json"), "{\"theme\":\"dark\"}").unwrap();
        fs::write(home.join(".claude/settings.json"), "{}").unwrap();
        fs::write(home.join(".claude/.credentials.json"), "secret").unwrap();
        let told = apart(&scratch, &variables(&[("HOME", home.to_str().unwrap())])).unwrap();
        let own = scratch.join("claude");
        assert_eq!(told[0], (CONFIG_DIR.into(), own.clone().into_os_string()));
        assert_eq!(told[1], (LOGIN_DIR.into(), OsString::new()), "logins are where they were");
        assert_eq!(fs::read_to_string(own.join(".claude.json")).unwrap(), "{\"theme\":\"dark\"}");
        fs::write(own.join(".claude.json"), "{}").unwrap();
        assert_eq!(fs::read_to_string(home.join(".claude.json")).unwrap(), "{\"theme\":\"dark\"}");
        for linked in ["settings.json", ".credentials.json", "projects"] {
            assert_eq!(fs::read_link(own.join(linked)).unwrap(), home.join(".claude").join(linked));
        }
        assert!(!own.join("backups").exists());
    }

    #[test]
    fn a_directory_that_a_person_chose_is_the_one_that_is_linked() {
        let directory = tempfile::tempdir().unwrap();
        let (chosen, scratch) = (directory.path().join("chosen"), directory.path().join("scratch"));
        [&chosen, &scratch].into_iter().for_each(|path| fs::create_dir(path).unwrap());
        fs::write(chosen.join(".claude.json"), "{}").unwrap();
        let told =
            apart(&scratch, &variables(&[("HOME", "/nowhere"), (CONFIG_DIR, chosen.to_str().unwrap())])).unwrap();
        assert_eq!(told[1], (LOGIN_DIR.into(), chosen.clone().into_os_string()));
        assert!(fs::symlink_metadata(scratch.join("claude/.claude.json")).unwrap().is_file());
        assert_eq!(apart(&scratch, &variables(&[])).unwrap(), [], "without a home");
    }
}
