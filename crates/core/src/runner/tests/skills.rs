//! Which behaviour pack a job's agent is given, and how much of it.

use serde_json::{Value, json};

use crate::{
    limits,
    runner::{Injection, SkillProfile},
};

/// What a runner does by default.
const DEFAULT: Injection = Injection { profile: SkillProfile::Strict, max_chars: 6000 };

/// `strict 6000`, or none.
fn chosen(kind: &str, meta: Value) -> String {
    let meta = meta.as_object().unwrap();
    let injection = Injection::choose(kind, meta, DEFAULT);
    assert_eq!(injection, Injection::choose(kind, meta, DEFAULT), "always the same");
    injection.map_or("none".to_owned(), |chosen| format!("{} {}", chosen.profile, chosen.max_chars))
}

#[test]
fn what_the_job_asks_for_comes_first_then_its_kind_then_the_default() {
    for profile in SkillProfile::ALL {
        let meta = json!({ "skill_profile": profile });
        assert_eq!(chosen("research", meta), format!("{profile} 6000"), "whatever the kind");
    }
    for (kind, expected) in [
        ("research", "research 6000"),
        ("deep_research_v2", "research 6000"),
        ("Research", "research 6000"),
        ("teamlead", "teamlead 6000"),
        ("daily-report", "daily 6000"),
        ("codex_cli", "strict 6000"),
    ] {
        assert_eq!(chosen(kind, json!({})), expected, "{kind}");
    }
}

#[test]
fn a_profile_that_does_not_exist_is_passed_over() {
    for wrong in [json!("lazy"), json!("STRICT"), json!(7), json!(null)] {
        assert_eq!(chosen("research", json!({ "skill_profile": wrong })), "research 6000");
        assert_eq!(chosen("codex_cli", json!({ "skill_profile": wrong })), "strict 6000");
    }
}

#[test]
fn how_much_is_what_the_job_asks_for_within_the_bound_and_nothing_is_nothing() {
    let most = limits::SKILL_CHARS_MAX;
    for (asked, expected) in [
        (json!(0), "none".to_owned()),
        (json!(1), "strict 1".to_owned()),
        (json!(most), format!("strict {most}")),
        (json!(most + 1), format!("strict {most}")),
        (json!(u64::MAX), format!("strict {most}")),
        (json!("many"), "strict 6000".to_owned()),
        (json!(-1), "strict 6000".to_owned()),
        (json!(null), "strict 6000".to_owned()),
    ] {
        assert_eq!(chosen("codex_cli", json!({ "skill_max_chars": asked })), expected, "{asked}");
    }
}

#[test]
fn a_runner_that_injects_nothing_or_too_much_by_default_is_bounded_too() {
    let by = |max_chars: usize, meta: Value| {
        Injection::choose("codex_cli", meta.as_object().unwrap(), Injection { max_chars, ..DEFAULT })
            .map(|chosen| chosen.max_chars)
    };
    assert_eq!(by(0, json!({})), None);
    assert_eq!(by(0, json!({ "skill_max_chars": 100 })), Some(100), "unless the job asks for it");
    assert_eq!(by(usize::MAX, json!({})), Some(limits::SKILL_CHARS_MAX));
}

#[test]
fn profiles_are_the_contracts() {
    let words: Vec<_> = SkillProfile::ALL.iter().map(|profile| profile.as_str()).collect();
    assert_eq!(words, ["daily", "strict", "research", "teamlead"]);
}
