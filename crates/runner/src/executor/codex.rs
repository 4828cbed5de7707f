//! Codex: `codex exec`.
//!
//! The prompt is on standard input, events are JSON lines, and the last message is also written to a file. Codex does
//! not hold the model to the schema. It has a sandbox of its own: commands may write below the working directory only, and
//! nowhere for a job that only looks.
//!
//! A project that Codex trusts may name programs (MCP servers, hooks) and rules by which commands leave the sandbox, and
//! `codex exec` trusts a project that it does not know, for good, in the user's own configuration. So every directory by
//! which it could know this one is said to be untrusted: it then reads none of them, and writes nothing.

use std::{
    fs::File,
    io::Read,
    path::{Path, PathBuf},
};

use baton_app::{environment::Environment, paths::known_by};
use baton_harness::Harness;
use serde_json::Value;
use toml_edit::{Array, Document, InlineTable, Value as Toml};

use super::{
    Agent, Answer, Cause, Choice, Failed, Form, Plan, Reading, SCHEMA, Seen, Slice, ToolState, VariableName,
    plan::Argv,
    seen::{command_line, detail, message},
};
use crate::process::{Exit, LINE_BYTES, Line, StopSignal};

/// A wait for a turn or an answer may be long, and Codex's own limit is not.
const TOOL_SECONDS: i64 = 600;
/// The name by which its commands are told: the first of [`SHELL_TOOLS`](baton_core::job::SHELL_TOOLS).
const SHELL: &str = baton_core::job::SHELL_TOOLS[0];
/// More than anybody configures.
const CONFIG_BYTES: u64 = 1024 * 1024;

pub(super) fn plan(bin: &Path, agent: &Agent, slice: &Slice) -> Plan {
    let schema = slice.scratch.join("answer.schema.json");
    let choice = agent.profiles.chosen(slice.profile);
    let mut argv = Argv::of(bin)
        .add(["exec", "--json", "--skip-git-repo-check", "--sandbox", sandbox(slice)])
        .add(set("approval_policy", "never".into()))
        // As a table: with dots in the key Codex writes to the user's configuration all the same.
        .add(set("projects", untrusted(&slice.cwd)));
    let mut files = Vec::new();
    if slice.form == Form::Answer {
        argv = argv.add(["--output-schema".as_ref(), schema.as_os_str()]);
        files.push((schema, SCHEMA.to_owned()));
    }
    argv = argv.add(["--output-last-message".as_ref(), last_message(slice).as_os_str()]);
    if let Some(model) = slice.model.as_ref().or(choice.model.as_ref()) {
        argv = argv.add([format!("--model={model}")]);
    }
    if let Choice { effort: Some(effort), .. } = &choice {
        argv = argv.add(set("model_reasoning_effort", effort.into()));
    }
    let mut env = Vec::new();
    if let Some(server) = &slice.server {
        let names: Array = server.env.iter().map(|(name, _)| name.as_str()).collect();
        let args: Array = server.args.iter().map(String::as_str).collect();
        argv = argv
            .add(set("mcp_servers.baton.command", server.command.to_string_lossy().as_ref().into()))
            .add(set("mcp_servers.baton.args", Toml::Array(args)))
            // By name: Codex passes their values on, and nobody reads them in the list of processes.
            .add(set("mcp_servers.baton.env_vars", Toml::Array(names)))
            .add(set("mcp_servers.baton.tool_timeout_sec", TOOL_SECONDS.into()))
            .add(set("mcp_servers.baton.required", true.into()));
        env.extend(server.env.iter().map(|(name, value)| (name.into(), value.into())));
    }
    argv = argv.add(&agent.args);
    if let Some(session) = &slice.resume {
        argv = argv.add(Harness::Codex.resume_arguments(session.as_str()));
    }
    Plan { argv: argv.add(["-"]).done(), env, files, stop_signal: StopSignal::Terminate }
}

/// What commands may do: write below the working directory, or only read.
fn sandbox(slice: &Slice) -> &'static str {
    if slice.read_only { "read-only" } else { "workspace-write" }
}

/// Every directory by which Codex could know `cwd`, untrusted: it looks at the directory itself, at those above it up to
/// the top of the working tree, and at the main one of a linked worktree.
fn untrusted(cwd: &Path) -> Toml {
    let level = InlineTable::from_iter([("trust_level", "untrusted")]);
    let directories = known_by(cwd).into_iter().map(|path| (path.to_string_lossy().into_owned(), level.clone()));
    Toml::InlineTable(directories.collect())
}

/// The variables that the user's own configuration of Codex names for the login at a model's provider.
pub(super) fn provider_variables(environment: &Environment) -> Vec<VariableName> {
    provider_names(environment).unwrap_or_default().iter().filter_map(|name| VariableName::parse(name)).collect()
}

fn provider_names(environment: &Environment) -> Option<Vec<String>> {
    let home =
        environment.var_os("CODEX_HOME").map(PathBuf::from).or_else(|| Some(environment.home()?.join(".codex")))?;
    let mut text = String::new();
    File::open(home.join("config.toml")).ok()?.take(CONFIG_BYTES).read_to_string(&mut text).ok()?;
    let document: Document<_> = text.parse().ok()?;
    let mut names = Vec::new();
    if document.get("model_provider").and_then(|name| name.as_str()).is_some_and(|name| name.contains("bedrock")) {
        names.push("AWS_*".to_owned());
    }
    let providers = document.get("model_providers").and_then(|item| item.as_table_like());
    for provider in providers.into_iter().flat_map(|table| table.iter()).filter_map(|(_, item)| item.as_table_like()) {
        let headers = provider.get("env_http_headers").and_then(|item| item.as_table_like());
        let headers = headers.into_iter().flat_map(|table| table.iter()).map(|(_, item)| item);
        let named = provider.get("env_key").into_iter().chain(headers);
        // A whole name, never the beginning of many.
        names.extend(named.filter_map(|item| item.as_str()).filter(|name| !name.ends_with('*')).map(str::to_owned));
    }
    Some(names)
}

/// A setting, as Codex takes them on its command line: in TOML.
fn set(key: &str, value: Toml) -> [String; 2] {
    ["--config".to_owned(), format!("{key}={}", value.to_string().trim())]
}

fn last_message(slice: &Slice) -> PathBuf {
    slice.scratch.join("last-message.txt")
}

/// Reads Codex's events.
#[derive(Debug)]
pub(super) struct Stream {
    form: Form,
    last_message: PathBuf,
    said: Option<String>,
    failed: Option<String>,
    problem: Option<String>,
    ignored: u64,
}

impl Stream {
    pub(super) fn new(slice: &Slice) -> Self {
        Self {
            form: slice.form,
            last_message: last_message(slice),
            said: None,
            failed: None,
            problem: None,
            ignored: 0,
        }
    }

    fn event(&mut self, event: &Value, see: &mut dyn FnMut(Seen)) -> Option<()> {
        match event["type"].as_str()? {
            "thread.started" => see(Seen::Session { id: event["thread_id"].as_str()?.to_owned() }),
            "turn.started" => self.failed = None,
            "turn.completed" => see(usage(&event["usage"])),
            "turn.failed" => self.failed = Some(message(event["error"]["message"].as_str()?)),
            "error" => {
                let message = message(event["message"].as_str()?);
                see(if message.starts_with("Reconnecting") {
                    Seen::Retrying { message }
                } else {
                    self.problem = Some(message.clone());
                    Seen::Problem { message }
                });
            }
            "item.started" => self.item(&event["item"], Some(ToolState::Started), see)?,
            "item.completed" => self.item(&event["item"], None, see)?,
            "item.updated" => {}
            _ => return None,
        }
        Some(())
    }

    fn item(&mut self, item: &Value, state: Option<ToolState>, see: &mut dyn FnMut(Seen)) -> Option<()> {
        let has_failed = item["exit_code"].as_i64().is_some_and(|code| code != 0);
        let state = state.unwrap_or(match item["status"].as_str() {
            Some("failed" | "declined") => ToolState::Failed,
            _ if has_failed => ToolState::Failed,
            Some(_) | None => ToolState::Done,
        });
        let text = |key: &str| item[key].as_str();
        let (name, with) = match text("type")? {
            "agent_message" => {
                let text = text("text")?;
                self.said = Some(text.to_owned());
                // The answer is no message; it is looked at in the end.
                if self.form != Form::Answer || Answer::parse(text).is_err() {
                    see(Seen::Message { text: message(text) });
                }
                return Some(());
            }
            "error" => {
                see(Seen::Problem { message: message(text("message")?) });
                return Some(());
            }
            "reasoning" | "todo_list" => return Some(()),
            "mcp_tool_call" => (format!("{}.{}", text("server")?, text("tool")?), item["arguments"].to_string()),
            "command_execution" => {
                // A command line, or the program with its arguments.
                let line = text("command").map_or_else(|| item["command"].to_string(), str::to_owned);
                see(Seen::Tool { name: SHELL.to_owned(), detail: command_line(&line), state });
                return Some(());
            }
            "file_change" => ("edit".to_owned(), changed(&item["changes"])),
            "web_search" => ("web_search".to_owned(), text("query").unwrap_or_default().to_owned()),
            _ => return None,
        };
        see(Seen::Tool { name, detail: detail(&with), state });
        Some(())
    }
}

impl Reading for Stream {
    fn line(&mut self, line: &Line, see: &mut dyn FnMut(Seen)) {
        let event = serde_json::from_str(&line.text).ok();
        if event.and_then(|event| self.event(&event, see)).is_none() {
            self.ignored += 1;
        }
    }

    fn answer(&mut self, exit: &Exit) -> Result<Answer, Failed> {
        let why = self.failed.take().or_else(|| self.problem.take().filter(|_| !exit.status.is_success()));
        if let Some(why) = why {
            return Err(Failed::new(format!("codex gave up: {why}"), exit, Cause::of_words(&why)));
        }
        if !exit.status.is_success() {
            let cause = Cause::of_complaint(exit.status, &exit.stderr.to_string());
            return Err(Failed::new(format!("codex {}", exit.status), exit, cause));
        }
        // The file has it whole, also where a line of the stream was cut.
        match read(&self.last_message).or_else(|| self.said.take()) {
            Some(text) if !text.trim().is_empty() => {
                Answer::read(self.form, &text).map_err(|misfit| Failed::misfit(misfit, message(&text)))
            }
            Some(_) | None => Err(Failed::new("codex gave no answer", exit, Cause::Job)),
        }
    }

    fn ignored_lines(&self) -> u64 {
        self.ignored
    }
}

fn read(path: &Path) -> Option<String> {
    let mut text = String::new();
    File::open(path).ok()?.take(LINE_BYTES as u64).read_to_string(&mut text).ok()?;
    Some(text)
}

fn changed(changes: &Value) -> String {
    let paths = changes.as_array().into_iter().flatten().filter_map(|change| change["path"].as_str());
    paths.collect::<Vec<_>>().join(", ")
}

fn usage(usage: &Value) -> Seen {
    let count = |key: &str| usage[key].as_u64().unwrap_or_default();
    Seen::Usage {
        input_tokens: count("input_tokens"),
        cached_tokens: count("cached_input_tokens"),
        output_tokens: count("output_tokens"),
        cost_usd: None,
    }
}
