//! Removal of secrets from text, before it is stored or shown.
//!
//! Agents print keys, and the log of a room is read by everybody in it. Text that looks like a secret by its shape (keys of
//! well-known services, Baton's own tokens, bearer tokens, private keys, passwords in addresses and settings) is replaced by
//! `[redacted:kind]`. Shapes are all that can be known here: a secret that looks like a word stays, and source code that only
//! names a password is left as it is.
//!
//! `Event::without_secrets` applies this to everything that enters the log; [`redact`] is for what is kept beside the log, and
//! for what is shown and not kept. Start at [`find_secret`].

use std::{borrow::Cow, ops::Range};

use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Map, Value};

use crate::job::Capability;

/// The beginning of every marker.
const MARKER: &str = "[redacted";

/// Prefixes of the keys of well-known services, the fewest characters that follow, and the kind. A longer prefix comes
/// before one that it begins with.
const KEYS: [(&str, usize, &str); 44] = [
    ("sk-ant-", 20, "anthropic"),
    ("sk-proj-", 20, "openai"),
    ("sk-svcacct-", 20, "openai"),
    ("sk-admin-", 20, "openai"),
    ("sk-or-v1-", 20, "openrouter"),
    ("sk-", 20, "openai"),
    ("sk_live_", 16, "stripe"),
    ("sk_test_", 16, "stripe"),
    ("rk_live_", 16, "stripe"),
    ("rk_test_", 16, "stripe"),
    ("whsec_", 24, "stripe"),
    ("ghp_", 20, "github"),
    ("gho_", 20, "github"),
    ("ghu_", 20, "github"),
    ("ghs_", 20, "github"),
    ("ghr_", 20, "github"),
    ("github_pat_", 20, "github"),
    ("glpat-", 16, "gitlab"),
    ("gldt-", 16, "gitlab"),
    ("glrt-", 16, "gitlab"),
    ("glptt-", 16, "gitlab"),
    ("AKIA", 16, "aws"),
    ("ASIA", 16, "aws"),
    ("AIza", 30, "google"),
    ("ya29.", 20, "google"),
    ("GOCSPX-", 20, "google"),
    ("xoxb-", 10, "slack"),
    ("xoxp-", 10, "slack"),
    ("xoxa-", 10, "slack"),
    ("xoxr-", 10, "slack"),
    ("xoxs-", 10, "slack"),
    ("xoxe-", 10, "slack"),
    ("xoxe.", 10, "slack"),
    ("xapp-", 10, "slack"),
    ("npm_", 30, "npm"),
    ("pypi-", 50, "pypi"),
    ("hf_", 24, "huggingface"),
    ("dop_v1_", 40, "digitalocean"),
    ("SG.", 40, "sendgrid"),
    ("shpat_", 24, "shopify"),
    ("dckr_pat_", 20, "docker"),
    ("xai-", 40, "xai"),
    ("gsk_", 40, "groq"),
    ("baton_", 32, "baton"),
];
/// Prefixes that nothing else has, so that a key is one also within a word: `tok_ghp_…`.
const UNMISTAKABLE: [&str; 8] = ["baton_", "ghp_", "gho_", "ghs_", "github_pat_", "sk-ant-", "sk_live_", "xoxb-"];
/// Most digits of a colour that are looked at.
const COLOUR_BYTES: usize = 20;
/// Ends of the names of settings that hold a secret, with `_` for each dash, and the kind.
const NAMES: [(&str, &str); 17] = [
    ("password", "password"),
    ("passwd", "password"),
    ("passphrase", "password"),
    ("pwd", "password"),
    ("api_key", "key"),
    ("apikey", "key"),
    ("access_key", "key"),
    ("account_key", "key"),
    ("accountkey", "key"),
    ("secret_key", "key"),
    ("private_key", "key"),
    ("encryption_key", "key"),
    ("secret", "secret"),
    ("credential", "secret"),
    ("credentials", "secret"),
    ("token", "token"),
    ("cookie", "cookie"),
];
/// The name whose value is a secret only in the form of Baton's own login tickets.
const TICKET: &str = "ticket";
/// Hexadecimal digits of a login ticket.
const TICKET_CHARS: usize = 64;
/// Longest key or token that is looked for, so that a long text of nothing else is still read in reasonable time.
const TOKEN_BYTES: usize = 4096;
/// Fewest characters of a setting's value that may be a secret.
const VALUE_BYTES: usize = 4;
/// Fewest characters of a value that is taken for random where nothing but the name before it tells.
const RANDOM_BYTES: usize = 16;
/// How far back a `.netrc` entry may begin.
const NETRC_BYTES: usize = 256;

/// A secret in a text.
struct Found {
    range: Range<usize>,
    kind: &'static str,
}

/// `text` without what looks like a secret. The same text always gives the same, and giving it again changes nothing.
pub fn redact(text: &str) -> Cow<'_, str> {
    if !may_hold_secret(text) {
        return Cow::Borrowed(text);
    }
    let mut kept = String::new();
    let (mut copied, mut at) = (0, 0);
    while at < text.len() {
        match find_secret(text, at) {
            Some(Found { range, kind }) if !is_marked(&text[range.clone()]) => {
                kept.push_str(&text[copied..range.start]);
                kept.push_str(&marker(kind));
                (copied, at) = (range.end, range.end.max(at + 1));
            }
            Some(found) => at = found.range.end.max(at + 1),
            None => at += 1,
        }
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    kept.push_str(&text[copied..]);
    Cow::Owned(kept)
}

/// `value` without what looks like a secret, in all of its texts and field names. The name of a field may tell, too: `key` is
/// the name of `value` itself.
pub fn redact_json(key: Option<&str>, value: &Value) -> Value {
    match value {
        Value::String(text) => redact_field(key, text).into(),
        Value::Array(items) => items.iter().map(|item| redact_json(key, item)).collect(),
        Value::Object(fields) => {
            let mut kept = Map::new();
            for (key, value) in fields {
                kept.insert(free_name(&kept, redact(key)), redact_json(Some(key), value));
            }
            kept.into()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    }
}

/// Fields of events by which something is found again. A marker in its place would be another id, or the same for two.
const IDENTIFYING: [&str; 6] = ["display_name", "previous_name", "scope", "scopes", "owner_scope", "incoming_scope"];
/// Fields of events that are no text of anybody: the directory of a room, by which it is found.
const EXEMPT: [&str; 1] = ["canonical_path"];

/// The payload of an event without what looks like a secret. Where such a text identifies something, there is no payload
/// without it, and the field is told.
pub(crate) fn redact_payload(payload: &Value) -> Result<Value, String> {
    let Value::Object(fields) = payload else { return Ok(redact_json(None, payload)) };
    let mut kept = Map::new();
    for (name, value) in fields {
        let clean = if EXEMPT.contains(&name.as_str()) { value.clone() } else { redact_json(Some(name), value) };
        let identifies = IDENTIFYING.contains(&name.as_str()) || name == "id" || name.ends_with("_id");
        if identifies && clean != *value {
            return Err(name.clone());
        }
        kept.insert(name.clone(), clean);
    }
    Ok(kept.into())
}

/// `value` without what looks like a secret, in all of its texts. Nothing, if the type has no such value.
pub fn redacted<T: Serialize + DeserializeOwned>(value: &T) -> Option<T> {
    let json = serde_json::to_value(value).ok()?;
    serde_json::from_value(redact_json(None, &json)).ok()
}

/// A text field without what looks like a secret.
fn redact_field<'a>(key: Option<&str>, text: &'a str) -> Cow<'a, str> {
    match key.and_then(kind_of_name) {
        Some(kind) if is_value(text) => marker(kind).into(),
        Some(_) | None => redact(text),
    }
}

/// A name that no field has yet: two secrets of one kind have the same marker.
fn free_name(fields: &Map<String, Value>, name: Cow<'_, str>) -> String {
    let mut free = name.clone().into_owned();
    let mut number = 2;
    while fields.contains_key(&free) {
        free = format!("{name} {number}");
        number += 1;
    }
    free
}

fn marker(kind: &str) -> String {
    format!("{MARKER}:{kind}]")
}

/// Whether a text was a secret before.
fn is_marked(text: &str) -> bool {
    text.starts_with(MARKER)
}

/// Whether there may be a secret in `text`. Cheap, and never wrong with a no; also of JSON as it is written, whose names and
/// texts hold the same letters.
pub fn may_hold_secret(text: &str) -> bool {
    let bytes = text.as_bytes();
    // Every event and answer passes here, and mostly three letters are enough to tell.
    let triples = bytes.windows(3).enumerate().filter(|(_, three)| {
        let [one, two, three] = three else { return false };
        TRIPLES[usize::from(fold(*one)) << 5 | usize::from(fold(*two))] & (1 << fold(*three)) != 0
    });
    triples.map(|(at, _)| at).any(|at| {
        let rest = &bytes[at + 1..];
        let follows =
            |tail: &&str| rest.get(..tail.len()).is_some_and(|head| head.eq_ignore_ascii_case(tail.as_bytes()));
        let byte = bytes[at].to_ascii_lowercase();
        anywhere(byte).iter().any(follows) || (may_begin_word(bytes, at) && beginning(byte).iter().any(follows))
    })
}

/// For each two bytes the third ones, as bits, with which something begins that tells of a secret. Bytes are [`fold`]ed, so
/// that the table stays in the cache; what it takes for another letter is compared anyway.
static TRIPLES: [u32; 1 << 10] = {
    let mut table = [0; 1 << 10];
    let mut byte = 0_u8;
    while byte.is_ascii() {
        if !byte.is_ascii_uppercase() {
            add_triples(&mut table, byte, anywhere(byte));
            add_triples(&mut table, byte, beginning(byte));
        }
        byte += 1;
    }
    table
};

const fn add_triples(table: &mut [u32; 1 << 10], byte: u8, tails: &[&str]) {
    let mut place = 0;
    while place < tails.len() {
        let tail = tails[place].as_bytes();
        assert!(tail.len() >= 2, "three letters must be enough to tell");
        table[(fold(byte) as usize) << 5 | fold(tail[0]) as usize] |= 1 << fold(tail[1]);
        place += 1;
    }
}

/// A byte in five bits, the same for a letter in any case.
const fn fold(byte: u8) -> u8 {
    byte & 0x1f
}

/// Whether a word begins here, in the text or in JSON that spells it.
fn may_begin_word(bytes: &[u8], at: usize) -> bool {
    ends_no_word(&bytes[..at]) || is_unmistakable(&bytes[at..])
}

/// What follows this letter where something tells of a secret, also within a word: names of settings, and signs.
const fn anywhere(byte: u8) -> &'static [&'static str] {
    match byte {
        b'-' => &["----begin ", "u ", "-user "],
        b':' => &["//"],
        b'a' => &["pi_key", "pi-key", "pikey", "ccess_key", "ccess-key", "ccount_key", "ccount-key", "ccountkey"],
        b'c' => &["redential", "ookie"],
        b'e' => &["ncryption_key", "ncryption-key"],
        b'p' => &["assw", "assphrase", "wd", "rivate_key", "rivate-key"],
        b's' => &["ecret"],
        b't' => &["oken", "icket"],
        _ => &[],
    }
}

/// What follows this letter where a word tells of a secret by its beginning.
const fn beginning(byte: u8) -> &'static [&'static str] {
    match byte {
        b'a' => &["kia", "sia", "iza"],
        b'b' => &["earer ", "asic ", "aton_"],
        b'c' => &["ap_"],
        b'd' => &["op_v1_", "ckr_pat_"],
        b'e' => &["yj"],
        b'g' => &["hp_", "ho_", "hu_", "hs_", "hr_", "ithub_pat_", "lpat-", "ldt-", "lrt-", "lptt-", "ocspx-", "sk_"],
        b'h' => &["f_", "ooks.slack.com/"],
        b'n' => &["pm_"],
        b'p' => &["ypi-"],
        b'r' => &["k_live_", "k_test_"],
        b's' => &["k-", "k_live_", "k_test_", "g.", "hpat_"],
        b'w' => &["hsec_"],
        b'x' => &["ox", "app-", "ai-"],
        b'y' => &["a29."],
        _ => &[],
    }
}

/// The secret that is recognised at `at`, if one is. The letters that tell may stand before it. Everything looked for is
/// ASCII, so the ends of a range are never within a character.
fn find_secret(text: &str, at: usize) -> Option<Found> {
    match text.as_bytes()[at] {
        b'-' => private_key(text, at).or_else(|| flag(text, at)),
        b'=' | b':' => address(text, at).or_else(|| setting(text, at)),
        _ if !begins_word(text, at) => None,
        b'B' | b'b' => authorization(text, at).or_else(|| key(text, at)),
        b'e' => web_token(text, at),
        b'p' => netrc(text, at).or_else(|| key(text, at)),
        b'h' => slack_hook(text, at).or_else(|| key(text, at)),
        _ => capability(text, at).or_else(|| key(text, at)),
    }
}

fn begins_word(text: &str, at: usize) -> bool {
    ends_no_word(&text.as_bytes()[..at]) || is_unmistakable(&text.as_bytes()[at..])
}

/// Whether no word reaches to the end of `before`. A letter that ends an escape belongs to none: `\n` and `\u001b` in JSON, `%20` in
/// an address, the end of a colour at a terminal.
fn ends_no_word(before: &[u8]) -> bool {
    let is_inside = before.last().is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    let hex = |count: usize| before.iter().rev().take(count).all(u8::is_ascii_hexdigit);
    let sign = |count: usize| before.len().checked_sub(count).map(|place| before[place]);
    !is_inside
        || sign(2) == Some(b'\\')
        || (sign(3) == Some(b'%') && hex(2))
        || (sign(6) == Some(b'\\') && sign(5) == Some(b'u') && hex(4))
        || (sign(4) == Some(b'\\') && sign(3) == Some(b'x') && hex(2))
        || ends_colour(before)
}

/// Whether `before` ends in the escape by which a terminal changes its colour: `ESC [ 1 ; 32 m`, as it is or as JSON spells it.
fn ends_colour(before: &[u8]) -> bool {
    let Some((b'm', before)) = before.split_last() else { return false };
    let digits =
        before.iter().rev().take_while(|byte| byte.is_ascii_digit() || **byte == b';').take(COLOUR_BYTES).count();
    let Some(before) = before[..before.len() - digits].strip_suffix(b"[") else { return false };
    [&b"\x1b"[..], b"u001b", b"u001B", b"x1b", b"033", b"\\e"].iter().any(|escape| before.ends_with(escape))
}

/// Whether nothing else begins so: a prefix with its own underscores, whatever stands before it.
fn is_unmistakable(text: &[u8]) -> bool {
    UNMISTAKABLE.iter().any(|prefix| text.starts_with(prefix.as_bytes()))
}

const fn found(range: Range<usize>, kind: &'static str) -> Option<Found> {
    Some(Found { range, kind })
}

/// The capability of a job's agent, which has it in its environment and may print that.
fn capability(text: &str, at: usize) -> Option<Found> {
    let length = Capability::length_in(text.get(at..)?)?;
    found(at..at + length, "baton")
}

/// A key that begins like those of a well-known service.
fn key(text: &str, at: usize) -> Option<Found> {
    let rest = text.get(at..)?;
    let (prefix, least, kind) = KEYS.iter().find(|(prefix, ..)| rest.starts_with(prefix))?;
    let dotted = prefix.ends_with('.');
    let body = &rest[prefix.len()..];
    let length =
        token(body, |byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-') || (dotted && byte == b'.'));
    let body = &body[..length];
    let is_random = body.bytes().any(|byte| byte.is_ascii_digit());
    // Words with dashes begin like this one, too.
    let is_words = *prefix == "sk-" && body.split(['-', '_']).all(|part| part.len() < *least);
    let is_key = length >= *least && is_random && !is_words;
    if is_key { found(at..at + prefix.len() + length, kind) } else { None }
}

/// A JSON web token: three parts, the first two of them JSON.
fn web_token(text: &str, at: usize) -> Option<Found> {
    let rest = text.get(at..)?.strip_prefix("eyJ").map(|_| &text[at..])?;
    let length = token(rest, |byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'));
    let parts: Vec<&str> = rest[..length].split('.').collect();
    let is_token = parts.len() == 3 && parts[1].starts_with("eyJ") && parts[2].len() >= 16;
    if is_token { found(at..at + length, "jwt") } else { None }
}

/// The path of a webhook, which is all that it takes to post there.
fn slack_hook(text: &str, at: usize) -> Option<Found> {
    let place = "hooks.slack.com/services/";
    let rest = text.get(at..)?.strip_prefix(place)?;
    let length = token(rest, |byte| byte.is_ascii_alphanumeric() || byte == b'/');
    let start = at + place.len();
    if length >= 20 { found(start..start + length, "slack") } else { None }
}

/// The text after `Bearer`, unless it is an ordinary word, and after `Authorization: Basic`.
fn authorization(text: &str, at: usize) -> Option<Found> {
    let rest = text.get(at..)?;
    let says = |word: &str| rest.get(..word.len()).is_some_and(|given| given.eq_ignore_ascii_case(word));
    let (word, kind) = if says("bearer ") { ("bearer ", "bearer") } else { ("basic ", "basic") };
    if !says(word) || (kind == "basic" && !after_authorization(&text[..at])) {
        return None;
    }
    let start = at + word.len();
    let length = token(&text[start..], |byte| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'~' | b'+' | b'/' | b'=' | b'-')
    });
    let is_word = text[start..][..length].bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'.');
    let is_token = length >= 8 && !(is_word && length < 32 && kind == "bearer");
    if is_token { found(start..start + length, kind) } else { None }
}

fn after_authorization(before: &str) -> bool {
    let before = before.trim_end_matches(' ').trim_end_matches(':').as_bytes();
    let name = b"authorization";
    before.len().checked_sub(name.len()).is_some_and(|start| before[start..].eq_ignore_ascii_case(name))
}

/// A private key, from its first line to its last; without a last one, all that follows.
fn private_key(text: &str, at: usize) -> Option<Found> {
    let rest = text.get(at..)?.strip_prefix("-----BEGIN ").map(|_| &text[at..])?;
    let label = &rest["-----BEGIN ".len()..];
    let label = &label[..label.find("-----")?];
    let is_label = label.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b' ');
    let is_private = is_label && label.contains("PRIVATE KEY");
    if !is_private {
        return None;
    }
    let last = format!("-----END {label}-----");
    let end = rest.find(&last).map_or(rest.len(), |tail| tail + last.len());
    found(at..at + end, "private-key")
}

/// The password in an address: `postgres://ana:secret@host`. Seen from the colon between the two, or from that of `://` where
/// a token stands alone.
fn address(text: &str, at: usize) -> Option<Found> {
    let is_plain = |byte: u8| byte.is_ascii_graphic() && !matches!(byte, b'/' | b'"' | b'\'' | b'<' | b'>' | b'\\');
    let bytes = text.as_bytes();
    if bytes[at] != b':' {
        return None;
    }
    if text[at..].starts_with("://") {
        let start = at + "://".len();
        let user = run(&text[start..], |byte| is_plain(byte) && !matches!(byte, b'@' | b':'));
        let is_token = bytes.get(start + user) == Some(&b'@') && is_random(&text[start..start + user]);
        return if is_token { found(start..start + user, "token") } else { None };
    }
    let user = bytes[..at].iter().rev().take_while(|byte| is_plain(**byte) && !matches!(byte, b'@' | b':')).count();
    if !bytes[..at - user].ends_with(b"://") {
        return None;
    }
    let start = at + 1;
    let place = &text[start..start + run(&text[start..], is_plain)];
    // A password may have the sign in it that ends it.
    let length = place.rfind('@').filter(|length| *length > 0)?;
    let is_password = !place.starts_with(['$', '{']) && !is_marked(place);
    if is_password { found(start..start + length, "password") } else { None }
}

/// The value of a setting whose name says that it is secret: `PASSWORD=…`, `"api_key": "…"`. Seen from the sign between
/// name and value. Without quotes only where nothing stands between, as in environments and queries, or where the value looks
/// random: `password: String` and `secret = load()` are no values.
fn setting(text: &str, at: usize) -> Option<Found> {
    let bytes = text.as_bytes();
    let before = text[..at].trim_end_matches(' ').trim_end_matches(['"', '\'', '\\']);
    let named = bytes[..before.len()].iter().rev().take_while(|byte| is_name(**byte)).count();
    let name = &before[before.len() - named..];
    let kind = kind_of_name(name);
    if kind.is_none() && !ends_with(name, TICKET) {
        return None;
    }
    let gap = run(&text[at + 1..], |byte| byte == b' ');
    let escapes = run(&text[at + 1 + gap..], |byte| byte == b'\\');
    let start = at + 1 + gap + escapes;
    let quote = bytes.get(start).copied().filter(|byte| matches!(byte, b'"' | b'\''));
    let range = match quote {
        Some(quote) => {
            let length = run(&text[start + 1..], |byte| byte != quote && byte != b'\n');
            let is_closed = bytes.get(start + 1 + length) == Some(&quote);
            let value = text[start + 1..][..length].trim_end_matches('\\');
            (is_closed && is_value(value)).then_some(start + 1..start + 1 + value.len())
        }
        None => {
            let start = start - escapes;
            let ends =
                |byte: u8| byte.is_ascii_whitespace() || matches!(byte, b'&' | b';' | b',' | b'"' | b'\'' | b'`');
            let length = run(&text[start..], |byte| !ends(byte));
            let value = &text[start..start + length];
            let is_code = value.contains(['(', ')', '{', '}', '<', '>']) || value.starts_with(['$', '=', '[']);
            let is_close = bytes[at] == b'=' && gap == 0 && before.len() == at;
            let fits = if is_close { length >= VALUE_BYTES } else { is_random(value) };
            (fits && !is_code).then_some(start..start + length)
        }
    }?;
    match kind {
        Some(kind) => found(range, kind),
        None if is_ticket(&text[range.clone()]) => found(range, "baton"),
        None => None,
    }
}

/// The value of an argument whose name says that it is secret: `--password hunter2`, `-u ana:hunter2`. Seen from its first
/// dash.
fn flag(text: &str, at: usize) -> Option<Found> {
    let bytes = text.as_bytes();
    if at.checked_sub(1).is_some_and(|before| !bytes[before].is_ascii_whitespace() && bytes[before] != b'`') {
        return None;
    }
    let name = &text[at..at + run(&text[at..], is_name)];
    let start = at + name.len() + 1;
    if bytes.get(at + name.len()) != Some(&b' ') {
        return None;
    }
    let value =
        &text[start..start + run(&text[start..], |byte| byte.is_ascii_graphic() && !matches!(byte, b'"' | b'`'))];
    let quoted = usize::from(value.starts_with('\''));
    let value = value.trim_matches('\'');
    let start = start + quoted;
    let mixed = |text: &str| {
        text.len() >= VALUE_BYTES + 2
            && text.bytes().any(|byte| byte.is_ascii_digit())
            && text.bytes().any(|byte| byte.is_ascii_alphabetic())
    };
    let is_plain = |value: &str| !value.starts_with(['-', '$', '<', '[', '{']) && mixed(value);
    if matches!(name, "-u" | "--user") {
        let (user, password) = value.split_once(':')?;
        let from = start + user.len() + 1;
        return if is_plain(password) { found(from..from + password.len(), "password") } else { None };
    }
    let kind = name.strip_prefix("--").and_then(kind_of_name)?;
    if is_plain(value) { found(start..start + value.len(), kind) } else { None }
}

/// The password of a `.netrc` entry: `machine host login ana password hunter2`.
fn netrc(text: &str, at: usize) -> Option<Found> {
    let rest = text.get(at..)?.strip_prefix("password")?;
    let gap = run(rest, |byte| byte.is_ascii_whitespace());
    let from = text.floor_char_boundary(at.saturating_sub(NETRC_BYTES));
    let before = &text[from..at];
    let entry = &before[before.rfind("machine ")?..];
    let words: Vec<&str> = entry.split_ascii_whitespace().collect();
    let is_entry = gap > 0 && words.len() == 4 && words[2] == "login";
    let start = at + "password".len() + gap;
    let length = run(&text[start..], |byte| byte.is_ascii_graphic());
    if is_entry && length > 0 { found(start..start + length, "password") } else { None }
}

/// The kind of secret that a setting of this name holds.
fn kind_of_name(name: &str) -> Option<&'static str> {
    NAMES.iter().find(|(secret, _)| ends_with(name, secret)).map(|(_, kind)| *kind)
}

/// Whether a name ends like this, in any case, and with dashes for underscores.
fn ends_with(name: &str, end: &str) -> bool {
    let same = |one: u8, other: u8| one.eq_ignore_ascii_case(&other) || (one == b'-' && other == b'_');
    let tail = name.len().checked_sub(end.len()).map(|start| &name.as_bytes()[start..]);
    tail.is_some_and(|tail| tail.iter().zip(end.as_bytes()).all(|(one, other)| same(*one, *other)))
}

/// Whether a setting's text is a value, and not the name of one.
fn is_value(text: &str) -> bool {
    text.len() >= VALUE_BYTES && !text.starts_with(['$', '<', '{']) && !is_marked(text)
}

/// Whether a text looks random: long, of letters and digits, and not of short words.
fn is_random(text: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=' | b'_' | b'-');
    let is_mixed = |part: &str| {
        part.len() >= 12
            && part.bytes().any(|byte| byte.is_ascii_digit())
            && part.bytes().any(|byte| byte.is_ascii_alphabetic())
    };
    text.len() >= RANDOM_BYTES && text.bytes().all(is_plain) && text.split(['-', '_', '/']).any(is_mixed)
}

fn is_ticket(text: &str) -> bool {
    text.len() == TICKET_CHARS && text.bytes().all(|byte| byte.is_ascii_hexdigit())
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
mod tests;
