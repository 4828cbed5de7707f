//! Filter, rank, tie-break: each line of the table is a job, who is there, and who gets it.

use proptest::{collection::vec, prelude::*, sample::select};

use super::{able, agent};
use crate::{
    job::{Choice, Executor, ExpectedArtifact, Isolation, Policy, Profile, Routing},
    runner::{Ability, Candidate, Capabilities, can_do, route},
};

use Executor::{ClaudeCode, Codex, Command};

fn asking(executor: Choice) -> Routing {
    Routing {
        executor,
        executor_profile: None,
        executor_model: None,
        policy: None,
        expected_artifacts: Vec::new(),
        isolation: Isolation::Workspace,
    }
}

fn auto(prefer: &[Executor], forbid: &[Executor], min_profile: Option<Profile>) -> Routing {
    let policy = Some(Policy { prefer: prefer.to_vec(), forbid: forbid.to_vec(), min_profile });
    Routing { policy, ..asking(Choice::Auto) }
}

/// A candidate that can work on `most` jobs at a time and has so many.
fn there(name: &str, executors: &[Executor], load: u32, most: u32) -> Candidate {
    let capabilities = Capabilities { max_parallel: most, ..able(executors) };
    Candidate { runner: agent(name), capabilities, load }
}

fn only(profiles: &[Profile], executor: Executor) -> Capabilities {
    let executors = vec![Ability { executor, profiles: profiles.to_vec(), trouble: None }];
    Capabilities { executors, ..able(&[]) }
}

/// Who gets it with what: `r1 codex`, or nobody.
fn chosen(routing: &Routing, candidates: &[Candidate]) -> String {
    route(routing, candidates).map_or("nobody".to_owned(), |route| format!("{} {}", route.runner, route.executor))
}

#[test]
fn a_model_is_for_the_executor_it_was_meant_for_and_any_other_uses_its_own() {
    let with = |model: &str, routing: Routing| Routing { executor_model: Some(model.to_owned()), ..routing };
    let given = |routing: &Routing| {
        let takes = |executor: &&Executor| routing.model_for(**executor).is_some();
        Executor::ALL.iter().filter(takes).copied().collect::<Vec<_>>()
    };
    // The contract's own example: claude_code before codex, on which opus falls back.
    assert_eq!(given(&with("opus", auto(&[ClaudeCode, Codex], &[], None))), [ClaudeCode]);
    // Who was asked for gets it, whatever it is called: a program may reach the models of others.
    assert_eq!(given(&with("opus", asking(Choice::Codex))), [Codex]);
    assert_eq!(given(&with("gpt-5", asking(Choice::ClaudeCode))), [ClaudeCode]);
    assert_eq!(given(&with("x", asking(Choice::Command))), [Command]);
    // A vendor's name goes before the preference.
    for model in ["opus", "Sonnet", "haiku", "claude-opus-4-1", "us.anthropic.claude-sonnet-4", "opus[1m]"] {
        assert_eq!(given(&with(model, auto(&[Codex], &[], None))), [ClaudeCode], "{model}");
    }
    for model in ["gpt-5.5", "o3", "o4-mini", "codex-mini", "openai/gpt-5", "chatgpt-4o"] {
        assert_eq!(given(&with(model, auto(&[ClaudeCode], &[], None))), [Codex], "{model}");
    }
    // Any other name is for the first that is preferred, or for anybody where nothing says whose it is.
    assert_eq!(given(&with("big-1", auto(&[Codex, ClaudeCode], &[], None))), [Codex]);
    assert_eq!(given(&with("big-1", auto(&[Codex, ClaudeCode], &[Codex], None))), [ClaudeCode]);
    assert_eq!(given(&with("other", asking(Choice::Auto))), Executor::ALL);
    assert_eq!(given(&auto(&[ClaudeCode], &[], None)), []);
}

#[test]
fn a_job_that_asks_for_no_profile_is_done_with_any_and_one_that_does_with_that_only() {
    let deep = only(&[Profile::Deep], Codex);
    assert_eq!(can_do(&deep, &asking(Choice::Codex)), [Codex]);
    let fast = Routing { executor_profile: Some(Profile::Fast), ..asking(Choice::Codex) };
    assert_eq!(can_do(&deep, &fast), []);
    assert_eq!(can_do(&deep, &auto(&[], &[], Some(Profile::Audit))), []);
}

#[test]
fn a_runner_is_left_out_that_lacks_what_the_job_needs() {
    let both = [there("r1", &[Codex], 0, 1), there("r2", &[ClaudeCode], 0, 1)];
    let table: [(&str, Routing, &str); 8] = [
        ("the executor that is asked for", asking(Choice::ClaudeCode), "r2 claude_code"),
        ("the same", asking(Choice::Codex), "r1 codex"),
        ("one that nobody has", asking(Choice::Command), "nobody"),
        ("anything", asking(Choice::Auto), "r1 codex"),
        ("anything, by a policy that says nothing", auto(&[], &[], None), "r1 codex"),
        ("not this one", auto(&[], &[Codex], None), "r2 claude_code"),
        ("neither of these", auto(&[], &[Codex, ClaudeCode], None), "nobody"),
        ("rather one that nobody has", auto(&[Command], &[], None), "r1 codex"),
    ];
    for (what, routing, expected) in table {
        assert_eq!(chosen(&routing, &both), expected, "{what}");
    }
    assert_eq!(chosen(&asking(Choice::Auto), &[]), "nobody");
}

#[test]
fn a_runner_is_left_out_that_cannot_work_with_the_effort() {
    let quick = Candidate { capabilities: only(&[Profile::Fast], Codex), ..there("r1", &[], 0, 1) };
    let deep = Candidate { capabilities: only(&[Profile::Fast, Profile::Deep], Codex), ..there("r2", &[], 0, 1) };
    let with = |asked, least| Routing { executor_profile: asked, ..auto(&[], &[], least) };
    let both = [quick, deep];
    let table = [
        (None, None, "r1 codex"),
        (Some(Profile::Fast), None, "r1 codex"),
        (Some(Profile::Deep), None, "r2 codex"),
        (Some(Profile::Audit), None, "nobody"),
        (None, Some(Profile::Deep), "r2 codex"),
        (Some(Profile::Fast), Some(Profile::Deep), "r2 codex"),
        (Some(Profile::Deep), Some(Profile::Fast), "r2 codex"),
        (Some(Profile::Fast), Some(Profile::Audit), "nobody"),
    ];
    for (asked, least, expected) in table {
        assert_eq!(chosen(&with(asked, least), &both), expected, "{asked:?}, at least {least:?}");
    }
}

#[test]
fn a_runner_is_left_out_that_keeps_no_artifacts_when_some_are_expected() {
    let forgetful = Candidate {
        capabilities: Capabilities { supports_artifacts: false, ..able(&[Codex]) },
        ..there("r1", &[], 0, 1)
    };
    let both = [forgetful, there("r2", &[Codex], 0, 1)];
    assert_eq!(chosen(&asking(Choice::Codex), &both), "r1 codex");
    let leaving = Routing { expected_artifacts: vec![ExpectedArtifact::Patch], ..asking(Choice::Codex) };
    assert_eq!(chosen(&leaving, &both), "r2 codex");
    assert_eq!(chosen(&leaving, &both[..1]), "nobody");
}

#[test]
fn those_that_are_left_are_ranked_by_preference_then_room_then_load_then_id() {
    let prefer = auto(&[ClaudeCode, Codex], &[], None);
    let any = asking(Choice::Auto);
    let table: [(&str, &Routing, Vec<Candidate>, &str); 9] = [
        ("preferred", &prefer, vec![there("r1", &[Codex], 0, 1), there("r2", &[ClaudeCode], 0, 1)], "r2 claude_code"),
        ("second best", &prefer, vec![there("r1", &[Command], 0, 1), there("r2", &[Codex], 0, 1)], "r2 codex"),
        ("not named", &prefer, vec![there("r1", &[Command], 0, 1)], "r1 command"),
        ("of one runner", &prefer, vec![there("r1", &[Codex, Command, ClaudeCode], 0, 1)], "r1 claude_code"),
        (
            "preferred, though full and loaded",
            &prefer,
            vec![there("r1", &[Codex], 0, 1), there("r2", &[ClaudeCode], 5, 1)],
            "r2 claude_code",
        ),
        ("not full", &any, vec![there("r1", &[Codex], 1, 1), there("r2", &[Codex], 3, 4)], "r2 codex"),
        ("less to do", &any, vec![there("r1", &[Codex], 2, 4), there("r2", &[Codex], 1, 4)], "r2 codex"),
        ("the id", &any, vec![there("r10", &[Codex], 1, 4), there("r2", &[Codex], 1, 4)], "r10 codex"),
        ("all full: less to do", &any, vec![there("r1", &[Codex], 9, 4), there("r2", &[Codex], 8, 4)], "r2 codex"),
    ];
    for (why, routing, candidates, expected) in table {
        assert_eq!(chosen(routing, &candidates), expected, "{why}");
    }
}

#[test]
fn a_runner_knows_with_what_it_could_do_a_job_best_first() {
    let capabilities = able(&[Command, ClaudeCode, Codex]);
    assert_eq!(can_do(&capabilities, &auto(&[ClaudeCode], &[], None)), [ClaudeCode, Codex, Command]);
    assert_eq!(can_do(&capabilities, &auto(&[], &[Codex], None)), [ClaudeCode, Command]);
    assert_eq!(can_do(&capabilities, &asking(Choice::Codex)), [Codex]);
    assert_eq!(can_do(&able(&[Codex]), &asking(Choice::ClaudeCode)), []);
}

fn candidates() -> impl Strategy<Value = Vec<Candidate>> {
    let executors = proptest::sample::subsequence(Executor::ALL, 1..=3);
    let profiles = proptest::sample::subsequence(Profile::ALL, 1..=3);
    let one = (executors, profiles, 0..4_u32, 1..4_u32, any::<bool>());
    vec(one, 0..7).prop_map(|all| {
        let made = all.into_iter().enumerate().map(|(number, (executors, profiles, load, max_parallel, keeps))| {
            let ability = |executor| Ability { executor, profiles: profiles.clone(), trouble: None };
            let capabilities = Capabilities {
                executors: executors.into_iter().map(ability).collect(),
                max_parallel,
                supports_artifacts: keeps,
                sandbox_policy: None,
            };
            Candidate { runner: agent(&format!("r{number}")), capabilities, load }
        });
        made.collect()
    })
}

fn routings() -> impl Strategy<Value = Routing> {
    let order = || proptest::sample::subsequence(Executor::ALL, 0..=3).prop_shuffle();
    let policy = (order(), order(), proptest::option::of(select(Profile::ALL)))
        .prop_map(|(prefer, forbid, min_profile)| Policy { prefer, forbid, min_profile });
    let policy = proptest::option::of(policy);
    (select(Choice::ALL), proptest::option::of(select(Profile::ALL)), policy, any::<bool>()).prop_map(
        |(executor, executor_profile, policy, leaves)| Routing {
            executor_profile,
            policy,
            expected_artifacts: if leaves { vec![ExpectedArtifact::Report] } else { Vec::new() },
            ..asking(executor)
        },
    )
}

/// A list of runners, and the same in any order.
fn shuffled() -> impl Strategy<Value = (Vec<Candidate>, Vec<Candidate>)> {
    candidates().prop_flat_map(|all| (Just(all.clone()), Just(all).prop_shuffle()))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_same_runners_in_any_order_give_the_same_choice(routing in routings(), (one, other) in shuffled()) {
        prop_assert_eq!(route(&routing, &one), route(&routing, &other));
    }

    #[test]
    fn the_choice_can_do_the_job_and_nobody_who_can_is_overlooked(routing in routings(), all in candidates()) {
        match route(&routing, &all) {
            Some(chosen) => {
                let one = all.iter().find(|one| one.runner == chosen.runner).unwrap();
                let has = |ability: &Ability| {
                    ability.executor == chosen.executor
                        && (routing.takes_any_profile() || ability.profiles.contains(&routing.profile()))
                };
                prop_assert!(one.capabilities.executors.iter().any(has));
                prop_assert!(routing.executor.executor().is_none_or(|wanted| wanted == chosen.executor));
                let forbidden = routing.policy.as_ref().is_some_and(|policy| policy.forbid.contains(&chosen.executor));
                prop_assert!(!forbidden);
                prop_assert!(routing.expected_artifacts.is_empty() || one.capabilities.supports_artifacts);
            }
            None => prop_assert!(all.iter().all(|one| can_do(&one.capabilities, &routing).is_empty())),
        }
    }
}
