//! Secrets do not get into what is kept.
//!
//! What agents print may have keys in it, and a file that is kept is read by everybody in the room. What looks like a secret
//! by its shape (keys of well-known services, bearer tokens, private keys, passwords in addresses and settings) is taken out
//! before it is stored. Shapes are all that can be known here: a secret that looks like a word stays, and source code that
//! only names a password is left as it is.

use std::{borrow::Cow, ops::Range};

use serde_json::{Map, Value};

use crate::job::Capability;

/// What stands in a secret's place.
pub const REDACTED: &str = "[redacted]";

/// How keys of well-known services begin, and how long what follows is at least.
const KEYS: [(&str, usize); 20] = [
    ("sk-", 16),
    ("sk_live_", 16),
    ("rk_live_", 16),
    ("ghp_", 20),
    ("gho_", 20),
    ("ghu_", 20),
    ("ghs_", 20),
    ("ghr_", 20),
    ("github_pat_", 20),
    ("glpat-", 16),
    ("AKIA", 16),
    ("ASIA", 16),
    ("AIza", 30),
    ("xoxb-", 10),
    ("xoxp-", 10),
    ("xoxa-", 10),
    ("xoxr-", 10),
    ("xoxs-", 10),
    ("npm_", 30),
    ("hf_", 24),
];
/// How settings that hold a secret are called, or end.
const NAMES: [&str; 10] = [
    "password",
    "passwd",
    "passphrase",
    "api_key",
    "apikey",
    "access_key",
    "secret_key",
    "private_key",
    "secret",
    "token",
];
/// Longest key or token that is looked for, so that a long text of nothing else is still read in reasonable time.
const TOKEN_BYTES: usize = 4096;
/// How short a setting's value may be and still be a secret.
const VALUE_BYTES: usize = 4;

/// `text` without what looks like a secret. The same text always gives the same, and giving it again changes nothing.
pub fn redact(text: &str) -> Cow<'_, str> {
    let mut kept = String::new();
    let (mut copied, mut at) = (0, 0);
    while at < text.len() {
        match secret(text, at) {
            Some(found) if text.get(found.clone()) != Some(REDACTED) => {
                kept.push_str(&text[copied..found.start]);
                kept.push_str(REDACTED);
                (copied, at) = (found.end, found.end.max(at + 1));
            }
            Some(found) => at = found.end.max(at + 1),
            None => at += 1,
        }
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    kept.push_str(&text[copied..]);
    Cow::Owned(kept)
}

/// `value` without what looks like a secret, in all of its texts. What a field is called may tell, too: `key` is what `value`
/// itself is called.
pub fn redact_json(key: Option<&str>, value: &Value) -> Value {
    match value {
        Value::String(text) if key.is_some_and(names_secret) && is_value(text) => REDACTED.into(),
        Value::String(text) => redact(text).into(),
        Value::Array(items) => items.iter().map(|item| redact_json(key, item)).collect(),
        Value::Object(fields) => {
            fields.iter().map(|(key, value)| (key.clone(), redact_json(Some(key), value))).collect::<Map<_, _>>().into()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    }
}

/// The secret that is recognised at `at`, if one is. What tells it may stand before it. Everything looked for is ASCII, so
/// the ends of a range are never within a character.
fn secret(text: &str, at: usize) -> Option<Range<usize>> {
    match text.as_bytes()[at] {
        b'-' => private_key(text, at),
        b'=' | b':' => address(text, at).or_else(|| setting(text, at)),
        b'B' | b'b' if begins_word(text, at) => bearer(text, at),
        b'e' if begins_word(text, at) => web_token(text, at),
        _ if begins_word(text, at) => capability(text, at).or_else(|| key(text, at)),
        _ => None,
    }
}

fn begins_word(text: &str, at: usize) -> bool {
    let before = at.checked_sub(1).map(|before| text.as_bytes()[before]);
    !before.is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// The capability of a job's agent, which has it in its environment and may print that.
fn capability(text: &str, at: usize) -> Option<Range<usize>> {
    Capability::length_in(text.get(at..)?).map(|length| at..at + length)
}

/// A key that begins like those of a well-known service.
fn key(text: &str, at: usize) -> Option<Range<usize>> {
    let rest = text.get(at..)?;
    let (prefix, least) = KEYS.iter().find(|(prefix, _)| rest.starts_with(prefix))?;
    let body = token(&rest[prefix.len()..], |byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
    let is_random = rest[prefix.len()..][..body].bytes().any(|byte| byte.is_ascii_digit());
    (body >= *least && is_random).then(|| at..at + prefix.len() + body)
}

/// A JSON web token: three parts, the first two of them JSON.
fn web_token(text: &str, at: usize) -> Option<Range<usize>> {
    let rest = text.get(at..)?.strip_prefix("eyJ").map(|_| &text[at..])?;
    let length = token(rest, |byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'));
    let parts: Vec<&str> = rest[..length].split('.').collect();
    let is_token = parts.len() == 3 && parts[1].starts_with("eyJ") && parts[2].len() >= 16;
    is_token.then_some(at..at + length)
}

/// What follows `Bearer`, unless it is an ordinary word.
fn bearer(text: &str, at: usize) -> Option<Range<usize>> {
    let word = "bearer ";
    text.get(at..at + word.len()).filter(|given| given.eq_ignore_ascii_case(word))?;
    let start = at + word.len();
    let length = token(&text[start..], |byte| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'~' | b'+' | b'/' | b'=' | b'-')
    });
    let is_word = text[start..][..length].bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'.');
    (length >= 8 && !(is_word && length < 32)).then_some(start..start + length)
}

/// A private key, from its first line to its last; without a last one, all that follows.
fn private_key(text: &str, at: usize) -> Option<Range<usize>> {
    let rest = text.get(at..)?.strip_prefix("-----BEGIN ").map(|_| &text[at..])?;
    let head = rest.lines().next()?;
    if !head.contains("PRIVATE KEY-----") {
        return None;
    }
    let end = rest.find("-----END ").map_or(rest.len(), |tail| {
        let line = rest[tail..].find("KEY-----").map(|key| tail + key + "KEY-----".len());
        line.unwrap_or(rest.len())
    });
    Some(at..at + end)
}

/// The password in an address: `postgres://ana:secret@host`. Seen from the colon between the two.
fn address(text: &str, at: usize) -> Option<Range<usize>> {
    let is_plain =
        |byte: u8| byte.is_ascii_graphic() && !matches!(byte, b'/' | b'@' | b':' | b'"' | b'\'' | b'<' | b'>');
    let bytes = text.as_bytes();
    let user = bytes[..at].iter().rev().take_while(|byte| is_plain(**byte)).count();
    if user == 0 || !bytes[..at - user].ends_with(b"://") || bytes[at] != b':' {
        return None;
    }
    let length = run(&text[at + 1..], is_plain);
    let is_password = length > 0 && bytes.get(at + 1 + length) == Some(&b'@') && bytes[at + 1] != b'$';
    is_password.then_some(at + 1..at + 1 + length)
}

/// The value of a setting whose name says that it is secret: `PASSWORD=…`, `"api_key": "…"`. Seen from the sign between
/// name and value. Without quotes only where nothing stands between, as in environments and queries: `password: String` and
/// `secret = load()` are no values.
fn setting(text: &str, at: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let before = text[..at].trim_end_matches(' ').trim_end_matches(['"', '\'']);
    let named = bytes[..before.len()].iter().rev().take_while(|byte| is_name(**byte)).count();
    if !names_secret(&before[before.len() - named..]) {
        return None;
    }
    let gap = run(&text[at + 1..], |byte| byte == b' ');
    let start = at + 1 + gap;
    match bytes.get(start) {
        Some(quote @ (b'"' | b'\'')) => {
            let length = run(&text[start + 1..], |byte| byte != *quote && byte != b'\n');
            let closed = bytes.get(start + 1 + length) == Some(quote);
            (closed && is_value(&text[start + 1..][..length])).then_some(start + 1..start + 1 + length)
        }
        Some(_) if bytes[at] == b'=' && gap == 0 && before.len() == at => {
            let ends =
                |byte: u8| byte.is_ascii_whitespace() || matches!(byte, b'&' | b';' | b',' | b'"' | b'\'' | b'`');
            let length = run(&text[start..], |byte| !ends(byte));
            let value = &text[start..start + length];
            let is_code = value.contains(['(', ')', '{', '}', '<', '>']) || value.starts_with(['$', '=', '[']);
            (length >= VALUE_BYTES && !is_code).then_some(start..start + length)
        }
        Some(_) | None => None,
    }
}

/// Whether a setting of this name holds a secret.
fn names_secret(name: &str) -> bool {
    let name = name.to_ascii_lowercase().replace('-', "_");
    NAMES.iter().any(|secret| name.ends_with(secret))
}

/// Whether a setting's text is a value, and not the name of one.
fn is_value(text: &str) -> bool {
    text.len() >= VALUE_BYTES && !text.starts_with(['$', '<', '{'])
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

/// How many bytes of `text` are `wanted`, from its beginning.
fn run(text: &str, wanted: impl Fn(u8) -> bool) -> usize {
    text.bytes().take_while(|byte| wanted(*byte)).count()
}

/// The same for a key or a token.
fn token(text: &str, wanted: impl Fn(u8) -> bool) -> usize {
    text.bytes().take(TOKEN_BYTES).take_while(|byte| wanted(*byte)).count()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A key of this shape. Put together here, so that no scanner takes this file for a leak.
    fn made(prefix: &str, length: usize) -> String {
        prefix.chars().chain("a1B2c3D4".chars().cycle().take(length)).collect()
    }

    #[test]
    fn structured_text_is_searched_by_field_and_stays_what_it_is() {
        let key = made("ghp_", 24);
        let given = serde_json::json!({
            "password": "hunter2!", "count": 3, "note": format!("use {key}"), "deep": [{ "api_key": "abcd1234" }],
            "tokens": 12, "token": "[redacted]", "secret": "$VAULT", "cost": null
        });
        let kept = serde_json::json!({
            "password": "[redacted]", "count": 3, "note": "use [redacted]", "deep": [{ "api_key": "[redacted]" }],
            "tokens": 12, "token": "[redacted]", "secret": "$VAULT", "cost": null
        });
        assert_eq!(redact_json(None, &given), kept);
        assert_eq!(redact_json(None, &kept), kept);
    }

    #[test]
    fn keys_of_well_known_services_are_taken_out() {
        for (prefix, least) in KEYS {
            let key = made(prefix, least + 4);
            assert_eq!(redact(&format!("use {key}, please")), "use [redacted], please", "{prefix}");
            assert_eq!(redact(&format!("x{key}")), format!("x{key}"), "within a word it is something else");
        }
        assert_eq!(redact(&made("sk-proj-", 40)), REDACTED);
        let token = format!("{}.{}.{}", made("eyJ", 10), made("eyJ", 20), made("", 30));
        assert_eq!(redact(&format!("cookie {token};")), "cookie [redacted];");
    }

    #[test]
    fn the_capability_of_a_job_is_taken_out_also_without_a_digit_in_it() {
        for random in ["0123456789abcdefghjkmnpqrs", "abcdefghjkmnpqrstvwxyzabcd"] {
            let printed = format!("BATON_JOB=room_1/JOB-001/1/r1/cap_{random}");
            let kept = "BATON_JOB=room_1/JOB-001/1/r1/[redacted]";
            assert_eq!(redact(&printed), kept);
            assert_eq!(redact(&format!("{printed}xyz\0HOME=/")), format!("{kept}\0HOME=/"));
        }
        assert_eq!(redact("cap_size = 3"), "cap_size = 3");
    }

    #[test]
    fn what_follows_bearer_is_taken_out_unless_it_is_a_word() {
        assert_eq!(redact("Authorization: Bearer abc123.def-456"), "Authorization: Bearer [redacted]");
        for prose in ["a bearer token", "Bearer authentication is used", "Bearer $TOKEN"] {
            assert_eq!(redact(prose), prose);
        }
    }

    #[test]
    fn a_private_key_is_taken_out_from_its_first_line_to_its_last() {
        let block =
            |kind: &str| format!("-----BEGIN {kind}PRIVATE KEY-----\nMIIB\nQ==\n-----END {kind}PRIVATE KEY-----");
        for kind in ["", "RSA ", "OPENSSH "] {
            assert_eq!(redact(&format!("a\n{}\nb", block(kind))), "a\n[redacted]\nb", "{kind}");
        }
        assert_eq!(redact("a\n-----BEGIN PRIVATE KEY-----\nMIIB"), "a\n[redacted]", "cut in the middle");
        let public = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----";
        assert_eq!(redact(public), public);
    }

    #[test]
    fn passwords_in_settings_and_addresses_are_taken_out() {
        for (text, expected) in [
            ("DB_PASSWORD=hunter2 next", "DB_PASSWORD=[redacted] next"),
            ("?api_key=abcdef&x=1", "?api_key=[redacted]&x=1"),
            (r#"{"client_secret": "abc def", "a": 1}"#, r#"{"client_secret": "[redacted]", "a": 1}"#),
            ("api-key: 'abcdef'", "api-key: '[redacted]'"),
            ("password = \"hunter2\"", "password = \"[redacted]\""),
            ("AWS_SECRET_ACCESS_KEY=a/b+c", "AWS_SECRET_ACCESS_KEY=[redacted]"),
            ("GITHUB_TOKEN=abcdefgh", "GITHUB_TOKEN=[redacted]"),
            ("postgres://ana:s3cret@db:5432/x", "postgres://ana:[redacted]@db:5432/x"),
            ("https://x:y@example.org", "https://x:[redacted]@example.org"),
        ] {
            assert_eq!(redact(text), expected);
        }
    }

    #[test]
    fn what_only_talks_of_secrets_stays() {
        for text in [
            "",
            "fn login(password: String, token: Token) {}",
            "let password = prompt();",
            "password=$PASSWORD",
            "password={}",
            "password=\"$PASSWORD\"",
            "if secret == other {}",
            "the password is kept elsewhere: see the vault",
            "http://127.0.0.1:8080/a@b",
            "sk-learn-is-a-library-of-words",
            "task-1234567890123456",
            "tokens=12345",
            "€ naïve — ok",
        ] {
            assert_eq!(redact(text), text);
        }
    }

    proptest! {
        #[test]
        fn no_text_breaks_it_and_doing_it_twice_changes_nothing(
            text in r#"(password|=|:|"|'|sk-|://|@|Bearer |eyJ|-----BEGIN |PRIVATE KEY-----|\PC|[a-z0-9.]{0,20}|\n| ){0,40}"#
        ) {
            let once = redact(&text).into_owned();
            prop_assert_eq!(redact(&once), once.as_str());
        }
    }
}
