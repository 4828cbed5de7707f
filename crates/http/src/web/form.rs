//! Forms: how a page offers a command, and how what was filled in becomes the command's input.
//!
//! A field's name says where it belongs and what it is: `handoff.status` is a field within `handoff`, `turn:int` a number, `claim:time` a span like `45m`,
//! `force:bool` true when it is there, `refs[]` a list with an entry for each line. Fields that begin with `_` are about the
//! form itself. An empty field was not filled in, and is left out; one whose name begins with `=` is sent even so, to clear
//! what was there.

use baton_app::Failure;
use baton_core::{code::ErrorCode, time::Ttl};
use maud::{Markup, html};
use serde_json::{Map, Value};

use super::look::Look;

/// Where to go when it is done.
pub(super) const BACK: &str = "_back";
/// What to say when it is done.
pub(super) const DONE: &str = "_done";
/// Begins the name of a field that is sent even when it is empty.
const ALWAYS: char = '=';
/// Which of a person's own names they act under.
pub(super) const AS: &str = "_as";

/// A form for a command of the table. A viewer sees nothing of it.
pub(crate) struct Form {
    command: &'static str,
    class: &'static str,
    done: String,
    back: Option<String>,
    hidden: Vec<(&'static str, String)>,
}

impl Form {
    /// A form that runs `command` (its name in the table) and then says `done`, with what the command made in place of
    /// `{job}`.
    pub(crate) fn of(command: &'static str, done: impl Into<String>) -> Self {
        Self { command, class: "", done: done.into(), back: None, hidden: Vec::new() }
    }

    /// With another page to show when it is done than the one that it is on.
    pub(crate) fn back(self, address: String) -> Self {
        Self { back: Some(address), ..self }
    }

    /// With a class for its looks: `inline`, `stack`.
    pub(crate) fn class(self, class: &'static str) -> Self {
        Self { class, ..self }
    }

    /// With a field that is filled in already.
    pub(crate) fn with(mut self, name: &'static str, value: impl ToString) -> Self {
        self.hidden.push((name, value.to_string()));
        self
    }

    /// With what the person fills in, and the button.
    pub(crate) fn body(self, look: &Look<'_>, body: Markup) -> Markup {
        if !look.may_act() {
            return html! {};
        }
        html! {
            form method="post" action={ "/do/" (self.command) } class=[Some(self.class).filter(|class| !class.is_empty())] {
                input type="hidden" name=(BACK) value=(self.back.unwrap_or_else(|| look.at.address()));
                input type="hidden" name=(DONE) value=(self.done);
                @for (name, value) in &self.hidden { input type="hidden" name=(name) value=(value); }
                (body)
            }
        }
    }

    /// A form that is one button.
    pub(crate) fn button(self, look: &Look<'_>, label: &str) -> Markup {
        self.body(look, html! { button type="submit" { (label) } })
    }
}

/// What was posted.
pub(super) struct Posted {
    pub(super) back: String,
    pub(super) done: String,
    pub(super) speaks_as: Option<String>,
    pub(super) input: Map<String, Value>,
    /// All that was filled in, to be shown again when it is refused.
    pub(super) fields: Vec<(String, String)>,
}

impl Posted {
    /// Reads the body of a form.
    pub(super) fn read(body: &[u8]) -> Result<Self, Failure> {
        let fields: Vec<(String, String)> = form_urlencoded::parse(body).into_owned().collect();
        let own = |name: &str| fields.iter().find(|(key, _)| key == name).map(|(_, value)| value.clone());
        let mut input = Map::new();
        for (name, value) in fields.iter().filter(|(name, value)| is_input(name, value)) {
            put(&mut input, name.trim_start_matches(ALWAYS), value)?;
        }
        Ok(Self {
            back: own(BACK).filter(|back| is_own(back)).unwrap_or_else(|| "/".to_owned()),
            done: own(DONE).unwrap_or_default(),
            speaks_as: own(AS).filter(|id| !id.is_empty()),
            input,
            fields,
        })
    }
}

fn is_input(name: &str, value: &str) -> bool {
    !name.starts_with('_') && (!value.is_empty() || name.starts_with(ALWAYS))
}

/// Whether an address is one of this server, and no other's.
pub(super) fn is_own(address: &str) -> bool {
    address.starts_with('/') && !address.starts_with("//") && !address.contains(['\\', '\r', '\n'])
}

fn put(input: &mut Map<String, Value>, name: &str, text: &str) -> Result<(), Failure> {
    let mut here = input;
    let mut parts = name.split('.').peekable();
    while let Some(part) = parts.next() {
        if parts.peek().is_some() {
            let inner = here.entry(part.to_owned()).or_insert_with(|| Value::Object(Map::new()));
            here = inner.as_object_mut().ok_or_else(|| twice(name))?;
            continue;
        }
        if let Some(list) = part.strip_suffix("[]") {
            let lines = text.lines().map(str::trim).filter(|line| !line.is_empty()).map(Value::from);
            let list = here.entry(list.to_owned()).or_insert_with(|| Value::Array(Vec::new()));
            list.as_array_mut().ok_or_else(|| twice(name))?.extend(lines);
            return Ok(());
        }
        let (key, value) = typed(part, text);
        if here.insert(key.to_owned(), value).is_some() {
            return Err(twice(name));
        }
    }
    Ok(())
}

/// A field's own name, and its value as what the name says. What it cannot be stays text, and the command says so.
fn typed<'a>(part: &'a str, text: &str) -> (&'a str, Value) {
    match part.split_once(':') {
        Some((key, "int")) => (key, text.trim().parse::<i64>().map_or_else(|_| text.into(), Value::from)),
        Some((key, "time")) => (key, text.parse::<Ttl>().map_or_else(|_| text.into(), |span| span.as_millis().into())),
        Some((key, "bool")) => (key, (text != "false").into()),
        Some((key, "json")) => (key, serde_json::from_str(text).unwrap_or_else(|_| text.into())),
        _ => (part, text.into()),
    }
}

fn twice(name: &str) -> Failure {
    Failure::new(ErrorCode::InvalidInput, format!("{name}: the form says two things.")).with("field", name)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_names_of_fields_say_what_they_are() {
        let body = "room_id=room_1&turn:int=3&handoff.status=a+b&handoff.open_questions%5B%5D=x%0D%0A%0D%0Ay&empty=&\
                    force:bool=on&_back=/rooms&_done=Done&spec:json=%7B%22a%22%3A1%7D&claim:time=1h+05m&%3Dgoal=&%3Ddone%5B%5D=";
        let posted = Posted::read(body.as_bytes()).unwrap();
        let expected = json!({
            "room_id": "room_1", "turn": 3, "force": true, "spec": { "a": 1 }, "claim": 3_900_000, "goal": "", "done": [],
            "handoff": { "status": "a b", "open_questions": ["x", "y"] },
        });
        assert_eq!(Value::Object(posted.input), expected);
        assert_eq!((posted.back.as_str(), posted.done.as_str()), ("/rooms", "Done"));
    }

    #[test]
    fn nobody_is_sent_to_another_server() {
        for back in ["//evil.example", "https://evil.example", "/\\evil.example", "javascript:alert(1)", ""] {
            let body = format!("_back={}", form_urlencoded::byte_serialize(back.as_bytes()).collect::<String>());
            assert_eq!(Posted::read(body.as_bytes()).unwrap().back, "/", "{back}");
        }
    }

    #[test]
    fn a_form_that_says_two_things_is_refused() {
        assert!(Posted::read(b"a=1&a=2").is_err() && Posted::read(b"a=1&a.b=2").is_err());
    }
}
