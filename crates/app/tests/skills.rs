//! Behaviour packs: short, the same every time, and still of use when they are cut.
#![expect(clippy::unwrap_used, reason = "a test whose helper fails should stop there")]

use baton_app::table;
use baton_core::{
    job::{JobId, PROOF_KINDS, Shell, receipts, rule, salvage},
    limits,
    reference::Reference,
    runner::SkillProfile,
};
use baton_testkit::{Backend, TestApp};
use serde_json::{Value, json};

fn read(app: &TestApp, input: Value) -> Value {
    app.call(app.agent("codex").caller(), "skill", input).unwrap()
}

#[test]
fn every_profile_has_a_pack_that_fits_the_default_budget() {
    let app = TestApp::open(Backend::Sqlite);
    for profile in SkillProfile::ALL {
        let pack = read(&app, json!({"profile": profile}));
        assert_eq!((&pack["profile"], &pack["truncated"]), (&json!(profile), &json!(false)));
        let text = pack["text"].as_str().unwrap();
        assert_eq!(pack["chars"], text.chars().count());
        assert!(
            text.chars().count() <= 4_000,
            "a runner tells 4,000 characters of {profile} unless it is told otherwise"
        );
        assert_eq!(read(&app, json!({"profile": profile})), pack, "always the same");
    }
    assert_eq!(read(&app, json!({}))["profile"], "daily");
}

#[test]
fn packs_for_delegated_agents_say_how_to_report_ask_prove_and_answer() {
    let app = TestApp::open(Backend::Sqlite);
    for profile in ["daily", "strict", "research"] {
        let pack = read(&app, json!({"profile": profile}));
        let text = pack["text"].as_str().unwrap();
        for said in
            ["op:\"report\"", "checkpoint", "question", "card.create", "CMD: ", "LINK:", "DONE", "CONTINUE", "FAILED"]
        {
            assert!(text.contains(said), "{profile} does not say {said}");
        }
    }
    let pack = read(&app, json!({"profile": "teamlead"}));
    let text = pack["text"].as_str().unwrap();
    for said in ["macro.delegate", "macro.fanout_jobs", "radar", "reply_job", "macro.merge_report", "requeue", "cancel"]
    {
        assert!(text.contains(said), "teamlead does not say {said}");
    }
}

/// The rule about proof as the gate has it. Wherever an agent or a person reads about proof, it is this.
fn told_rule() -> String {
    format!("{} {}", rule(), receipts(Shell::Available))
}

#[test]
fn every_pack_tells_the_gates_own_rule_about_proof_and_names_no_other_kind_of_it() {
    let app = TestApp::open(Backend::Sqlite);
    for profile in SkillProfile::ALL {
        let pack = read(&app, json!({"profile": profile}));
        let text = pack["text"].as_str().unwrap();
        assert!(text.contains(&told_rule()), "{profile}");
        assert!(!text.contains("{{"), "{profile}");
        // The end of a pack is about the last answer: whatever it points to there counts, if it was really made.
        let Some((_, answer)) = text.split_once("our last answer").or_else(|| text.split_once("## Your answer")) else {
            assert_eq!(*profile, SkillProfile::Teamlead, "only who delegates gives no answer");
            continue;
        };
        let named: Vec<Reference> = salvage(answer).into_iter().filter(Reference::is_stable).collect();
        assert!(!named.is_empty(), "{profile}");
        for reference in named {
            assert!(reference.can_prove(JobId(999)), "{profile} names {reference}");
        }
    }
}

#[test]
fn the_documents_tell_the_gates_own_rule_about_proof() {
    let text = include_str!("../../../docs/design/004-jobs-and-runners.md");
    let text = text.replace("\n> ", " ").split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains(&told_rule()), "docs/design/004-jobs-and-runners.md lacks: {}", told_rule());
    assert_eq!(PROOF_KINDS.len(), salvage(&rule()).len(), "each kind of proof is told once");
}

#[test]
fn every_command_that_a_pack_names_is_there() {
    let app = TestApp::open(Backend::Sqlite);
    for profile in SkillProfile::ALL {
        let pack = read(&app, json!({"profile": profile}));
        let text = pack["text"].as_str().unwrap().to_owned();
        let named: Vec<(&str, &str)> = text
            .split('`')
            .filter_map(|code| code.split_once(" {op:\""))
            .filter_map(|(portal, rest)| Some((portal, rest.split_once('"')?.0)))
            .collect();
        assert!(!named.is_empty(), "{profile}");
        for (portal, op) in named {
            assert!(table::find(&format!("{portal}.{op}")).is_some(), "{profile} names {portal} {op}");
        }
    }
}

#[test]
fn a_pack_that_is_cut_ends_with_a_line_and_says_so_and_never_exceeds_the_budget() {
    let app = TestApp::open(Backend::Sqlite);
    let whole = read(&app, json!({"profile": "strict"}))["text"].as_str().unwrap().to_owned();
    for max_chars in [0, 1, 40, 200, 1000, 1999] {
        let pack = read(&app, json!({"profile": "strict", "max_chars": max_chars}));
        let text = pack["text"].as_str().unwrap();
        assert!(text.chars().count() <= max_chars, "{max_chars}");
        assert_eq!(pack["truncated"], true);
        if max_chars >= 200 {
            let (kept, last) = text.rsplit_once('\n').unwrap();
            assert!(whole.starts_with(kept) && whole[kept.len()..].starts_with('\n'), "{max_chars}");
            assert_eq!(last, "[cut: raise max_chars for the rest of strict]");
        }
    }
    let most = read(&app, json!({"profile": "strict", "max_chars": limits::SKILL_CHARS_MAX * 10}));
    assert_eq!(most["truncated"], false, "more than there can be is all of it");
}

#[test]
fn a_profile_that_does_not_exist_is_refused() {
    let app = TestApp::open(Backend::Sqlite);
    let refused = app.call(app.agent("codex").caller(), "skill", json!({"profile": "wizard"})).unwrap_err().to_json();
    assert_eq!([&refused["error"], &refused["field"]], ["INVALID_INPUT", "profile"]);
}
