//! Insertions into JSON text that can be taken back to the byte.
//!
//! An insertion is one piece of text (and a comma after the item before it); everything around it stays. No record is
//! kept: the white space before the first item of a container tells where the container came from. A container that
//! Baton made begins with a line break, one that was there and empty has the item right after its bracket, and a
//! whole value in a file without one begins with a space. A program that rewrites the file loses that, and nothing
//! else.

use jsonc_parser::{
    CollectOptions, ParseOptions,
    ast::{ObjectProp, Value as Node},
    common::Ranged,
    cst::CstRootNode,
    errors::ParseError,
    parse_to_ast,
};
use serde_json::Value;

/// A comment that makes a value ours which nothing else tells from the person's own.
pub(crate) const MARK: &str = " /* managed-by: baton */";

/// A step on the way to an item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    Key(String),
    Index(usize),
}

impl From<&str> for Step {
    fn from(key: &str) -> Self {
        Self::Key(key.to_owned())
    }
}

/// An item to be inserted: a member of an object, or an element at the end of a list.
pub(crate) struct Item<'a> {
    /// The keys that lead to its container, which is made if it is missing.
    pub(crate) path: &'a [&'a str],
    /// The key in an object; none in a list.
    pub(crate) key: Option<&'a str>,
    pub(crate) value: Value,
    /// Whether it carries [`MARK`].
    pub(crate) is_marked: bool,
}

/// The text with the item in it; `None` is a file that does not exist.
pub(crate) fn insert(text: Option<&str>, item: &Item<'_>, options: &ParseOptions) -> Result<String, ParseError> {
    let Some(content) = text else {
        return Ok(format!("{}\n", item.marked(Style::NEW.render(&item.wrapped(0), ""))));
    };
    let style = Style::of(content);
    let parsed = parse_to_ast(content, &CollectOptions::default(), options)?;
    let Some(root) = parsed.value else {
        let whole = item.marked(style.render(&item.wrapped(0), ""));
        return Ok(format!("{{ {}{content}", whole[1..].trim_start()));
    };
    let (mut container, mut depth) = (&root, 0);
    while let Some(next) = item.path.get(depth).and_then(|key| member(container, key)) {
        (container, depth) = (next, depth + 1);
    }
    let (key, value) = match item.path.get(depth) {
        Some(key) => (Some(*key), item.wrapped(depth + 1)),
        None => (item.key, item.value.clone()),
    };
    Ok(style.insert_into(content, container, key, &value, item))
}

impl Item<'_> {
    /// The rendered item, or container of it, with the mark after its value. Only plain values are marked.
    fn marked(&self, rendered: String) -> String {
        let Some(key) = self.key.filter(|_| self.is_marked) else { return rendered };
        let member = format!("{}: {}", Value::from(key), self.value);
        rendered.replacen(&member, &format!("{member}{MARK}"), 1)
    }

    /// The value below the first `depth` keys of the path.
    fn wrapped(&self, depth: usize) -> Value {
        let innermost = match self.key {
            Some(key) => Value::Object([(key.to_owned(), self.value.clone())].into_iter().collect()),
            None => Value::Array(vec![self.value.clone()]),
        };
        let keys = self.path.get(depth..).unwrap_or_default().iter().rev();
        keys.fold(innermost, |value, key| Value::Object([((*key).to_owned(), value)].into_iter().collect()))
    }
}

/// The text without the item at `path`; `None` if the file was made for it and has nothing else in it.
pub(crate) fn remove(text: &str, path: &[Step], options: &ParseOptions) -> Result<Option<String>, ParseError> {
    let parsed = parse_to_ast(text, &CollectOptions::default(), options)?;
    let Some(root) = parsed.value else { return Ok(Some(text.to_owned())) };
    let mut containers = vec![&root];
    for step in path.iter().take(path.len().saturating_sub(1)) {
        let Some(next) = containers.last().and_then(|container| child(container, step)) else {
            return Ok(Some(text.to_owned()));
        };
        containers.push(next);
    }
    for (container, step) in containers.iter().zip(path).rev() {
        let items = ranges(container);
        let Some(index) = position(container, step).filter(|index| *index < items.len()) else {
            return Ok(Some(text.to_owned()));
        };
        let open = container.range().start + 1;
        let is_ours =
            items.len() == 1 && is_line_break(text[open..].chars().next()) && text[open..items[0].0].trim().is_empty();
        if !is_ours || has_comment(text, items[0].1, container.range().end - 1) {
            return Ok(Some(without(text, container, &items, index)));
        }
    }
    let range = root.range();
    let is_whole = range.start == 0 && matches!(&text[range.end..], "" | "\n" | "\r\n");
    Ok((!is_whole).then(|| format!("{}{{}}{}", &text[..range.start], &text[range.end..])))
}

fn without(text: &str, container: &Node<'_>, items: &[(usize, usize)], index: usize) -> String {
    let (start, end) = items[index];
    let end = if text[end..].starts_with(MARK) { end + MARK.len() } else { end };
    let comma_after = Some(skip_blank(text, end)).filter(|at| text[*at..].starts_with(','));
    let open = container.range().start + 1;
    if items.len() == 1 {
        if &text[open..start] == " " && container.range().start == 0 && comma_after.is_none() {
            return text[container.range().end..].to_owned();
        }
        return cut(text, &[(start, comma_after.map_or(end, |at| at + 1))]);
    }
    if index == 0 {
        let next = items[1].0;
        let comma = comma_after.unwrap_or(end);
        let is_plain = text.get(comma + 1..next).is_some_and(|between| between.trim().is_empty());
        return cut(text, &[(start, if is_plain { next } else { comma + 1 })]);
    }
    let line = text[..start].trim_end_matches([' ', '\t']);
    let line = line.strip_suffix('\n').map_or(line, |line| line.strip_suffix('\r').unwrap_or(line));
    match comma_after {
        Some(at) => cut(text, &[(line.len(), at + 1)]),
        None => {
            let comma = skip_blank(text, items[index - 1].1);
            cut(text, &[(comma, comma + 1), (line.len().max(comma + 1), end)])
        }
    }
}

fn cut(text: &str, ranges: &[(usize, usize)]) -> String {
    let mut kept = text.to_owned();
    for (start, end) in ranges.iter().rev() {
        kept.replace_range(start..end, "");
    }
    kept
}

/// How a text is laid out.
struct Style {
    unit: String,
    line_end: &'static str,
}

impl Style {
    const NEW: Self = Self { unit: String::new(), line_end: "\n" };

    fn of(text: &str) -> Self {
        let indented = text.lines().find(|line| line.starts_with([' ', '\t']) && !line.trim().is_empty());
        let unit = indented.map(|line| line[..line.len() - line.trim_start().len()].to_owned()).unwrap_or_default();
        Self { unit, line_end: if text.contains("\r\n") { "\r\n" } else { "\n" } }
    }

    fn unit(&self) -> &str {
        if self.unit.is_empty() { "  " } else { &self.unit }
    }

    fn insert_into(
        &self,
        text: &str,
        container: &Node<'_>,
        key: Option<&str>,
        value: &Value,
        item: &Item<'_>,
    ) -> String {
        let items = ranges(container);
        let open = container.range().start + 1;
        let written = |indent: &str| {
            let key = key.map(|key| format!("{}: ", Value::from(key))).unwrap_or_default();
            item.marked(format!("{key}{}", self.render(value, indent)))
        };
        let (Some((first, _)), Some((_, last))) = (items.first(), items.last()) else {
            return spliced(text, &[(open, written(line_indent(text, open)))]);
        };
        let comma = Some(skip_blank(text, *last)).filter(|at| text[*at..].starts_with(','));
        let has_lines = text[open..*first].contains('\n');
        if !has_lines {
            let item = written(line_indent(text, open));
            return match comma {
                Some(at) => spliced(text, &[(at + 1, format!(" {item},"))]),
                None => spliced(text, &[(*last, format!(", {item}"))]),
            };
        }
        let indent = line_indent(text, *first);
        let item = format!("{}{indent}{}", self.line_end, written(indent));
        match comma {
            Some(at) => spliced(text, &[(after_line_comment(text, at + 1), format!("{item},"))]),
            None => spliced(text, &[(*last, ",".to_owned()), (after_line_comment(text, *last), item)]),
        }
    }

    /// Objects over several lines, as every container that Baton makes; lists of plain values on one.
    fn render(&self, value: &Value, indent: &str) -> String {
        let deeper = format!("{indent}{}", self.unit());
        let lines = |open: char, items: Vec<String>, close: char| {
            let separator = format!(",{}{deeper}", self.line_end);
            format!("{open}{0}{deeper}{1}{0}{indent}{close}", self.line_end, items.join(&separator))
        };
        match value {
            Value::Object(map) if !map.is_empty() => {
                let member = |(key, value): (&String, &Value)| {
                    format!("{}: {}", Value::from(key.as_str()), self.render(value, &deeper))
                };
                lines('{', map.iter().map(member).collect(), '}')
            }
            Value::Array(list) if list.iter().any(|item| item.is_object() || item.is_array()) => {
                lines('[', list.iter().map(|item| self.render(item, &deeper)).collect(), ']')
            }
            Value::Array(list) => {
                format!("[{}]", list.iter().map(Value::to_string).collect::<Vec<_>>().join(", "))
            }
            other => other.to_string(),
        }
    }
}

/// The value that a text stands for; none if there is nothing but comments in it.
pub(crate) fn value_of(text: &str, options: &ParseOptions) -> Result<Option<Value>, ParseError> {
    Ok(CstRootNode::parse(text, options)?.value().and_then(|value| value.to_serde_value()))
}

/// The text of a new file with this value.
pub(crate) fn whole(value: &Value) -> String {
    format!("{}\n", Style::NEW.render(value, ""))
}

fn spliced(text: &str, insertions: &[(usize, String)]) -> String {
    let mut result = text.to_owned();
    for (at, piece) in insertions.iter().rev() {
        result.insert_str(*at, piece);
    }
    result
}

fn line_indent(text: &str, at: usize) -> &str {
    let start = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    let line = &text[start..at];
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

/// The end of comments that stand behind an item on its line.
fn after_line_comment(text: &str, at: usize) -> usize {
    let mut end = at;
    loop {
        let rest = &text[end..];
        let comment = rest.trim_start_matches([' ', '\t']);
        let blank = rest.len() - comment.len();
        if comment.starts_with("//") {
            let line = comment.find('\n').unwrap_or(comment.len());
            let line = comment[..line].trim_end_matches('\r').len();
            return end + blank + line;
        }
        match comment.strip_prefix("/*").and_then(|inside| inside.find("*/")) {
            Some(length) if !comment[..length].contains('\n') => end += blank + length + 4,
            _ => return end,
        }
    }
}

/// The next place that is neither white space nor in a comment.
fn skip_blank(text: &str, at: usize) -> usize {
    let mut at = at;
    loop {
        let rest = text[at..].trim_start();
        at = text.len() - rest.len();
        let comment = match rest.get(..2) {
            Some("//") => rest.find('\n'),
            Some("/*") => rest.find("*/").map(|end| end + 2),
            _ => return at,
        };
        let Some(length) = comment else { return text.len() };
        at += length;
    }
}

fn has_comment(text: &str, from: usize, to: usize) -> bool {
    let from = if text[from..].starts_with(MARK) { from + MARK.len() } else { from };
    text.get(from..to).is_some_and(|between| between.contains('/'))
}

fn is_line_break(first: Option<char>) -> bool {
    matches!(first, Some('\n' | '\r'))
}

fn member<'a, 'b>(container: &'a Node<'b>, key: &str) -> Option<&'a Node<'b>> {
    let properties = &container.as_object()?.properties;
    properties.iter().find(|property| property.name.as_str() == key).map(|property| &property.value)
}

fn child<'a, 'b>(container: &'a Node<'b>, step: &Step) -> Option<&'a Node<'b>> {
    match step {
        Step::Key(key) => member(container, key),
        Step::Index(index) => container.as_array()?.elements.get(*index),
    }
}

fn position(container: &Node<'_>, step: &Step) -> Option<usize> {
    match step {
        Step::Key(key) => container.as_object()?.properties.iter().position(|property| property.name.as_str() == key),
        Step::Index(index) => Some(*index),
    }
}

fn ranges(container: &Node<'_>) -> Vec<(usize, usize)> {
    let of_member = |property: &ObjectProp<'_>| (property.range.start, property.range.end);
    match container {
        Node::Object(object) => object.properties.iter().map(of_member).collect(),
        Node::Array(list) => list.elements.iter().map(|item| (item.range().start, item.range().end)).collect(),
        _ => Vec::new(),
    }
}
