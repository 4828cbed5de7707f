//! What may be asked for.

use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::scene::draft;
use crate::{
    code::ErrorCode,
    job::{
        Choice, Created, Draft, Event, Executor, ExpectedArtifact, Isolation, JobId, Lineage, Policy, Priority,
        Profile, Refusal, Routing, Status, check_line,
    },
    limits,
};

/// Creates it, or says why not.
fn created(draft: &Draft) -> Result<Created, Refusal> {
    draft.create(JobId(1)).map(|event| match event {
        Event::Created(created) => created,
        event => panic!("{event:?}"),
    })
}

fn refused(draft: &Draft) -> String {
    let refusal = created(draft).unwrap_err();
    assert_eq!(refusal.code(), ErrorCode::InvalidInput);
    refusal.to_string()
}

fn read<T: DeserializeOwned>(value: &Value) -> T {
    serde_json::from_value(value.clone()).unwrap()
}

/// A draft from the arguments of `jobs create`, as the contract writes them. The model stands in `meta` there, and is
/// a part of who does the job.
fn from_args(args: &Value) -> Draft {
    let mut meta = args["meta"].as_object().unwrap().clone();
    let model = meta.shift_remove("executor_model");
    Draft {
        title: read(&args["title"]),
        prompt: read(&args["prompt"]),
        kind: read(&args["kind"]),
        priority: Priority::read(args["priority"].as_str().unwrap()).unwrap(),
        task: read(&args["task"]),
        anchor: read(&args["anchor"]),
        routing: Routing {
            executor: read(&args["executor"]),
            executor_profile: read(&args["executor_profile"]),
            executor_model: model.as_ref().map(read),
            policy: args.get("policy").map(read),
            expected_artifacts: read(&args["expected_artifacts"]),
            isolation: Isolation::Workspace,
        },
        meta,
        lineage: Lineage::default(),
    }
}

#[test]
fn copy_paste_create_a_claude_code_job() {
    let draft = from_args(&json!({
        "title": "Investigate <topic>",
        "prompt": "<what to do>",
        "kind": "research",
        "priority": "normal",
        "task": "TASK-123",
        "anchor": "a:core",
        "executor": "claude_code",
        "executor_profile": "fast",
        "expected_artifacts": ["report"],
        "meta": { "executor_model": "sonnet", "skill_profile": "research" },
    }));
    let created = created(&draft).unwrap();
    insta::assert_snapshot!(serde_json::to_string_pretty(&created).unwrap(), @r#"
    {
      "job": "JOB-001",
      "title": "Investigate <topic>",
      "prompt": "<what to do>",
      "kind": "research",
      "priority": "MEDIUM",
      "task": "TASK-123",
      "anchor": "a:core",
      "executor": "claude_code",
      "executor_profile": "fast",
      "executor_model": "sonnet",
      "expected_artifacts": [
        "report"
      ],
      "isolation": "workspace",
      "meta": {
        "skill_profile": "research"
      }
    }
    "#);
    assert_eq!(created.routing.executor.executor(), Some(Executor::ClaudeCode));
}

#[test]
fn copy_paste_create_an_auto_routed_job_that_prefers_claude_code() {
    let draft = from_args(&json!({
        "title": "Implement <feature>",
        "prompt": "<what to do>",
        "kind": "codex_cli",
        "priority": "high",
        "task": "TASK-123",
        "anchor": "a:core",
        "executor": "auto",
        "executor_profile": "deep",
        "expected_artifacts": ["patch"],
        "policy": { "prefer": ["claude_code", "codex"], "forbid": [], "min_profile": "fast" },
        "meta": { "executor_model": "opus", "skill_profile": "strict" },
    }));
    let created = created(&draft).unwrap();
    insta::assert_snapshot!(serde_json::to_string_pretty(&created).unwrap(), @r#"
    {
      "job": "JOB-001",
      "title": "Implement <feature>",
      "prompt": "<what to do>",
      "kind": "codex_cli",
      "priority": "HIGH",
      "task": "TASK-123",
      "anchor": "a:core",
      "executor": "auto",
      "executor_profile": "deep",
      "executor_model": "opus",
      "policy": {
        "prefer": [
          "claude_code",
          "codex"
        ],
        "min_profile": "fast"
      },
      "expected_artifacts": [
        "patch"
      ],
      "isolation": "workspace",
      "meta": {
        "skill_profile": "strict"
      }
    }
    "#);
    assert_eq!(created.routing.executor.executor(), None);
    assert_eq!(created.routing.profile(), Profile::Deep, "more than the least that is accepted");
}

#[test]
fn who_does_a_job_is_shown_in_its_meta() {
    let mut asked = draft("Investigate cache");
    asked.routing.executor_model = Some("sonnet".to_owned());
    assert_eq!(
        Value::Object(asked.routing.in_meta()),
        json!({ "executor": "codex", "executor_model": "sonnet", "isolation": "workspace" })
    );
    let all = Routing {
        executor: Choice::Auto,
        executor_profile: Some(Profile::Fast),
        executor_model: Some("opus".to_owned()),
        policy: Some(Policy::default()),
        expected_artifacts: vec![ExpectedArtifact::Diff],
        isolation: Isolation::Worktree,
    };
    let keys: Vec<_> = all.in_meta().keys().cloned().collect();
    assert_eq!(keys, Routing::META, "what is shown there cannot be set there");
}

#[test]
fn a_minimal_profile_raises_the_profile_and_never_lowers_it() {
    let profile = |asked: Option<Profile>, least: Option<Profile>| {
        let policy = Some(Policy { min_profile: least, ..Policy::default() });
        Routing { executor_profile: asked, policy, ..draft("x").routing }.profile()
    };
    assert_eq!(profile(None, None), Profile::Fast);
    assert_eq!(profile(None, Some(Profile::Audit)), Profile::Audit);
    assert_eq!(profile(Some(Profile::Fast), Some(Profile::Deep)), Profile::Deep);
    assert_eq!(profile(Some(Profile::Audit), Some(Profile::Deep)), Profile::Audit);
}

#[test]
fn texts_have_bounds_in_characters_and_the_refusal_says_which() {
    let of = |change: fn(&mut Draft, String), chars: usize| {
        let mut asked = draft("Investigate cache");
        change(&mut asked, "ä".repeat(chars));
        asked
    };
    let title = |draft: &mut Draft, text| draft.title = text;
    let prompt = |draft: &mut Draft, text| draft.prompt = text;
    let kind = |draft: &mut Draft, text| draft.kind = text;
    let model = |draft: &mut Draft, text| draft.routing.executor_model = Some(text);
    assert!(created(&of(title, 200)).is_ok());
    insta::assert_snapshot!(refused(&of(title, 201)), @"title has 201 characters; at most 200 are accepted. Put the rest into a card and refer to that.");
    assert!(created(&of(prompt, 50_000)).is_ok());
    insta::assert_snapshot!(refused(&of(prompt, 50_001)), @"prompt has 50001 characters; at most 50000 are accepted. Put the rest into a card and refer to that.");
    assert!(created(&of(kind, 48)).is_ok());
    insta::assert_snapshot!(refused(&of(kind, 49)), @"kind has 49 characters; at most 48 are accepted. Put the rest into a card and refer to that.");
    insta::assert_snapshot!(refused(&of(model, 49)), @"executor_model has 49 characters; at most 48 are accepted. Put the rest into a card and refer to that.");
    insta::assert_snapshot!(refused(&of(title, 0)), @"title must say something.");
    insta::assert_snapshot!(refused(&of(prompt, 0)), @"prompt must say something.");
}

#[test]
fn a_title_is_one_line_and_a_prompt_is_kept_to_the_letter() {
    let mut asked = draft("  Investigate cache ");
    asked.prompt = "  Two\n\tlines \n".to_owned();
    let created = created(&asked).unwrap();
    assert_eq!((created.title.as_str(), created.prompt.as_str()), ("Investigate cache", "  Two\n\tlines \n"));
    insta::assert_snapshot!(refused(&draft("Investigate\ncache")), @"title must be one line, without control characters.");
    assert!(check_line("title", "red \u{1b}[31m", 200).is_err(), "nothing that moves a terminal");
}

#[test]
fn a_model_cannot_pass_for_an_option() {
    let mut asked = draft("Investigate cache");
    asked.routing.executor_model = Some("--dangerous".to_owned());
    insta::assert_snapshot!(refused(&asked), @"executor_model must not begin with a dash.");
}

#[test]
fn unknown_words_are_refused_naming_what_exists() {
    fn unknown<T: DeserializeOwned + std::fmt::Debug>(word: &str) -> String {
        serde_json::from_value::<T>(json!(word)).unwrap_err().to_string()
    }
    insta::assert_snapshot!(unknown::<Choice>("gemini"), @"unknown variant `gemini`, expected one of `codex`, `claude_code`, `command`, `auto`");
    insta::assert_snapshot!(unknown::<Executor>("auto"), @"unknown variant `auto`, expected one of `codex`, `claude_code`, `command`");
    insta::assert_snapshot!(unknown::<Profile>("turbo"), @"unknown variant `turbo`, expected one of `fast`, `deep`, `audit`");
    insta::assert_snapshot!(unknown::<ExpectedArtifact>("film"), @"unknown variant `film`, expected one of `report`, `diff`, `patch`, `bench`, `docs_update`");
    insta::assert_snapshot!(unknown::<Isolation>("container"), @"unknown variant `container`, expected `workspace` or `worktree`");
    insta::assert_snapshot!(unknown::<JobId>("TASK-1"), @r#"a job's id looks like JOB-001, not "TASK-1""#);
    let policy = serde_json::from_value::<Policy>(json!({ "preffer": [] })).unwrap_err();
    insta::assert_snapshot!(policy, @"unknown field `preffer`, expected one of `prefer`, `forbid`, `min_profile`");
    insta::assert_snapshot!("RUNING".parse::<Status>().unwrap_err(), @r#""RUNING" is no status: use one of QUEUED, RUNNING, DONE, FAILED, CANCELED"#);
    assert_eq!("running".parse(), Ok(Status::Running));
}

#[test]
fn a_priority_is_read_in_any_case_and_normal_is_the_middle_one() {
    for (text, priority) in [
        ("LOW", Some(Priority::Low)),
        ("normal", Some(Priority::Medium)),
        ("Medium", Some(Priority::Medium)),
        ("high", Some(Priority::High)),
        ("urgent", None),
        ("", None),
    ] {
        assert_eq!(Priority::read(text), priority, "{text}");
    }
    assert!(Priority::Low < Priority::Medium && Priority::Medium < Priority::High);
}

#[test]
fn a_policy_goes_with_auto_and_does_not_contradict_itself() {
    let with = |executor: Choice, prefer: &[Executor], forbid: &[Executor]| {
        let mut asked = draft("Investigate cache");
        asked.routing.executor = executor;
        asked.routing.policy = Some(Policy { prefer: prefer.to_vec(), forbid: forbid.to_vec(), min_profile: None });
        asked
    };
    insta::assert_snapshot!(refused(&with(Choice::Codex, &[], &[])), @"policy goes with executor auto only.");
    let both = with(Choice::Auto, &[Executor::Codex, Executor::ClaudeCode], &[Executor::ClaudeCode]);
    insta::assert_snapshot!(refused(&both), @"policy both prefers and forbids claude_code.");
    let many = [Executor::Codex; limits::EXECUTORS + 1];
    insta::assert_snapshot!(refused(&with(Choice::Auto, &many, &[])), @"policy names too many executors.");
    insta::assert_snapshot!(refused(&with(Choice::Auto, &[], Executor::ALL)), @"policy forbids every executor there is.");
    assert!(created(&with(Choice::Auto, &[Executor::Codex], &[Executor::Command])).is_ok());
}

#[test]
fn meta_says_nothing_twice_and_has_a_bound() {
    let noting = |meta: Value| {
        let mut asked = draft("Investigate cache");
        asked.meta = meta.as_object().unwrap().clone();
        asked
    };
    insta::assert_snapshot!(refused(&noting(json!({ "executor": "codex" }))), @"meta cannot set executor: who does a job, and how, is said once, when it is created.");
    insta::assert_snapshot!(refused(&noting(json!({ "x": "y".repeat(limits::JOB_META_BYTES) }))), @"meta would have 8200 bytes as JSON; at most 8192 are kept.");
    for meta in [json!({}), json!({ "skill_profile": "teamlead", "skill_max_chars": 0 }), json!({ "x": { "y": [1] } })]
    {
        assert_eq!(Value::Object(created(&noting(meta.clone())).unwrap().meta), meta);
    }
}

#[test]
fn a_skill_that_does_not_exist_is_refused_rather_than_guessed_at() {
    let noting = |key: &str, value: Value| {
        let mut asked = draft("Investigate cache");
        asked.meta.insert(key.to_owned(), value);
        asked
    };
    for wrong in [json!("lazy"), json!("STRICT"), json!(1), json!(null)] {
        insta::allow_duplicates! {
            insta::assert_snapshot!(refused(&noting("skill_profile", wrong)), @"meta.skill_profile must be daily, strict, research or teamlead.");
        }
    }
    for wrong in [json!("many"), json!(-1), json!(1.5), json!(null)] {
        insta::allow_duplicates! {
            insta::assert_snapshot!(refused(&noting("skill_max_chars", wrong)), @"meta.skill_max_chars must be a number of characters; 0 means no skill pack.");
        }
    }
}
