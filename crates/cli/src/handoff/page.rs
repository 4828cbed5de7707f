//! The handoff as a page that a person edits: headings and plain lines. JSON is read too.

use baton_app::{Failure, table::parse};
use baton_core::{code::ErrorCode, handoff::Handoff};
use serde_json::Value;

use super::args::parse_artifact;
use crate::render;

const GUIDE: &str = "\
// What the next holder needs. Lines that begin with // are left out.
// Status and next action are required.
";

/// Writes a handoff as a page.
pub(super) fn write(handoff: &Handoff) -> String {
    let line = |artifact| format!("{}={}", render::artifact_place(artifact), render::artifact_role(artifact));
    let artifacts = handoff.artifacts.iter().map(line);
    let list = |items: &[String]| items.join("\n");
    let status = if handoff.status.is_empty() { Handoff::STATUS_TEMPLATE } else { &handoff.status };
    format!(
        "{GUIDE}\n# Status\n{status}\n\n# Next action\n{}\n\n# Artifacts\n// PATH[:FIRST-LAST][=ROLE], one a line\n{}\n\n# Open questions\n{}\n\n# Do not\n{}\n",
        handoff.next_action,
        artifacts.collect::<Vec<_>>().join("\n"),
        list(&handoff.open_questions),
        list(&handoff.do_not),
    )
}

/// Reads a page, or JSON.
pub(super) fn read(text: &str) -> Result<Handoff, Failure> {
    if text.trim_start().starts_with('{') {
        let given: Value = serde_json::from_str(text)
            .map_err(|error| Failure::new(ErrorCode::InvalidHandoff, format!("The handoff is no JSON: {error}.")))?;
        return parse(given).map_err(|failure| Failure { code: ErrorCode::InvalidHandoff, ..failure });
    }
    let section = |name: &str| section(text, name);
    let items = |name: &str| {
        let body = section(name);
        body.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect::<Vec<_>>()
    };
    Ok(Handoff {
        status: section("status"),
        next_action: section("next action"),
        artifacts: items("artifacts").iter().map(|line| parse_artifact(line)).collect::<Result<_, _>>()?,
        open_questions: items("open questions"),
        do_not: items("do not"),
        context_ref: None,
    })
}

/// What stands on a page under a heading, less the lines that only guide.
pub(crate) fn section(text: &str, name: &str) -> String {
    let heading = |line: &str| line.strip_prefix("# ").map(|title| title.trim().to_lowercase());
    let body = text
        .lines()
        .filter(|line| !line.starts_with("//"))
        .skip_while(|line| heading(line).as_deref() != Some(name))
        .skip(1)
        .take_while(|line| heading(line).is_none());
    body.collect::<Vec<_>>().join("\n").trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_reads_back_as_the_handoff_it_was_written_from() {
        let json = r#"{"status":"wrote the parser\nand its tests","next_action":"review","artifacts":[{"path":"src/a.rs","lines":[1,9],"role":"edit"}],"open_questions":["why?"],"do_not":["touch main"]}"#;
        let handoff = read(json).unwrap();
        assert_eq!(read(&write(&handoff)).unwrap(), handoff);
    }

    #[test]
    fn an_untouched_template_says_nothing() {
        let blank = read(r#"{"status":"","next_action":""}"#).unwrap();
        assert!(read(&write(&blank)).unwrap().check().is_err());
    }
}
