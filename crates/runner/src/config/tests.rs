//! What can be configured, what cannot, and whose file is believed.

use std::{
    ffi::OsStr,
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    time::Duration,
};

use super::*;
use crate::executor::{Choice, Profile, VariableName};
use baton_core::runner::SkillProfile;

fn fault(text: &str) -> String {
    Config::parse(text).unwrap_err().to_string()
}

#[test]
fn nothing_is_executed_that_is_not_named() {
    let config = Config::parse("").unwrap();
    assert_eq!(config, Config::default());
    assert_eq!(config.executors, Executors { codex: None, claude_code: None, command: None });
    let runner = config.runner;
    assert_eq!(
        (runner.max_parallel, runner.slice, runner.grace),
        (1, Duration::from_secs(1800), Duration::from_secs(300))
    );
}

#[test]
fn everything_can_be_said() {
    let config = Config::parse(
        r#"
        [runner]
        id = "r1"
        max_parallel = 3
        slice_minutes = 20
        grace_minutes = 0
        job_hours = 2
        failures_max = 5
        skill_profile = "research"
        skill_max_chars = 0

        [executors.codex]
        bin = "/opt/codex"
        args = ["--strict-config"]
        profiles = ["deep", "fast"]
        models = { fast = "small", deep = { model = "big", effort = "high" } }

        [executors.claude_code]
        bin = "claude"
        allow_bash = true
        [executors.claude_code.models]
        audit = { effort = "max" }

        [executors.command]
        argv = ["agent", "--go"]
        profiles = ["audit"]
        "#,
    )
    .unwrap();
    let runner = config.runner;
    assert_eq!((runner.id.as_deref(), runner.max_parallel, runner.failures_max), (Some("r1"), 3, 5));
    assert_eq!([runner.slice, runner.grace, runner.job].map(|time| time.as_secs()), [1200, 0, 7200]);
    assert_eq!((runner.skill_profile, runner.skill_max_chars), (SkillProfile::Research, 0));
    let codex = config.executors.codex.unwrap();
    assert_eq!((codex.bin, codex.args), (Some("/opt/codex".into()), vec!["--strict-config".to_owned()]));
    assert_eq!(codex.profiles.names(), [Profile::Fast, Profile::Deep]);
    let deep = Choice { model: Some("big".to_owned()), effort: Some("high".to_owned()) };
    assert_eq!((codex.profiles.choice(Profile::Deep), codex.profiles.choice(Profile::Audit)), (Some(&deep), None));
    let claude = config.executors.claude_code.unwrap();
    assert!(claude.allow_bash);
    assert_eq!(claude.profiles.names(), Profile::ALL);
    assert_eq!(claude.profiles.choice(Profile::Audit).unwrap().effort.as_deref(), Some("max"));
    assert_eq!(config.executors.command.unwrap().argv, ["agent", "--go"]);
}

#[test]
fn what_is_wrong_is_named() {
    insta::assert_snapshot!(
        [
            "[runer]",
            "[runner]\nmax_paralel = 2",
            "[executors.gemini]",
            "[executors.codex]\nallow_bash = true",
            "[executors.command]\nargv = [\"x\"]\nbin = \"y\"",
            "[executors.codex.models]\nquick = \"x\"",
            "[executors.codex.models.fast]\nname = \"x\"",
            "runner = 1",
            "[runner]\nmax_parallel = 0",
            "[runner]\nmax_parallel = \"two\"",
            "[runner]\nid = \"a b\"",
            "[runner]\nskill_profile = \"lazy\"",
            "[executors.codex]\nbin = \"bin/codex\"",
            "[executors.codex]\nargs = \"--x\"",
            "[executors.codex]\nprofiles = []",
            "[executors.codex]\nprofiles = [\"quick\"]",
            "[executors.codex]\nprofiles = [\"fast\"]\nmodels = { deep = \"x\" }",
            "[executors.claude_code]\nallow_bash = \"yes\"",
            "[executors.command]",
            "[executors.command]\nargv = [\"\"]",
        ]
        .map(fault)
        .join("\n"),
        @"
    runer is not a setting; there are runner, executors
    runner.max_paralel is not a setting; there are id, max_parallel, slice_minutes, grace_minutes, job_hours, failures_max, skill_profile, skill_max_chars, env
    executors.gemini is not a setting; there are codex, claude_code, command
    executors.codex.allow_bash is not a setting; there are bin, args, profiles, models, env
    executors.command.bin is not a setting; there are argv, profiles, models, env
    executors.codex.models.quick is not a setting; there are fast, deep, audit
    executors.codex.models.fast.name is not a setting; there are model, effort
    runner is to be a table
    runner.max_parallel is to be a whole number from 1 to 64
    runner.max_parallel is to be a whole number from 1 to 64
    runner.id is to be up to 64 letters, digits and . _ : -
    runner.skill_profile is to be daily, strict, research or teamlead
    executors.codex.bin is to be a whole path, or a name on PATH
    executors.codex.args is to be a list of texts
    executors.codex.profiles is to be a list of fast, deep and audit, and not empty
    executors.codex.profiles is to be a list of fast, deep and audit, and not empty
    executors.codex.models.deep is to be left out, as it is not one of the profiles
    executors.claude_code.allow_bash is to be true or false
    executors.command.argv is to be a program and its arguments, as a list of texts
    executors.command.argv is to be a program and its arguments, as a list of texts
    "
    );
    assert!(fault("[runner").starts_with("it is not TOML: "));
}

#[test]
fn the_file_is_where_the_environment_says() {
    let path = |chosen: Option<&str>, config_home: Option<&str>, home: Option<&str>| {
        let whereabouts = Whereabouts {
            chosen: chosen.map(OsStr::new),
            config_home: config_home.map(OsStr::new),
            home: home.map(Path::new),
            cwd: Path::new("/here"),
        };
        whereabouts.path()
    };
    let at = |path: &str| Some(PathBuf::from(path));
    assert_eq!(path(None, None, None), None);
    assert_eq!(path(None, None, Some("/home/ana")), at("/home/ana/.config/baton/config.toml"));
    assert_eq!(path(None, Some("/etc/ana"), Some("/home/ana")), at("/etc/ana/baton/config.toml"));
    assert_eq!(path(None, Some("relative"), Some("/home/ana")), at("/home/ana/.config/baton/config.toml"));
    assert_eq!(path(Some("/x.toml"), Some("/etc/ana"), None), at("/x.toml"));
    assert_eq!(path(Some("x.toml"), None, None), at("/here/x.toml"));
}

#[test]
fn a_file_that_others_may_write_is_not_believed() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("config.toml");
    let chosen = Whereabouts { chosen: Some(file.as_os_str()), config_home: None, home: None, cwd: Path::new("/") };
    let said = || Config::load(chosen).map_err(|error| (error.fault.to_string(), error.path == file));
    let mode = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();

    assert_eq!(said(), Err(("it cannot be read: there is no such file".to_owned(), true)));
    fs::write(&file, "[runner]\nid = \"r1\"\n").unwrap();
    mode(&file, 0o644);
    assert_eq!(said().unwrap().runner.id.as_deref(), Some("r1"));
    for bits in [0o664, 0o646] {
        mode(&file, bits);
        let others = "others may write it, and it says which programs are run".to_owned();
        assert_eq!(said(), Err((others, true)));
    }
    mode(&file, 0o600);
    mode(directory.path(), 0o777);
    assert!(said().unwrap_err().0.starts_with("others may replace it"));
    mode(directory.path(), 0o1777);
    assert!(said().is_ok());
    // Without being asked for, a file need not be there.
    let usual = Whereabouts { chosen: None, home: Some(directory.path()), ..chosen };
    assert_eq!(Config::load(usual).unwrap(), Config::default());
}

#[test]
fn variables_are_named_for_all_programs_or_for_one() {
    let config = Config::parse(
        r#"
        [runner]
        env = ["CARGO_HOME", "MY_*"]
        [executors.codex]
        env = ["ROUTER_KEY"]
        [executors.claude_code]
        [executors.command]
        argv = ["agent"]
        env = ["AGENT_*"]
        "#,
    )
    .unwrap();
    let named = |names: &[&str]| names.iter().map(|name| VariableName::parse(name).unwrap()).collect::<Vec<_>>();
    assert_eq!(config.runner.env, named(&["CARGO_HOME", "MY_*"]));
    assert_eq!(config.executors.codex.unwrap().env, named(&["ROUTER_KEY"]));
    assert_eq!(config.executors.claude_code.unwrap().env, []);
    assert_eq!(config.executors.command.unwrap().env, named(&["AGENT_*"]));
    for wrong in ["[runner]\nenv = [\"*\"]", "[runner]\nenv = \"HOME\"", "[executors.codex]\nenv = [\"A=B\"]"] {
        assert!(fault(wrong).contains("env is to be a list of"), "{}", fault(wrong));
    }
}
