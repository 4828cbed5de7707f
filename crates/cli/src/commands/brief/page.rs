//! The brief as a page that a person edits: headings and plain lines. JSON is read too.

use baton_app::{Failure, table::parse};
use baton_core::{
    code::ErrorCode,
    context::{Brief, Mode},
};
use serde_json::Value;

use crate::{handoff::section, parse};

const GUIDE: &str = "\
// What this room is for. Lines that begin with // are left out; what is empty is cleared.
";

/// Writes a brief as a page.
pub(super) fn write(brief: &Brief) -> String {
    let one_line = |text: &String| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let done: Vec<String> = brief.definition_of_done.iter().map(one_line).collect();
    let constraints: Vec<String> =
        brief.constraints.iter().map(|(name, value)| format!("{name}={}", written(value))).collect();
    format!(
        "{GUIDE}\n# Goal\n{}\n\n# Definition of done\n// one a line\n{}\n\n# Mode\n// PLANNING or IMPLEMENTATION\n{}\n\n\
         # Documents\n// their directory, from the root of the workspace\n{}\n\n# Constraints\n// NAME=VALUE, one a line\n{}\n",
        brief.goal.as_deref().unwrap_or_default(),
        done.join("\n"),
        brief.global_mode.map_or("", Mode::as_str),
        brief.docs_root.as_deref().unwrap_or_default(),
        constraints.join("\n"),
    )
}

/// Reads a page, or JSON.
pub(super) fn read(text: &str) -> Result<Brief, Failure> {
    if text.trim_start().starts_with('{') {
        let given = serde_json::from_str(text).map_err(|error| wrong(&format!("The brief is no JSON: {error}.")))?;
        return parse(given);
    }
    let said = |name: &str| Some(section(text, name)).filter(|text| !text.is_empty());
    let lines = |name: &str| {
        let lines: Vec<String> = section(text, name).lines().map(|line| line.trim().to_owned()).collect();
        lines.into_iter().filter(|line| !line.is_empty())
    };
    let mode = |word: String| {
        Mode::named(&word.to_uppercase()).ok_or_else(|| wrong("The mode is PLANNING or IMPLEMENTATION."))
    };
    let constraint = |line: String| parse::note(&line).map_err(|why| wrong(&format!("Constraints: {why}.")));
    Ok(Brief {
        goal: said("goal"),
        definition_of_done: lines("definition of done").collect(),
        global_mode: said("mode").map(mode).transpose()?,
        docs_root: said("documents"),
        constraints: lines("constraints").map(constraint).collect::<Result<_, _>>()?,
    })
}

/// A value as it is read back: a text that would be read as something else is written as JSON.
fn written(value: &Value) -> String {
    match value {
        Value::String(text) if serde_json::from_str::<Value>(text).is_err() && !text.contains('\n') => text.clone(),
        other => other.to_string(),
    }
}

fn wrong(problem: &str) -> Failure {
    Failure::new(ErrorCode::InvalidInput, problem)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_page_reads_back_as_the_brief_it_was_written_from() {
        let brief: Brief = serde_json::from_value(json!({
            "goal": "Ship it,\n\nwell", "definition_of_done": ["tests pass", "docs say so"],
            "global_mode": "IMPLEMENTATION", "docs_root": "docs",
            "constraints": {"noNewDependencies": true, "api": "v1 stays", "word": "true", "list": [1, 2], "empty": ""},
        }))
        .unwrap();
        assert_eq!(read(&write(&brief)).unwrap(), brief);
        assert_eq!(read(&json!(brief).to_string()).unwrap(), brief);
        assert_eq!(read(&write(&Brief::default())).unwrap(), Brief::default());
        for wrong in ["# Mode\nresting\n", "# Constraints\nnone\n", "{"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
