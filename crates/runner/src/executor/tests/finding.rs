//! Where a program is looked for.

use std::{ffi::OsStr, fs, os::unix::fs::PermissionsExt, path::Path};

use crate::executor::{Wanted, find};

#[test]
fn what_is_said_first_counts_and_must_be_right() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    for (name, mode) in [("codex", 0o755), ("other", 0o755), ("text", 0o644)] {
        fs::write(at(name), "#!/bin/sh\n").unwrap();
        fs::set_permissions(at(name), fs::Permissions::from_mode(mode)).unwrap();
    }
    let (codex, other, text) = (at("codex"), at("other"), at("text"));
    let search = Some(directory.path().as_os_str());
    let found = |wanted: Wanted<'_>| find("codex", wanted).map_err(|error| error.to_string());
    let variable = Some(("BATON_CODEX_BIN", other.as_os_str()));

    assert_eq!(found(Wanted { search, ..Wanted::default() }), Ok(codex.clone()));
    assert_eq!(found(Wanted { search, configured: Some(&other), ..Wanted::default() }), Ok(other.clone()));
    assert_eq!(found(Wanted { search, configured: Some(Path::new("other")), ..Wanted::default() }), Ok(other.clone()));
    assert_eq!(found(Wanted { variable, configured: Some(&codex), ..Wanted::default() }), Ok(other.clone()));
    assert_eq!(found(Wanted { flag: Some(&codex), variable, ..Wanted::default() }), Ok(codex));

    let nowhere = Err("codex was not found on PATH".to_owned());
    assert_eq!(found(Wanted::default()), nowhere);
    assert_eq!(found(Wanted { search: Some(OsStr::new(":.:/nowhere")), ..Wanted::default() }), nowhere);
    let wrong = found(Wanted { search, configured: Some(&text), ..Wanted::default() }).unwrap_err();
    assert_eq!(wrong, format!("the configuration says that codex is {}, which is no program", text.display()));
    let wrong = found(Wanted { search, flag: Some(Path::new("bin/codex")), ..Wanted::default() }).unwrap_err();
    assert_eq!(wrong, "the command line says that codex is bin/codex, which is no program");
}
