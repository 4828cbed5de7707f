//! Which of the tools on offer a step means.

use serde_json::{Value, json};

use super::{
    step::Tool,
    talk::{Offered, Talk},
};

/// The tool that ends a run of `claude` that was started with a schema.
const STRUCTURED: &str = "StructuredOutput";
/// How often a hidden tool is looked for, each time with other words.
const SEARCHES_MAX: usize = 3;

/// How a tool can be called.
#[derive(Debug)]
pub(super) enum Way {
    /// As it is.
    Straight(Offered),
    /// After a search for it.
    Search { with: Offered, arguments: Value },
    /// Not at all.
    None,
}

impl Talk {
    /// How to call a tool, when it was searched for so many times already.
    pub(super) fn way_to(&self, tool: &Tool, searches: usize) -> Way {
        let full = match tool {
            Tool::OfBaton(name) => format!("mcp__baton__{name}"),
            Tool::Own(name) => name.clone(),
        };
        if let Some(offered) = self.offered.iter().find(|offered| offered.full == full) {
            return Way::Straight(offered.clone());
        }
        match self.offered.iter().find(|offered| offered.searches) {
            Some(search) if searches < SEARCHES_MAX => {
                Way::Search { with: search.clone(), arguments: words(search, tool, &full, searches) }
            }
            _ => Way::None,
        }
    }

    /// The tool that takes the final answer, where there is one.
    pub(super) fn structured(&self) -> Option<Offered> {
        self.offered.iter().find(|offered| offered.full == STRUCTURED).cloned()
    }
}

/// What is searched for. `claude` can be told the exact name.
fn words(search: &Offered, tool: &Tool, full: &str, searches: usize) -> Value {
    let (Tool::OfBaton(name) | Tool::Own(name)) = tool;
    let query = match searches {
        0 if search.full == "tool_search" => full.to_owned(),
        0 => format!("select:{full}"),
        1 => format!("baton {name}"),
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
    match kind {
        "object" => {
            let required = super::talk::each(&schema["required"]).filter_map(Value::as_str);
            required.map(|name| (name.to_owned(), instance_of(&schema["properties"][name]))).collect()
        }
        "array" => json!([]),
        "string" => json!("ok"),
        "number" | "integer" => json!(1),
        "boolean" => json!(true),
        _ => Value::Null,
    }
}
