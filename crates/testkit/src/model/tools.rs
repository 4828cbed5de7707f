//! Which of the tools on offer a step means.

use serde_json::{Value, json};

use super::{
    step::Tool,
    talk::{Answer, Manner, Offered, Talk, each},
};

/// The tool that ends a run of `claude` that was started with a schema.
const STRUCTURED: &str = "StructuredOutput";
/// The tool that ends the turn of a sub-agent of `gemini`, which tells it to call again otherwise.
const COMPLETE: &str = "complete_task";
/// What comes back when code was to call a tool that there is not.
pub(super) const NO_TOOL: &str = "SCRIPTED MODEL: NO SUCH TOOL";
/// The tool with which `codex` has hidden tools found.
pub(super) const CODEX_SEARCH: &str = "tool_search";
/// How often a hidden tool is looked for, each time with other words.
const SEARCHES_MAX: usize = 3;

/// How a tool can be called.
#[derive(Debug)]
pub(super) enum Way {
    /// As it is, or by code.
    Call { tool: Offered, arguments: Value },
    /// After a search for it.
    Search { with: Offered, arguments: Value },
    /// Not at all.
    None,
}

impl Talk {
    /// How to call a tool, when it was searched for so many times already.
    pub(super) fn way_to(&self, tool: &Tool, arguments: Value, searches: usize) -> Way {
        let names = match tool {
            // As claude and codex have it, as gemini does, and as opencode does.
            Tool::OfBaton(name) => {
                vec![format!("mcp__baton__{name}"), format!("mcp_baton_{name}"), format!("baton_{name}")]
            }
            Tool::Own(name) => vec![name.clone()],
        };
        if let Some(offered) = self.offered.iter().find(|offered| names.contains(&offered.full)) {
            return Way::Call { tool: offered.clone(), arguments };
        }
        // Only claude and codex hide tools.
        let full = &names[0];
        let of = |manner| self.offered.iter().find(|offered| offered.manner == manner).cloned();
        if let Some(code) = of(Manner::Code) {
            return Way::Call { tool: code, arguments: json!(code_for(full, &arguments)) };
        }
        match of(Manner::Search) {
            Some(search) if searches < SEARCHES_MAX => {
                let arguments = words(&search, tool, full, searches);
                Way::Search { with: search, arguments }
            }
            _ => Way::None,
        }
    }

    /// How a text ends the turn: said, or by the tool with which a sub-agent of `gemini` must end.
    pub(super) fn ending(&self, id: String, text: String) -> Answer {
        match self.offered.iter().find(|offered| offered.full == COMPLETE) {
            Some(tool) => Answer::Call { id, tool: tool.clone(), arguments: json!({"result": {"response": text}}) },
            None => Answer::Say(text),
        }
    }

    /// The tool that takes the final answer, where there is one.
    pub(super) fn structured(&self) -> Option<Offered> {
        self.offered.iter().find(|offered| offered.full == STRUCTURED).cloned()
    }
}

/// A call as the JavaScript that `codex` has its newer models write.
fn code_for(full: &str, arguments: &Value) -> String {
    let head = json!({"yield_time_ms": 3_600_000, "max_output_tokens": 100_000});
    let (no_tool, full) = (json!(NO_TOOL), json!(full));
    format!(
        r#"// @exec: {head}
const names = ALL_TOOLS.map(tool => tool.name);
if (!names.includes({full})) {{ text({no_tool} + " " + {full} + "; there are " + names.join(" ")); exit(); }}
const result = await tools[{full}]({arguments});
if (typeof result === "string") text(result);
else if (result.structuredContent) text(JSON.stringify(result.structuredContent));
else if (result.content) text(result.content.map(part => part.text).join(""));
else text(JSON.stringify(result));
"#
    )
}

/// What is searched for. `claude` can be told the exact name; `codex` goes by words.
fn words(search: &Offered, tool: &Tool, full: &str, searches: usize) -> Value {
    let (Tool::OfBaton(name) | Tool::Own(name)) = tool;
    let query = match searches {
        0 if search.full != CODEX_SEARCH => format!("select:{full}"),
        0 | 1 => format!("baton {name}"),
        _ => name.clone(),
    };
    json!({"query": query})
}

/// Some value that fits a schema, for a side request that wants one.
pub(super) fn instance_of(schema: &Value) -> Value {
    if let Some(first) = schema["enum"].get(0) {
        return first.clone();
    }
    if let Some(value) = schema.get("const") {
        return value.clone();
    }
    let kind = schema["type"].as_str().or_else(|| schema["type"][0].as_str()).unwrap_or("object");
    // Gemini's own schemas shout.
    match kind.to_ascii_lowercase().as_str() {
        "object" => {
            let required = each(&schema["required"]).filter_map(Value::as_str);
            required.map(|name| (name.to_owned(), instance_of(&schema["properties"][name]))).collect()
        }
        "array" => json!([]),
        "string" => json!("ok"),
        "number" | "integer" => json!(1),
        "boolean" => json!(true),
        _ => Value::Null,
    }
}
