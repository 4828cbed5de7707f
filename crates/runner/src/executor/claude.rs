//! Claude Code: `claude -p`.
//!
//! The prompt is on standard input, events are JSON lines, and the answer is in the last of them. Claude holds the model
//! to the schema. It has no sandbox, so it has no shell either unless the user says so: a permission mode that accepts
//! edits also lets simple commands run, so the tool itself is taken away. Nor are the
//! repository's settings read, because they may name programs too (hooks, helpers); the user may say otherwise with
//! arguments of their own. For a job that only looks, the tools that change files are taken away too.

use std::{collections::BTreeMap, path::Path};

use baton_harness::Harness;
use serde_json::{Value, json};

use super::{
    Agent, Answer, Cause, Failed, Form, Plan, Reading, SCHEMA, Seen, Slice, ToolState,
    plan::Argv,
    seen::{command_line, detail, message},
};
use crate::process::{Exit, Line, StopSignal};

/// How many tools that are in use are known by name. There are never that many at once.
const TOOLS_MAX: usize = 256;
/// The tool by which it answers.
const ANSWERING: &str = "StructuredOutput";
/// The tool that runs programs: the second of [`SHELL_TOOLS`](baton_core::job::SHELL_TOOLS).
const SHELL: &str = baton_core::job::SHELL_TOOLS[1];
/// The tools that change files, or could.
const WRITING: &str = "Bash,Edit,Write,NotebookEdit";

pub(super) fn plan(bin: &Path, agent: &Agent, slice: &Slice) -> Plan {
    let choice = agent.profiles.chosen(slice.profile);
    let servers = slice.scratch.join("mcp.json");
    let mut allowed = vec!["mcp__baton"];
    let mut argv = Argv::of(bin)
        .add(["-p", "--output-format", "stream-json", "--verbose", "--permission-mode", mode(slice)])
        .add(["--setting-sources", "user"]);
    if slice.form == Form::Answer {
        argv = argv.add(["--json-schema", &one_line(SCHEMA)]);
    }
    argv = argv.add(["--mcp-config".as_ref(), servers.as_os_str(), "--strict-mcp-config".as_ref()]);
    if slice.read_only {
        argv = argv.add(["--disallowedTools", WRITING]);
    } else if agent.allow_bash {
        allowed.push(SHELL);
    } else {
        argv = argv.add(["--disallowedTools", SHELL]);
    }
    argv = argv.add(["--allowedTools", &allowed.join(",")]);
    if let Some(model) = slice.model.as_ref().or(choice.model.as_ref()) {
        argv = argv.add([format!("--model={model}")]);
    }
    if let Some(effort) = &choice.effort {
        argv = argv.add(["--effort", effort]);
    }
    if let Some(session) = &slice.resume {
        argv = argv.add(Harness::ClaudeCode.resume_arguments(session.as_str()));
    }
    Plan {
        argv: argv.add(&agent.args).done(),
        // In its environment, where the file names them: nothing secret is written down.
        env: slice
            .server
            .iter()
            .flat_map(|server| &server.env)
            .map(|(name, value)| (name.into(), value.into()))
            .collect(),
        files: vec![(servers, mcp_config(slice).to_string())],
        stop_signal: StopSignal::Interrupt,
    }
}

/// What it may do unasked. Nobody is there to ask, so what is not allowed is refused.
fn mode(slice: &Slice) -> &'static str {
    if slice.read_only { "default" } else { "acceptEdits" }
}

fn mcp_config(slice: &Slice) -> Value {
    let mut servers = json!({});
    if let Some(server) = &slice.server {
        let env: serde_json::Map<_, _> =
            server.env.iter().map(|(name, _)| (name.clone(), json!(format!("${{{name}}}")))).collect();
        servers["baton"] =
            json!({"type": "stdio", "command": server.command.to_string_lossy(), "args": server.args, "env": env});
    }
    json!({ "mcpServers": servers })
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Reads Claude's events.
#[derive(Debug)]
pub(super) struct Stream {
    form: Form,
    result: Option<Value>,
    /// The tools in use: what each was called with.
    tools: BTreeMap<String, (String, String)>,
    session: Option<String>,
    /// What is left of a conversation that was shortened; nothing yet, right after it was.
    notes: Option<String>,
    ignored: u64,
}

impl Stream {
    pub(super) fn new(slice: &Slice) -> Self {
        Self { form: slice.form, result: None, tools: BTreeMap::new(), session: None, notes: None, ignored: 0 }
    }

    fn event(&mut self, event: Value, see: &mut dyn FnMut(Seen)) -> Option<()> {
        match event["type"].as_str()? {
            "system" => self.system(&event, see)?,
            speaker @ ("assistant" | "user") => {
                let is_told = speaker == "user";
                // The first that it is told after it was shortened is what is left.
                if let (Some(notes), Some(text)) = (&mut self.notes, event["message"]["content"].as_str())
                    && notes.is_empty()
                {
                    *notes = text.to_owned();
                }
                for block in event["message"]["content"].as_array().into_iter().flatten() {
                    // What it is told on the way, as that it must answer, is no message of its own.
                    if !(is_told && block["type"] == "text") {
                        self.block(block, see);
                    }
                }
            }
            "result" => {
                see(usage(&event));
                self.result = Some(event);
            }
            _ => return None,
        }
        Some(())
    }

    fn system(&mut self, event: &Value, see: &mut dyn FnMut(Seen)) -> Option<()> {
        match event["subtype"].as_str()? {
            "init" => {
                let id = event["session_id"].as_str()?.to_owned();
                if self.session.as_ref() != Some(&id) {
                    self.session = Some(id.clone());
                    see(Seen::Session { id });
                }
            }
            "api_retry" => {
                let number = |key: &str| event[key].as_u64().unwrap_or_default();
                let (attempt, most, status) = (number("attempt"), number("max_retries"), number("error_status"));
                let said = event["error"].as_str().unwrap_or("no answer");
                let text = format!("{said} (status {status}); trying again, {attempt} of {most}");
                see(Seen::Retrying { message: message(&text) });
            }
            "compact_boundary" => self.notes = Some(String::new()),
            _ => return None,
        }
        Some(())
    }

    fn block(&mut self, block: &Value, see: &mut dyn FnMut(Seen)) -> Option<()> {
        let text = |key: &str| block[key].as_str();
        match text("type")? {
            "text" => see(Seen::Message { text: message(text("text")?) }),
            "tool_use" if text("name")? != ANSWERING => {
                let (name, with) = (tool_name(text("name")?), used_with(&block["input"]));
                let with = if name == SHELL { command_line(&with) } else { detail(&with) };
                if self.tools.len() < TOOLS_MAX {
                    self.tools.insert(text("id")?.to_owned(), (name.clone(), with.clone()));
                }
                see(Seen::Tool { name, detail: with, state: ToolState::Started });
            }
            "tool_result" => {
                let (name, with) = self.tools.remove(text("tool_use_id")?)?;
                let failed = block["is_error"].as_bool() == Some(true);
                let state = if failed { ToolState::Failed } else { ToolState::Done };
                see(Seen::Tool { name, detail: with, state });
            }
            _ => {}
        }
        Some(())
    }
}

impl Reading for Stream {
    fn line(&mut self, line: &Line, see: &mut dyn FnMut(Seen)) {
        let event = serde_json::from_str(&line.text).ok();
        if event.and_then(|event| self.event(event, see)).is_none() {
            self.ignored += 1;
        }
    }

    fn answer(&mut self, exit: &Exit) -> Result<Answer, Failed> {
        let Some(mut result) = self.result.take() else {
            let cause = Cause::of_complaint(exit.status, &exit.stderr.to_string());
            return Err(Failed::new(format!("claude gave no answer and {}", exit.status), exit, cause));
        };
        let said = result["result"].as_str().unwrap_or_default().to_owned();
        if result["is_error"].as_bool() == Some(true) {
            let kind = result["subtype"].as_str().unwrap_or("error").replace('_', " ");
            let why = if said.is_empty() { format!("claude gave up: {kind}") } else { message(&said) };
            let cause = match result["api_error_status"].as_u64() {
                Some(status) => Cause::of_status(status, &said),
                None => Cause::of_words(&said),
            };
            return Err(Failed::new(why, exit, cause));
        }
        if self.form == Form::Notes {
            let notes = self.notes.take().ok_or_else(|| Failed::misfit("claude did not shorten it", message(&said)))?;
            return Answer::read(self.form, &notes).map_err(|misfit| Failed::misfit(misfit, message(&said)));
        }
        let answer = match result["structured_output"].take() {
            Value::Null => Answer::read(self.form, &said),
            structured => Answer::of_json(structured),
        };
        answer.map_err(|misfit| Failed::misfit(misfit, message(&said)))
    }

    fn ignored_lines(&self) -> u64 {
        self.ignored
    }
}

/// `mcp__server__tool` as `server.tool`.
fn tool_name(name: &str) -> String {
    match name.strip_prefix("mcp__").and_then(|name| name.split_once("__")) {
        Some((server, tool)) => format!("{server}.{tool}"),
        None => name.to_owned(),
    }
}

/// What matters of a tool's input.
fn used_with(input: &Value) -> String {
    let telling = ["command", "file_path", "notebook_path", "pattern", "query", "url", "description"];
    match telling.iter().find_map(|key| input[key].as_str()) {
        Some(text) => text.to_owned(),
        None => input.to_string(),
    }
}

fn usage(result: &Value) -> Seen {
    let count = |key: &str| result["usage"][key].as_u64().unwrap_or_default();
    let cached_tokens = count("cache_read_input_tokens");
    Seen::Usage {
        input_tokens: count("input_tokens") + count("cache_creation_input_tokens") + cached_tokens,
        cached_tokens,
        output_tokens: count("output_tokens"),
        cost_usd: result["total_cost_usd"].as_f64(),
    }
}
