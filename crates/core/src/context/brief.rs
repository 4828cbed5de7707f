//! The brief: what all work in a room is for, when it is done, and what limits it.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{handoff::blank_or_long, limits, words::words};

words! {
    /// What everybody in a room is at.
    Mode {
        /// Nothing is changed yet: what is to be done is found out and written down.
        Planning "PLANNING",
        /// It is done.
        Implementation "IMPLEMENTATION",
    }
}

/// What a room is for. A room without one has an empty one.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Brief {
    /// What is wanted.
    pub goal: Option<String>,
    /// By what it is known to be done.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub definition_of_done: Vec<String>,
    /// Whether it is being planned or done.
    pub global_mode: Option<Mode>,
    /// Where the documents are, from the root of the workspace.
    pub docs_root: Option<String>,
    /// What work must keep to, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub constraints: BTreeMap<String, Value>,
}

/// What is to be changed in a brief. What is left out stays, what is empty is cleared.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BriefChange {
    /// What is wanted; "" clears it
    pub goal: Option<String>,
    /// By what it is known to be done; [] clears it
    pub definition_of_done: Option<Vec<String>>,
    /// PLANNING or IMPLEMENTATION; "" clears it
    pub global_mode: Option<String>,
    /// Where the documents are, from the root of the workspace; "" clears it
    pub docs_root: Option<String>,
    /// Limits by name, added to those there are: null takes one out, {} all of them
    pub constraints: Option<BTreeMap<String, Value>>,
}

/// Why a brief is not accepted: the field, and what is wrong with it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{field} {problem}")]
pub struct InvalidBrief {
    /// Where.
    pub field: String,
    /// What.
    pub problem: String,
}

impl Brief {
    /// Whether it says nothing.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The directory of the documents, relative to the root of the workspace. `/docs` and `docs` are the same.
    pub fn docs_path(&self) -> Option<String> {
        self.docs_root.as_deref().map(|root| names(root).collect::<Vec<_>>().join("/"))
    }

    /// This brief with `change` made, if the result is one.
    pub fn changed(&self, change: &BriefChange) -> Result<Self, InvalidBrief> {
        let brief = Self {
            goal: said(change.goal.as_ref(), self.goal.as_ref()),
            definition_of_done: change
                .definition_of_done
                .as_deref()
                .map_or_else(|| self.definition_of_done.clone(), trimmed),
            global_mode: match change.global_mode.as_deref() {
                None => self.global_mode,
                Some("") => None,
                Some(word) => Some(mode(word)?),
            },
            docs_root: said(change.docs_root.as_ref(), self.docs_root.as_ref()),
            constraints: self.constrained(change.constraints.as_ref()),
        };
        brief.check()?;
        Ok(brief)
    }

    fn constrained(&self, change: Option<&BTreeMap<String, Value>>) -> BTreeMap<String, Value> {
        let Some(change) = change else { return self.constraints.clone() };
        if change.is_empty() {
            return BTreeMap::new();
        }
        let mut constraints = self.constraints.clone();
        constraints.extend(change.iter().map(|(name, value)| (name.trim().to_owned(), value.clone())));
        constraints.retain(|_, value| !value.is_null());
        constraints
    }

    /// Refuses a brief that says more than goes into a prompt, or has its documents outside the workspace.
    pub fn check(&self) -> Result<(), InvalidBrief> {
        if let Some(goal) = &self.goal {
            text("goal", goal, limits::BRIEF_TEXT_BYTES)?;
        }
        count("definition_of_done", self.definition_of_done.len())?;
        for (i, item) in self.definition_of_done.iter().enumerate() {
            text(&format!("definition_of_done[{i}]"), item, limits::BRIEF_ITEM_BYTES)?;
        }
        if let Some(root) = &self.docs_root {
            check_docs_root(root)?;
        }
        count("constraints", self.constraints.len())?;
        for (name, value) in &self.constraints {
            check_constraint(name, value)?;
        }
        match serde_json::to_string(self).map_or(usize::MAX, |json| json.len()) {
            total if total <= limits::BRIEF_BYTES => Ok(()),
            total => {
                let most = limits::BRIEF_BYTES;
                let problem = format!("and the rest come to {total} bytes; at most {most} fit: point to files instead");
                Err(invalid("goal", problem))
            }
        }
    }
}

fn check_docs_root(root: &str) -> Result<(), InvalidBrief> {
    text("docs_root", root, limits::DOCS_ROOT_BYTES)?;
    let problem = if root.chars().any(char::is_control) {
        "has a control character"
    } else if root.contains('\\') || names(root).any(|name| name == ".." || name.ends_with(':')) {
        "must stay inside the workspace: give a directory from its root, like docs, with / between names and without \"..\""
    } else {
        return Ok(());
    };
    Err(invalid("docs_root", problem.to_owned()))
}

fn check_constraint(name: &str, value: &Value) -> Result<(), InvalidBrief> {
    text("constraints", name, limits::CONSTRAINT_NAME_BYTES)
        .map_err(|wrong| invalid("constraints", format!("has a name that {}", wrong.problem)))?;
    if name.chars().any(char::is_control) {
        return Err(invalid("constraints", "has a name with a control character".to_owned()));
    }
    let bytes = value.to_string().len();
    if bytes > limits::BRIEF_ITEM_BYTES {
        let most = limits::BRIEF_ITEM_BYTES;
        let problem = format!("is {bytes} bytes long as JSON; at most {most} are accepted");
        return Err(invalid(format!("constraints.{name}"), problem));
    }
    Ok(())
}

/// The names in a path; empty ones and `.` mean nothing.
fn names(path: &str) -> impl Iterator<Item = &str> {
    path.split('/').filter(|name| !matches!(*name, "" | "."))
}

fn mode(word: &str) -> Result<Mode, InvalidBrief> {
    Mode::named(&word.trim().to_ascii_uppercase()).ok_or_else(|| {
        let shown: String = word.chars().take(limits::SHOWN_INPUT_CHARS).collect();
        invalid("global_mode", format!("must be PLANNING or IMPLEMENTATION, not {shown:?}"))
    })
}

/// What is said now, or was before. An empty text is nothing.
fn said(now: Option<&String>, before: Option<&String>) -> Option<String> {
    now.or(before).map(|text| text.trim().to_owned()).filter(|text| !text.is_empty())
}

fn trimmed(items: &[String]) -> Vec<String> {
    items.iter().map(|item| item.trim().to_owned()).collect()
}

fn text(field: &str, value: &str, most: usize) -> Result<(), InvalidBrief> {
    blank_or_long(value, most).map_or(Ok(()), |problem| Err(invalid(field, problem)))
}

fn count(field: &str, items: usize) -> Result<(), InvalidBrief> {
    if items > limits::BRIEF_ITEMS {
        return Err(invalid(field, format!("has {items} entries; at most {} are accepted", limits::BRIEF_ITEMS)));
    }
    Ok(())
}

fn invalid(field: impl Into<String>, problem: String) -> InvalidBrief {
    InvalidBrief { field: field.into(), problem }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn change(value: Value) -> BriefChange {
        serde_json::from_value(value).unwrap()
    }

    fn whole() -> Brief {
        let change = change(json!({
            "goal": " Implement feature X ", "definition_of_done": ["tests pass"], "global_mode": "implementation",
            "docs_root": "/docs", "constraints": { "noNewDependencies": true, "language": "rust" },
        }));
        Brief::default().changed(&change).unwrap()
    }

    fn refused(value: Value) -> String {
        Brief::default().changed(&change(value)).unwrap_err().to_string()
    }

    #[test]
    fn what_is_left_out_of_a_change_stays_and_what_is_empty_is_cleared() {
        let brief = whole();
        assert_eq!(brief.goal.as_deref(), Some("Implement feature X"));
        assert_eq!(brief.changed(&BriefChange::default()).unwrap(), brief);
        let cleared = change(
            json!({"goal": "", "definition_of_done": [], "global_mode": "", "docs_root": "", "constraints": {}}),
        );
        assert!(brief.changed(&cleared).unwrap().is_empty());
    }

    #[test]
    fn constraints_are_changed_one_by_one() {
        let next = whole().changed(&change(json!({"constraints": {"language": null, "budget": 3}}))).unwrap();
        assert_eq!(json!(next.constraints), json!({"budget": 3, "noNewDependencies": true}));
    }

    #[test]
    fn a_brief_that_is_wrong_is_refused_with_the_field() {
        let many = vec!["x"; limits::BRIEF_ITEMS + 1];
        insta::assert_snapshot!(
            [
                refused(json!({"goal": "\u{200b}"})),
                refused(json!({"goal": "x".repeat(5_000)})),
                refused(json!({"definition_of_done": ["fine", " "]})),
                refused(json!({"definition_of_done": many})),
                refused(json!({"global_mode": "resting"})),
                refused(json!({"constraints": {"": true}})),
                refused(json!({"constraints": {"a\nb": true}})),
                refused(json!({"constraints": {"notes": "x".repeat(2_000)}})),
                refused(json!({"definition_of_done": vec!["x".repeat(1_000); 20]})),
            ]
            .join("\n"),
            @r#"
        goal must be non-empty
        goal is 5000 bytes long; at most 4096 are accepted
        definition_of_done[1] must be non-empty
        definition_of_done has 33 entries; at most 32 are accepted
        global_mode must be PLANNING or IMPLEMENTATION, not "resting"
        constraints has a name that must be non-empty
        constraints has a name with a control character
        constraints.notes is 2002 bytes long as JSON; at most 1024 are accepted
        goal and the rest come to 20084 bytes; at most 12288 fit: point to files instead
        "#
        );
    }

    #[test]
    fn the_documents_stay_inside_the_workspace() {
        for outside in ["..", "../docs", "docs/../..", "/..", "docs\\..", "C:/docs", "c:", "a\u{0}b"] {
            assert!(refused(json!({"docs_root": outside})).starts_with("docs_root "), "{outside:?}");
        }
        for (inside, path) in [("/docs", "docs"), ("docs/", "docs"), ("./a//b", "a/b"), ("/", ""), ("..docs", "..docs")]
        {
            let brief = Brief::default().changed(&change(json!({"docs_root": inside}))).unwrap();
            assert_eq!(brief.docs_path().as_deref(), Some(path), "{inside:?}");
        }
    }

    #[test]
    fn a_brief_is_stored_without_what_is_empty_and_read_back() {
        assert_eq!(json!(Brief::default()), json!({}));
        assert_eq!(serde_json::from_value::<Brief>(json!(whole())).unwrap(), whole());
        assert_eq!(serde_json::from_value::<Brief>(json!({"later": 1})).unwrap(), Brief::default());
    }
}
