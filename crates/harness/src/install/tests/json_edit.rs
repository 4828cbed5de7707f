//! Insertions into arbitrary JSON, and their removal.

use jsonc_parser::ParseOptions;
use proptest::prelude::*;
use serde_json::json;

use super::super::json_edit::{Item, Step, insert, remove, value_of};

/// JSON as people write it: any layout, with comments.
fn document() -> impl Strategy<Value = String> {
    let blank = prop_oneof![
        Just(""),
        Just(" "),
        Just("\n"),
        Just("\n  "),
        Just("\r\n\t"),
        Just(" // a, b\n"),
        Just(" /* { */ "),
        Just("\n\n")
    ];
    let leaf = prop_oneof![
        Just("1".to_owned()),
        Just("\"a,}\\\"\"".to_owned()),
        Just("null".to_owned()),
        Just("[]".to_owned()),
        Just("{}".to_owned())
    ];
    let value = leaf.prop_recursive(3, 24, 4, {
        let blank = blank.clone();
        move |inner| {
            let items = prop::collection::vec((blank.clone(), inner, blank.clone()), 0..4);
            let kind = prop_oneof![Just(None), Just(Some(["a", "b", "hooks", "mcp"]))];
            (kind, items, blank.clone(), any::<bool>())
                .prop_map(|(keys, items, end, trailing)| container(keys, &items, end, trailing))
        }
    });
    let members = prop::collection::vec((blank.clone(), value, blank.clone()), 0..4);
    let root = (members, blank.clone(), any::<bool>())
        .prop_map(|(items, end, trailing)| container(Some(["x", "mcp", "hooks", "y"]), &items, end, trailing));
    (blank.clone(), root, blank).prop_map(|(before, root, after)| format!("{before}{root}{after}"))
}

fn container(keys: Option<[&str; 4]>, items: &[(&str, String, &str)], end: &str, trailing: bool) -> String {
    let item = |(index, (before, value, after)): (usize, &(&str, String, &str))| match keys {
        Some(keys) => format!("{before}\"{}\":{before}{value}{after}", keys[index]),
        None => format!("{before}{value}{after}"),
    };
    let inside = items.iter().enumerate().map(item).collect::<Vec<_>>().join(",");
    let comma = if trailing && !items.is_empty() { "," } else { "" };
    let (open, close) = if keys.is_some() { ('{', '}') } else { ('[', ']') };
    format!("{open}{inside}{comma}{end}{close}")
}

fn options() -> ParseOptions {
    ParseOptions { allow_comments: true, allow_trailing_commas: true, ..ParseOptions::default() }
}

fn shape_fits(text: &str) -> bool {
    let value = value_of(text, &options()).unwrap();
    value.is_none_or(|value| {
        let hooks =
            value.get("hooks").is_none_or(|hooks| hooks.is_object() && hooks.get("a").is_none_or(|a| a.is_array()));
        hooks && value.get("mcp").is_none_or(serde_json::Value::is_object)
    })
}

proptest! {
    #[test]
    fn what_is_inserted_into_any_document_comes_out_again_to_the_byte(text in document(), last_first in any::<bool>()) {
        prop_assume!(shape_fits(&text));
        let entry = Item { path: &["mcp"], key: Some("baton"), value: json!({"command": "/b", "args": ["mcp"]}), is_marked: false };
        let group = Item { path: &["hooks", "a"], key: None, value: json!({"hooks": [{"command": "/b hook"}]}), is_marked: false };
        let flag = Item { path: &["tools"], key: Some("on"), value: json!(true), is_marked: true };
        let mut now = text.clone();
        for item in [&entry, &group, &flag] {
            now = insert(Some(&now), item, &options()).unwrap();
        }
        let value = value_of(&now, &options()).unwrap().unwrap();
        prop_assert_eq!(&value["mcp"]["baton"]["command"], "/b", "{}", now);
        let index = value["hooks"]["a"].as_array().unwrap().len() - 1;
        prop_assert_eq!(&value["hooks"]["a"][index]["hooks"][0]["command"], "/b hook");
        let mut paths = vec![vec!["mcp".into(), "baton".into()], vec!["hooks".into(), "a".into(), Step::Index(index)], vec!["tools".into(), "on".into()]];
        if last_first { paths.reverse(); }
        let mut back = Some(now.clone());
        for path in &paths {
            back = remove(&back.unwrap(), path, &options()).unwrap();
        }
        prop_assert_eq!(back.as_deref(), Some(text.as_str()), "{}", now);
    }
}

#[test]
fn a_file_that_was_made_for_an_item_goes_with_it() {
    let item = Item { path: &["mcp"], key: Some("baton"), value: json!(1), is_marked: false };
    let made = insert(None, &item, &options()).unwrap();
    assert_eq!(made, "{\n  \"mcp\": {\n    \"baton\": 1\n  }\n}\n");
    assert_eq!(remove(&made, &["mcp".into(), "baton".into()], &options()).unwrap(), None);
}

#[test]
fn a_file_that_was_there_stays_however_little_was_in_it() {
    let item = Item { path: &["mcp"], key: Some("baton"), value: json!(1), is_marked: false };
    for text in ["", "\n", "{}", "{ }", "{\n}", "// mine", "{\"mcp\":{}}", "{\n  \"mcp\": {}\n}\n"] {
        let there = insert(Some(text), &item, &options()).unwrap();
        let back = remove(&there, &["mcp".into(), "baton".into()], &options()).unwrap();
        assert_eq!(back.as_deref(), Some(text), "{there}");
    }
}
