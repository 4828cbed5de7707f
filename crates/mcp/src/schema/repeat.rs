//! What one tool has described in full, the next only points to.

use serde_json::{Map, Value, json};

/// The objects that were described so far, and by which tool.
#[derive(Default)]
pub(crate) struct Repeats {
    described: Vec<(&'static str, String, Value)>,
}

impl Repeats {
    /// Shortens what an earlier tool takes too: of such an argument only the required fields are named again.
    pub(crate) fn abridge(&mut self, tool: &'static str, schema: &mut Map<String, Value>) {
        let Some(Value::Object(arguments)) = schema.get_mut("properties") else { return };
        for (name, argument) in arguments.iter_mut().filter(|(_, argument)| argument.get("properties").is_some()) {
            match self.described.iter().find(|(_, known, schema)| known == name && schema == argument) {
                Some((earlier, ..)) => *argument = pointer(earlier, argument),
                None => self.described.push((tool, name.clone(), argument.clone())),
            }
        }
    }
}

fn pointer(earlier: &str, argument: &Value) -> Value {
    let required: Vec<&str> = argument["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    json!({"type": "object", "description": format!("As in {earlier}: {{{}, …}}", required.join(", "))})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_tool_with_the_same_argument_points_to_the_first() {
        let handoff = json!({
            "type": "object",
            "properties": {"status": {"type": "string", "description": "What I did"}, "do_not": {"type": "array"}},
            "required": ["status"]
        });
        let mut schema =
            Map::from_iter([("properties".to_owned(), json!({"handoff": handoff, "to": {"type": "string"}}))]);
        let mut repeats = Repeats::default();
        repeats.abridge("release_stick", &mut schema);
        assert_eq!(schema["properties"]["handoff"], handoff);
        repeats.abridge("pass_stick", &mut schema);
        let pointer = json!({"type": "object", "description": "As in release_stick: {status, …}"});
        assert_eq!(schema["properties"], json!({"handoff": pointer, "to": {"type": "string"}}));
    }
}
