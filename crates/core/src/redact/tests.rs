use proptest::prelude::*;
use serde_json::json;

use super::*;

/// A key of this shape. Put together here, so that no scanner takes this file for a leak.
fn made(prefix: &str, length: usize) -> String {
    prefix.chars().chain("a1B2c3D4".chars().cycle().take(length)).collect()
}

#[test]
fn structured_text_is_searched_by_field_and_stays_what_it_is() {
    let key = made("ghp_", 24);
    let given = json!({
        "password": "hunter2!", "count": 3, "note": format!("use {key}"), "deep": [{ "api_key": "abcd1234" }],
        "tokens": 12, "token": "[redacted:token]", "secret": "$VAULT", "cost": null, "secrets": ["hunter2!"],
        "client_secret": ["hunter2!"], &key: 1, format!("{key}2"): 2,
    });
    let kept = json!({
        "password": "[redacted:password]", "count": 3, "note": "use [redacted:github]",
        "deep": [{ "api_key": "[redacted:key]" }], "tokens": 12, "token": "[redacted:token]", "secret": "$VAULT",
        "cost": null, "secrets": ["hunter2!"], "client_secret": ["[redacted:secret]"], "[redacted:github]": 1,
        "[redacted:github] 2": 2,
    });
    assert_eq!(redact_json(None, &given), kept);
    assert_eq!(redact_json(None, &kept), kept);
}

#[test]
fn keys_of_well_known_services_are_taken_out() {
    for (prefix, least, kind) in KEYS {
        let key = made(prefix, least + 4);
        let gone = format!("use [redacted:{kind}], please");
        assert_eq!(redact(&format!("use {key}, please")), gone, "{prefix}");
        let within = format!("x{key}");
        let is_key = UNMISTAKABLE.contains(&prefix);
        let kept = if is_key { format!("x[redacted:{kind}]") } else { within.clone() };
        assert_eq!(redact(&within), kept, "within a word it is something else, unless nothing else begins so");
    }
    assert_eq!(redact(&made("sk-proj-", 40)), "[redacted:openai]");
    assert_eq!(redact(&made("sk-ant-api03-", 40)), "[redacted:anthropic]");
    let token = format!("{}.{}.{}", made("eyJ", 10), made("eyJ", 20), made("", 30));
    assert_eq!(redact(&format!("cookie {token};")), "cookie [redacted:jwt];");
    let hook = format!("https://hooks.slack.com/services/T0000/B0000/{}", made("", 24));
    assert_eq!(redact(&hook), "https://hooks.slack.com/services/[redacted:slack]");
}

#[test]
fn a_key_that_follows_an_escape_is_taken_out() {
    for (prefix, least, kind) in KEYS {
        let key = made(prefix, least + 4);
        for before in [
            r"first\n",
            r"a\t",
            r"a\r",
            r"\u001b[32m",
            r"\u00e9",
            r"\x1b[0m",
            r"\x41",
            r"\033[1;31m",
            r"\e[m",
            "\u{1b}[32m",
            "\u{1b}[1;32m",
            "q=%20",
            "a%3D",
        ] {
            assert_eq!(redact(&format!("{before}{key}")), format!("{before}[redacted:{kind}]"));
        }
    }
    assert_eq!(redact(r#"{"out":"a\nredis://:hunter2@db"}"#), r#"{"out":"a\nredis://:[redacted:password]@db"}"#);
    assert_eq!(redact(&format!("AccountKey={}==;", made("", 40))), "AccountKey=[redacted:key];");
}

#[test]
fn tokens_capabilities_and_tickets_of_baton_are_taken_out() {
    for random in ["0123456789abcdefghjkmnpqrs", "abcdefghjkmnpqrstvwxyzabcd"] {
        let printed = format!("BATON_JOB=room_1/JOB-001/1/r1/cap_{random}");
        let kept = "BATON_JOB=room_1/JOB-001/1/r1/[redacted:baton]";
        assert_eq!(redact(&printed), kept);
        assert_eq!(redact(&format!("{printed}xyz\0HOME=/")), format!("{kept}\0HOME=/"));
    }
    let random = "0f1e2d3c".repeat(8);
    assert_eq!(redact(&format!("use baton_{random}.")), "use [redacted:baton].");
    let login = format!("http://127.0.0.1:7117/login?ticket={random}");
    assert_eq!(redact(&login), "http://127.0.0.1:7117/login?ticket=[redacted:baton]");
    for text in ["cap_size = 3", "baton_theme=dark", "ticket=BAT-1234", "baton_core::redact", &random] {
        assert_eq!(redact(text), text);
    }
}

#[test]
fn what_follows_bearer_is_taken_out_unless_it_is_a_word() {
    assert_eq!(redact("Authorization: Bearer abc123.def-456"), "Authorization: Bearer [redacted:bearer]");
    assert_eq!(redact("authorization: basic YW5hOmh1bnRlcg=="), "authorization: basic [redacted:basic]");
    assert_eq!(redact("Cookie: session=9f8e7d6c5b4a39281706"), "Cookie: [redacted:cookie]");
    for prose in [
        "cookie: chocolate",
        "a bearer token",
        "Bearer authentication is used",
        "Bearer $TOKEN",
        "Basic authentication works",
    ] {
        assert_eq!(redact(prose), prose);
    }
}

#[test]
fn a_private_key_is_taken_out_from_its_first_line_to_its_last() {
    let block = |kind: &str| format!("-----BEGIN {kind}PRIVATE KEY-----\nMIIB\nQ==\n-----END {kind}PRIVATE KEY-----");
    for kind in ["", "RSA ", "OPENSSH "] {
        assert_eq!(redact(&format!("a\n{}\nb", block(kind))), "a\n[redacted:private-key]\nb", "{kind}");
    }
    let spelled = block("").replace('\n', "\\n");
    assert_eq!(redact(&format!("key {spelled} end")), "key [redacted:private-key] end", "on one line");
    let armored = "-----BEGIN PGP PRIVATE KEY BLOCK-----\nlQ\n-----END PGP PRIVATE KEY BLOCK-----";
    assert_eq!(redact(armored), "[redacted:private-key]");
    let cut = "a\n-----BEGIN PRIVATE KEY-----\nMIIB";
    assert_eq!(redact(cut), "a\n[redacted:private-key]", "cut in the middle");
    let public = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----";
    assert_eq!(redact(public), public);
}

#[test]
fn passwords_in_settings_and_addresses_are_taken_out() {
    for (text, expected) in [
        ("DB_PASSWORD=hunter2 next", "DB_PASSWORD=[redacted:password] next"),
        ("?api_key=abcdef&x=1", "?api_key=[redacted:key]&x=1"),
        (r#"{"client_secret": "abc def", "a": 1}"#, r#"{"client_secret": "[redacted:secret]", "a": 1}"#),
        (r#"{\"password\": \"hunter2\"}"#, r#"{\"password\": \"[redacted:password]\"}"#),
        ("api-key: 'abcdef'", "api-key: '[redacted:key]'"),
        ("password = \"hunter2\"", "password = \"[redacted:password]\""),
        ("AWS_SECRET_ACCESS_KEY=a/b+c", "AWS_SECRET_ACCESS_KEY=[redacted:key]"),
        ("aws_secret_access_key = wJalrXUtnFEMI1K7MDENGbPxRfiCYEXAMPLE", "aws_secret_access_key = [redacted:key]"),
        ("token: 9f8e7d6c5b4a39281706", "token: [redacted:token]"),
        ("GITHUB_TOKEN=abcdefgh", "GITHUB_TOKEN=[redacted:token]"),
        ("mysql --password hunter2 -h db", "mysql --password [redacted:password] -h db"),
        ("CMD: curl -u ana:hunter2 https://x", "CMD: curl -u ana:[redacted:password] https://x"),
        ("postgres://ana:s3cret@db:5432/x", "postgres://ana:[redacted:password]@db:5432/x"),
        ("postgres://ana:s3@cr:et@db:5432/x", "postgres://ana:[redacted:password]@db:5432/x"),
        ("https://x:y@example.org", "https://x:[redacted:password]@example.org"),
        ("https://0123456789abcdef0123@example.org/x", "https://[redacted:token]@example.org/x"),
        (
            "machine db login ana password hunter2\nmachine x",
            "machine db login ana password [redacted:password]\nmachine x",
        ),
    ] {
        assert_eq!(redact(text), expected);
    }
}

/// Text of everyday work that looks like a secret at a glance.
#[test]
fn what_only_talks_of_secrets_stays() {
    for text in [
        "",
        "fn login(password: String, token: Token) {}",
        "let password = prompt();",
        "password=$PASSWORD",
        "password={}",
        "password=\"$PASSWORD\"",
        "password: required",
        "password: must have 12 characters",
        "secret: see https://vault.example.org/a/b",
        "token: the one in docs/tokens/2024-report.md",
        "if secret == other {}",
        "the password is kept elsewhere: see the vault",
        "a machine for the login, and its password",
        "--password is read from the terminal; --token likewise",
        "docker run -u 1000:1000 x",
        "http://127.0.0.1:8080/a@b",
        "ssh://git@github.com/owner/name.git",
        "npm install @scope/name@1.2.3",
        "sk-learn",
        "sk-learn-is-a-library-of-words",
        "sk-2024-01-15-notes-of-the-meeting-about-keys",
        "task-1234567890123456",
        "TASK-001 CARD-12 JOB-003@17 artifact://log/3",
        "tokens=12345",
        "58792b4c1f0e9d8a7b6c5d4e3f2a1b0c9d8e7f6a",
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "550e8400-e29b-41d4-a716-446655440000",
        "01ARZ3NDEKTSV4RRFFQ69G5FAV",
        "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==",
        "crates/core/src/redact.rs:120:13",
        "/home/ana/.cache/hf_hub/models--x/blobs",
        "room_4k9v lease_0123456789abcdef turn 7",
        "€ naïve — ok",
    ] {
        assert_eq!(redact(text), text);
    }
}

proptest! {
    #[test]
    fn no_text_breaks_it_and_doing_it_twice_changes_nothing(
        text in r#"(password|=|:|"|'|\\|sk-|ghp_|--token |://|@|Bearer |eyJ|-----BEGIN |PRIVATE KEY-----|\PC|[a-z0-9.]{0,20}|\n| ){0,40}"#
    ) {
        let once = redact(&text).into_owned();
        prop_assert_eq!(redact(&once), once.as_str());
    }

    /// The cheap look is never wrong with a no, also of a text as JSON spells it.
    #[test]
    fn a_text_that_is_changed_is_one_that_may_hold_a_secret(
        name in "(DB_|x-)?(password|passwd|pwd|api[_-]?key|access_key|private-key|secret|credentials|token|ticket|n)",
        sign in "(=| = |: |\": \"|://|://ana:| )",
        value in "(sk-|ghp_|glpat-|AKIA|xoxb-|npm_|baton_|cap_|eyJ|Bearer |Basic |SG\\.|ya29\\.|--token |-u ana:)?[a-z0-9]{4,40}[@\"\n ]?"
    ) {
        let text = format!("first\n{name}{sign}{value}\tlast");
        if redact(&text) != text {
            prop_assert!(may_hold_secret(&text));
            prop_assert!(may_hold_secret(&serde_json::to_string(&text).unwrap()));
        }
        let field = json!({ &name: &value });
        if redact_json(None, &field) != field {
            prop_assert!(may_hold_secret(&field.to_string()));
        }
    }
}
