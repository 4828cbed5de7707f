//! Reads what `bd` prints. Its versions differ, so only what is needed is looked at.

use serde::Deserialize;
use serde_json::Value;

use super::Bead;

/// As much of a complaint as fits on a line.
const COMPLAINT_CHARS: usize = 200;

#[derive(Deserialize)]
struct Row {
    id: String,
    #[serde(default)]
    title: Option<String>,
    #[serde(default)]
    assignee: Option<String>,
    #[serde(default)]
    status: Option<String>,
}

/// The beads of a list that are in progress. The list is asked for filtered; that it is, is not taken for granted.
pub(super) fn in_progress(printed: &[u8]) -> Result<Vec<Bead>, String> {
    let answer: Value = serde_json::from_slice(printed).map_err(|error| format!("bd did not print JSON: {error}"))?;
    let rows = rows(answer).ok_or("bd printed JSON that is not a list of beads")?;
    // One that has no id could not be named, and one odd bead should not hide the others.
    let rows = rows.into_iter().filter_map(|row| serde_json::from_value::<Row>(row).ok());
    let in_progress = rows.filter(|row| row.status.as_deref() == Some("in_progress") && !row.id.is_empty());
    let bead = |row: Row| Bead {
        id: row.id,
        title: row.title.unwrap_or_default(),
        assignee: row.assignee.filter(|name| !name.trim().is_empty()),
    };
    Ok(in_progress.map(bead).collect())
}

/// A bare list (none is `null` to some), or one in an envelope, whose word for it has changed.
fn rows(answer: Value) -> Option<Vec<Value>> {
    match answer {
        Value::Null => Some(Vec::new()),
        Value::Array(rows) => Some(rows),
        Value::Object(mut envelope) => {
            ["data", "items", "issues"].into_iter().find_map(|key| envelope.remove(key)).and_then(rows)
        }
        Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
    }
}

/// Why it failed, in its own words: with `--json` perhaps as JSON, else the line that says so, else the first.
pub(super) fn complaint(message: &[u8]) -> Option<String> {
    let error =
        serde_json::from_slice::<Value>(message).ok().and_then(|said| said.get("error")?.as_str().map(str::to_owned));
    let text = String::from_utf8_lossy(message);
    let lines = || text.lines().map(str::trim).filter(|line| !line.is_empty());
    let said = lines().find_map(|line| line.strip_prefix("Error:")).or_else(|| lines().next()).map(str::to_owned);
    let said: String = error.or(said)?.trim().chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    Some(said.chars().take(COMPLAINT_CHARS).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(printed: &str) -> Result<Vec<String>, String> {
        in_progress(printed.as_bytes()).map(|beads| beads.into_iter().map(|bead| bead.id).collect())
    }

    #[test]
    fn a_list_is_read_bare_or_in_any_of_its_envelopes() {
        let row = r#"{"id": "bb-1", "status": "in_progress", "labels": [], "priority": 2}"#;
        for printed in [
            format!("[{row}]"),
            format!(r#"{{"schema_version": 1, "data": [{row}]}}"#),
            format!(r#"{{"schema_version": 1, "items": [{row}]}}"#),
            format!(r#"{{"schema_version": 2, "data": {{"issues": [{row}], "meta": {{}}}}}}"#),
        ] {
            assert_eq!(ids(&printed).unwrap(), ["bb-1"], "{printed}");
        }
        for printed in ["null", "[]", r#"{"items": null}"#] {
            assert_eq!(ids(printed).unwrap(), [""; 0], "{printed}");
        }
        for printed in ["3", r#"{"error": "x"}"#] {
            assert_eq!(ids(printed).unwrap_err(), "bd printed JSON that is not a list of beads");
        }
    }

    #[test]
    fn one_odd_bead_hides_no_other() {
        let printed = r#"[7, {"status": "in_progress"}, {"id": "", "status": "in_progress"}, {"id": "x"},
            {"id": "bb-2", "status": "in_progress", "title": null, "assignee": " "}]"#;
        let bead = Bead { id: "bb-2".to_owned(), title: String::new(), assignee: None };
        assert_eq!(in_progress(printed.as_bytes()).unwrap(), [bead]);
    }

    #[test]
    fn a_complaint_is_one_line() {
        assert_eq!(complaint(b"{\n\"error\": \"no\\ndatabase\"}\n").unwrap(), "no database");
        assert_eq!(
            complaint(b"note: hello\nError: no beads database found\nHint: x\n").unwrap(),
            "no beads database found"
        );
        assert_eq!(complaint(b"\n unknown flag: --readonly\n").unwrap(), "unknown flag: --readonly");
        assert_eq!(complaint(b" \n"), None);
    }
}
