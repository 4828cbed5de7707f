//! As much of a line as is needed to answer it, however little of an envelope it is.
//!
//! It is looked for without parsing: in a line that is cut off, nests without end, is not JSON or not even text, an `id`
//! that can be read is one that its sender waits for.

use serde_json::Value;

use crate::envelope::TYPE_BYTES;

/// Longest `id` that is repeated in a refusal, also of what is too long for one.
const ID_BYTES: usize = 1024;

/// What a refusal repeats of a line.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Head {
    /// Its `id`, if that much can be read: a text or a number, as it was given.
    pub id: Option<Value>,
    /// Its `type`, if that much can be read.
    pub kind: Option<String>,
}

impl Head {
    /// Looks for both among the fields of the outermost object. The first of a name counts.
    pub fn find(line: &[u8]) -> Self {
        let mut head = Self::default();
        let (mut depth, mut at) = (0_usize, 0);
        while at < line.len() && (head.id.is_none() || head.kind.is_none()) {
            match line[at] {
                b'{' | b'[' => depth += 1,
                b'}' | b']' => depth = depth.saturating_sub(1),
                b'"' => {
                    let end = end_of_text(line, at);
                    if depth == 1 {
                        head.read(&line[at..end], value_after(line, end));
                    }
                    at = end;
                    continue;
                }
                _ => {}
            }
            at += 1;
        }
        head
    }

    /// Takes the value of a field, if it is one of the two.
    fn read(&mut self, name: &[u8], value: Option<&[u8]>) {
        let Some(value) = value.filter(|value| value.len() <= ID_BYTES + 2) else { return };
        match name {
            br#""id""# if self.id.is_none() => {
                let read = serde_json::from_slice(value).ok();
                self.id = read.filter(|id: &Value| id.is_number() || id.as_str().is_some_and(|text| !text.is_empty()));
            }
            br#""type""# if self.kind.is_none() => {
                let read = serde_json::from_slice(value).ok();
                self.kind = read.filter(|kind: &String| (1..=TYPE_BYTES).contains(&kind.len()));
            }
            _ => {}
        }
    }
}

/// Where the text that begins at `start` ends, behind its quote.
fn end_of_text(line: &[u8], start: usize) -> usize {
    let mut escaped = false;
    for (place, byte) in line.iter().enumerate().skip(start + 1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return place + 1,
            _ => {}
        }
    }
    line.len()
}

/// The text or the number that follows a colon, if there is one.
fn value_after(line: &[u8], name_end: usize) -> Option<&[u8]> {
    let skip = |from: usize| (from..line.len()).find(|at| !line[*at].is_ascii_whitespace());
    let colon = skip(name_end).filter(|at| line[*at] == b':')?;
    let start = skip(colon + 1)?;
    let end = match line[start] {
        b'"' => end_of_text(line, start),
        _ => {
            let is_part = |byte: &u8| byte.is_ascii_digit() || matches!(byte, b'-' | b'+' | b'.' | b'e' | b'E');
            start + line[start..].iter().take_while(|byte| is_part(byte)).count()
        }
    };
    Some(&line[start..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(line: &str) -> (Option<Value>, Option<String>) {
        let Head { id, kind } = Head::find(line.as_bytes());
        (id, kind)
    }

    #[test]
    fn an_id_is_found_wherever_the_line_goes_wrong() {
        let both = (Some("r1".into()), Some("ping".to_owned()));
        for line in [
            r#"{"v":1,"type":"ping","id":"r1""#,
            r#"{"v":1,"type":"ping","id":"r1","payload":{"x":"#,
            r#"{"v":one,"type":"ping","id":"r1"}"#,
            r#"{"v":1 "type" : "ping" , "id" : "r1" ]"#,
            r#"{"payload":{"id":"inner","type":"inner"},"type":"ping","id":"r1"}"#,
            r#"{"src":"\"id\":\"quoted\"","type":"ping","id":"r1","id":"r2"}"#,
            r#"{"type":"ping","id":"\u0072\u0031"}"#,
        ] {
            assert_eq!(found(line), both, "{line}");
        }
        let deep = format!(r#"{{"payload":{}{},"type":"ping","id":"r1"}}"#, "[".repeat(9_999), "]".repeat(9_999));
        assert_eq!(found(&deep), both);
        assert_eq!(found(r#"{"id":7,"v":1}"#), (Some(7.into()), None));
        let long = "x".repeat(1000);
        assert_eq!(found(&format!(r#"{{"id":"{long}"}}"#)).0, Some(long.into()));
    }

    #[test]
    fn what_is_no_id_is_none() {
        let long = format!(r#"{{"id":"{}"}}"#, "x".repeat(2_000));
        let inner = r#"{"payload":{"id":"r1"}}"#;
        for line in
            ["", "nonsense", "[\"id\"", r#"{"id":"r1"#, r#"{"id":""}"#, r#"{"id":null}"#, r#"{"id":}"#, inner, &long]
        {
            assert_eq!(found(line), (None, None), "{line}");
        }
        assert_eq!(Head::find(b"{\"id\":\"\xff\"}"), Head::default());
    }
}
