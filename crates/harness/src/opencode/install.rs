//! OpenCode: `opencode.json` or `opencode.jsonc` in its configuration directory, a plugin beside it, and
//! `~/.agents/skills`.
//!
//! OpenCode reads every file there is and lays them over each other: `opencode.json`, `opencode.jsonc`, then the
//! one that `OPENCODE_CONFIG` names. An entry that is in one of them is edited where it is. A new one goes where
//! `OPENCODE_CONFIG` says, else where `opencode mcp add` puts it: into `opencode.json` if that exists, else into
//! `opencode.jsonc`. It would also read `~/.claude/skills`; one skill directory is enough.
//!
//! The first plugin of a directory makes OpenCode ask npm for a package and wait for over a minute where there is no
//! network, unless a lock file names the package and `node_modules` is there. These files are written where there are
//! none. In a repository they are for every clone, while OpenCode writes a `.gitignore` that names them where there is
//! none, and many a repository ignores `node_modules`; so Baton writes one that lets them in.

use std::path::PathBuf;

use serde_json::{Map, Value, json};

use crate::install::{
    Part, Places, Registration,
    client::{Client, ConfigFiles, Format},
    contents::{COMMANDS, Contents, MARKER, OwnFile, Ownership, Wanted},
    json::{Dialect, Syntax},
    json_edit, skill,
};

/// OpenCode.
pub(crate) struct OpenCode;

const PLUGIN: &str = include_str!("plugin.js");

/// The rules of a directory come before those of the directories around it.
const GIT_IGNORE: &str = "\
!.gitignore
!package.json
!package-lock.json
!node_modules/
node_modules/*
!node_modules/.baton
";

static FORMAT: Dialect = Dialect {
    parent: "mcp",
    variables: "environment",
    always_has_variables: false,
    syntax: Syntax::CommentsAndTrailingCommas,
    fields: |registration: &Registration| {
        vec![("type", json!("local")), ("command", json!(registration.command_line())), ("enabled", json!(true))]
    },
    // A wait for the stick takes up to 50 seconds, and the default is 60.
    extras: &[("timeout", 120_000)],
};

impl Client for OpenCode {
    fn directory(&self, places: &Places) -> PathBuf {
        let user = || places.xdg_config_home.join("opencode");
        places.project.as_ref().map_or_else(user, |root| root.join(".opencode"))
    }

    fn config_files(&self, places: &Places) -> ConfigFiles {
        // In a repository they are at its root; OPENCODE_CONFIG is one person's.
        let directory = places.project.clone().unwrap_or_else(|| self.directory(places));
        let named = places.opencode_config.clone().filter(|_| places.project.is_none());
        let with_comments = directory.join("opencode.jsonc");
        let plain = directory.join("opencode.json");
        let usual = if plain.exists() { &plain } else { &with_comments };
        let preferred = named.as_ref().unwrap_or(usual).clone();
        let by_precedence = named.into_iter().chain([with_comments, plain]).collect();
        ConfigFiles { by_precedence, preferred }
    }

    fn skill_file(&self, places: &Places) -> PathBuf {
        places.project.as_ref().unwrap_or(&places.home).join(skill::SHARED_DIRECTORY).join(skill::FILE)
    }

    fn format(&self) -> &'static dyn Format {
        &FORMAT
    }

    fn contents(&self, places: &Places, wanted: &Wanted<'_>) -> Contents {
        let directory = self.directory(places);
        let own = |path: &str, text: String, ownership| OwnFile {
            part: Part::Hooks,
            path: directory.join(path),
            text,
            ownership,
        };
        let mut files = vec![own("plugins/baton.js", plugin(wanted), Ownership::Marked)];
        // The marker is in them so that nobody else's files are taken for ours and removed with it.
        let package = json!({ "description": MARKER, "dependencies": { "@opencode-ai/plugin": "*" } });
        let lock = json!({ "name": MARKER, "lockfileVersion": 3, "packages": { "": package } });
        files.push(own("package.json", json_edit::whole(&package), Ownership::Exact));
        files.push(own("package-lock.json", json_edit::whole(&lock), Ownership::Exact));
        files.push(own("node_modules/.baton", format!("{MARKER}\n"), Ownership::Exact));
        if places.project.is_some() {
            files.push(own(".gitignore", format!("# {MARKER}\n{GIT_IGNORE}"), Ownership::Exact));
        }
        Contents { files, shared: Vec::new() }
    }
}

fn plugin(wanted: &Wanted<'_>) -> String {
    let mut commands = Map::new();
    for command in COMMANDS.iter().filter(|_| wanted.package.has(Part::Commands)) {
        let text = json!({ "description": command.description, "template": command.prompt });
        commands.insert(format!("baton:{}", command.name), text);
    }
    PLUGIN
        .replace("__COMMAND__", &json!(wanted.command.words()).to_string())
        .replace("__OPTIONS__", &wanted.package.hook_options())
        .replace("__STRICT__", &json!(wanted.package.strict).to_string())
        .replace("__WAKES__", &json!(wanted.package.has(Part::Wake)).to_string())
        .replace("__SLASH_COMMANDS__", &Value::Object(commands).to_string())
}
