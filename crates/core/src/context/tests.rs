//! What a pack keeps, what it lets go, and that it does not depend on who put what where.

use proptest::{collection::vec, option, prelude::*, sample::Index};
use serde_json::json;

use super::*;
use crate::{
    handoff::{Artifact, ArtifactRole, Handoff},
    ids::Seq,
    limits,
    time::Timestamp,
};

fn handoff(open_questions: &[&str], do_not: &[&str]) -> Handoff {
    let owned = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
    Handoff {
        status: "done".to_owned(),
        next_action: "go on".to_owned(),
        artifacts: Vec::new(),
        open_questions: owned(open_questions),
        do_not: owned(do_not),
        context_ref: None,
    }
}

fn told(seq: u64, from: &str, handoff: Handoff) -> Told {
    Told { seq: Seq(seq), from: from.to_owned(), handoff }
}

fn file(path: &str, summary: &str) -> RelevantFile {
    RelevantFile { path: path.to_owned(), summary: Some(summary.to_owned()), role: None }
}

fn input(number: u64, message: &str) -> (Seq, Input) {
    let input =
        Input { payload_id: format!("p{number}"), from: Some("ana".to_owned()), message: Some(message.to_owned()) };
    (Seq(number), input)
}

fn brief() -> Brief {
    Brief {
        goal: Some("Ship it".to_owned()),
        definition_of_done: vec!["tests pass".to_owned()],
        global_mode: Some(Mode::Implementation),
        docs_root: Some("docs".to_owned()),
        constraints: [("noNewDependencies".to_owned(), json!(true))].into(),
    }
}

fn sources() -> Sources {
    Sources {
        run_id: "room_1".to_owned(),
        node_id: "codex:1".to_owned(),
        at: Timestamp::from_millis(1_771_092_311_000),
        brief: brief(),
        ..Sources::default()
    }
}

fn least() -> Budget {
    Budget::of(Some(2_000)).unwrap()
}

/// So much of everything that no budget holds it.
fn too_much() -> Sources {
    let numbers = 0..100;
    let long = "words that say little, ".repeat(10);
    Sources {
        docs: numbers.clone().map(|n| DocRef { path: format!("docs/{n:03}.md"), excerpt: long.clone() }).collect(),
        files: numbers.clone().map(|n| file(&format!("src/{n:03}.rs"), &long)).collect(),
        inputs: numbers.clone().map(|n| input(n, &long)).collect(),
        artifacts: numbers
            .map(|n| (Seq(n), PackArtifact { id: format!("artifact://diff/{n}"), kind: "diff".to_owned() }))
            .collect(),
        handoffs: vec![told(7, "ana", handoff(&["which port?"], &["touch main.rs"]))],
        ..sources()
    }
}

fn remarks(remarks: &[Remark]) -> Vec<(&str, &str)> {
    remarks.iter().map(|remark| (remark.text.as_str(), remark.from.as_str())).collect()
}

#[test]
fn a_pack_has_what_is_known_in_the_contracts_order() {
    let mut left = handoff(&["which port?"], &["touch main.rs"]);
    left.artifacts = vec![Artifact {
        path: "src/lib.rs".to_owned(),
        lines: Some([3, 9]),
        role: ArtifactRole::Edit,
        note: Some("the rule".to_owned()),
    }];
    let pack = build(
        Sources {
            files: vec![file("src/a.rs", "A part"), file("src/lib.rs", "The library")],
            docs: vec![DocRef { path: "docs/PLAN.md".to_owned(), excerpt: "# Plan".to_owned() }],
            inputs: vec![input(9, "second"), input(4, "first")],
            artifacts: vec![(Seq(3), PackArtifact { id: "artifact://diff/1".to_owned(), kind: "diff".to_owned() })],
            handoffs: vec![told(8, "ana", left)],
            repo_facts: RepoFacts {
                language: Some("rust".to_owned()),
                branch: Some("main".to_owned()),
                dirty_files: vec!["b".to_owned(), "a".to_owned(), "b".to_owned()],
                ..RepoFacts::default()
            },
            ..sources()
        },
        Budget::default(),
    );
    let expected = json!({
        "packId": pack.content_id(), "runId": "room_1", "nodeId": "codex:1", "createdAt": "2026-02-14T18:05:11Z",
        "goal": "Ship it", "definitionOfDone": ["tests pass"], "globalMode": "IMPLEMENTATION", "nodeMode": "AUTO",
        "docsRoot": "docs", "docRefs": [{"path": "docs/PLAN.md", "excerpt": "# Plan"}],
        "repoFacts": {"language": "rust", "branch": "main", "dirtyFiles": ["a", "b"]},
        "relevantFiles": [
            {"path": "src/lib.rs", "summary": "lines 3-9: the rule", "role": "edit"},
            {"path": "src/a.rs", "summary": "A part"},
        ],
        "inputs": [
            {"payloadId": "p4", "from": "ana", "message": "first"},
            {"payloadId": "p9", "from": "ana", "message": "second"},
        ],
        "artifacts": [{"id": "artifact://diff/1", "kind": "diff"}],
        "constraints": {"noNewDependencies": true},
        "openQuestions": [{"text": "which port?", "from": "ana"}],
        "doNot": [{"text": "touch main.rs", "from": "ana"}],
    });
    assert_eq!(pack.to_json(), expected.to_string());
}

#[test]
fn what_can_be_had_elsewhere_goes_first_and_is_counted() {
    let pack = build(too_much(), least());
    assert!(pack.tokens() <= 2_000 && pack.tokens() > 1_900, "{}", pack.tokens());
    assert_eq!((pack.doc_refs.len() as u32 + pack.cut.doc_refs, pack.cut.excerpts), (100, 100));
    assert!(pack.doc_refs.iter().all(|doc| doc.excerpt.is_empty()));
    assert!(pack.inputs.iter().all(|input| input.message.is_none()));
    assert!(pack.relevant_files.iter().all(|file| file.summary.is_none()));
    assert_eq!((pack.cut.summaries, pack.relevant_files.len() as u32 + pack.cut.relevant_files), (100, 100));
    assert_eq!(pack.artifacts.len() as u32 + pack.cut.artifacts, 100);
    assert_eq!(pack.inputs.len() as u32 + pack.cut.inputs, 100);
    assert_eq!(pack.inputs.last().unwrap().payload_id, "p99", "the newest stays longest");
    assert_eq!((pack.goal.as_deref(), pack.cut.texts), (Some("Ship it"), 0));
    assert_eq!(remarks(&pack.open_questions), [("which port?", "ana")]);
    assert_eq!(remarks(&pack.do_not), [("touch main.rs", "ana")]);
    let larger = build(too_much(), Budget::of(Some(6_000)).unwrap());
    assert!(larger.tokens() <= 6_000 && larger.tokens() > 5_900, "{}", larger.tokens());
    let references =
        |pack: &ContextPack| pack.doc_refs.len() + pack.relevant_files.len() + pack.inputs.len() + pack.artifacts.len();
    assert!(references(&larger) > references(&pack));
}

/// How many references a pack has.
fn references(pack: &ContextPack) -> [usize; 5] {
    [
        pack.doc_refs.len(),
        pack.relevant_files.len(),
        pack.inputs.len(),
        pack.artifacts.len(),
        pack.repo_facts.dirty_files.len(),
    ]
}

#[test]
fn references_outlast_text_and_a_huge_passage_goes_before_any_of_them() {
    let huge = "many words that say little. ".repeat(1_000);
    let numbers = 0..30;
    let many = Sources {
        docs: numbers
            .clone()
            .map(|n| DocRef { path: format!("docs/{n:03}.md"), excerpt: "short".to_owned() })
            .collect(),
        files: numbers.clone().map(|n| file(&format!("src/{n:03}.rs"), "short")).collect(),
        inputs: numbers.clone().map(|n| input(n, "short")).collect(),
        artifacts: numbers
            .clone()
            .map(|n| (Seq(n), PackArtifact { id: format!("artifact://diff/{n}"), kind: "diff".to_owned() }))
            .collect(),
        repo_facts: RepoFacts {
            dirty_files: numbers.map(|n| format!("src/{n:03}.rs")).collect(),
            ..RepoFacts::default()
        },
        ..sources()
    };
    let with = |change: fn(&mut Sources, String)| {
        let mut sources = many.clone();
        change(&mut sources, huge.clone());
        build(sources, least())
    };
    let doc = |path: &str, excerpt: String| DocRef { path: path.to_owned(), excerpt };
    assert_eq!(references(&build(many.clone(), least())), [30; 5], "they fit by themselves");
    let passage = with(|sources, huge| sources.docs.iter_mut().take(5).for_each(|doc| doc.excerpt = huge.clone()));
    assert_eq!((references(&passage), passage.cut.excerpts > 0), ([30; 5], true));
    assert!(passage.doc_refs.iter().skip(5).all(|doc| doc.excerpt == "short"), "the longest is cut first");
    let goal = with(|sources, huge| sources.brief.goal = Some(huge));
    assert_eq!((references(&goal), goal.cut.texts), ([30; 5], 1));
    assert_eq!(goal.cut.rest["texts"], "context.brief.show, room.events");
    let blob = with(|sources, huge| drop(sources.brief.constraints.insert("blob".to_owned(), json!({"a": [huge]}))));
    assert_eq!((references(&blob), blob.cut.texts), ([30; 5], 1));
    let all = with(|sources, huge| {
        sources.docs.iter_mut().for_each(|doc| doc.excerpt = huge.clone());
        sources.files.iter_mut().for_each(|file| file.summary = Some(huge.clone()));
        sources.inputs.iter_mut().for_each(|(_, input)| input.message = Some(huge.clone()));
        sources.brief.goal = Some(huge);
    });
    assert_eq!(references(&all), [30; 5]);
    assert_eq!(all.cut.rest["excerpts"], "docRefs[].path");
    assert_eq!(all.cut.rest["summaries"], "relevantFiles[].path");
    assert_eq!(all.cut.rest["messages"], "inputs[].payloadId");
    assert!(all.doc_refs.contains(&doc("docs/000.md", String::new())), "a passage goes, its address stays");
}

#[test]
fn short_texts_outlast_long_ones_wherever_they_are() {
    let long = "many words that say little. ".repeat(40);
    let files = (0..72).map(|n| file(&format!("src/{n:03}.rs"), "Doc 0"));
    let many = Sources {
        files: files.collect(),
        inputs: (0..12).map(|n| input(n, &long)).collect(),
        brief: Brief { goal: Some(long.repeat(4)), ..brief() },
        ..sources()
    };
    let pack = build(many, Budget::of(Some(4_000)).unwrap());
    assert_eq!((pack.cut.summaries, pack.relevant_files.len(), pack.inputs.len()), (0, 72, 12));
    assert!(pack.inputs.iter().all(|input| input.message.as_ref().is_some_and(|text| text.ends_with('…'))));
    assert_eq!((pack.cut.messages, pack.cut.texts), (12, 1));
}

#[test]
fn what_is_appended_and_does_not_fit_is_kept_by_itself() {
    let pack = build(sources(), least());
    let question = |n: usize| Remark { text: format!("{n}: {}?", "why ".repeat(250)), from: "ana".to_owned() };
    let items = ContextPack { open_questions: (0..12).map(question).collect(), ..ContextPack::default() };
    let Appended { pack: longer, added } = append(pack.clone(), items.clone(), pack.created_at, least());
    let added = added.unwrap();
    assert_eq!((added.open_questions, longer.cut.texts), (items.open_questions, 12));
    let (one, other) = (&pack.pack_id, &added.pack_id);
    let expected = format!("context.brief.show, room.events, contextpack://pack/{one}, contextpack://pack/{other}");
    assert_eq!(longer.cut.rest["texts"], expected);
    let items = ContextPack { open_questions: vec![question(1)], ..ContextPack::default() };
    assert_eq!(append(pack.clone(), items, pack.created_at, least()).added, None, "it fits");
    let short = Remark { text: "which port?".to_owned(), from: "ana".to_owned() };
    let items = ContextPack { open_questions: vec![short.clone()], ..ContextPack::default() };
    let longest = append(longer, items, pack.created_at, least()).pack;
    assert!(longest.tokens() > 1_900 && longest.open_questions.contains(&short), "{}", longest.tokens());
}

/// Handoffs with 20 questions and 20 limits each, none of them a long text.
fn talkative(handoffs: u64) -> Vec<Told> {
    let asked = |n: u64| (0..20).map(|m| format!("{n}.{m}: {}", "why ".repeat(40))).collect::<Vec<_>>();
    let said = |n: u64| told(n, "ana", Handoff { open_questions: asked(n), do_not: asked(n), ..handoff(&[], &[]) });
    (0..handoffs).map(said).collect()
}

#[test]
fn many_short_texts_leave_a_few_references_of_each_kind() {
    let pack = build(Sources { handoffs: talkative(1), ..too_much() }, least());
    assert!(pack.tokens() <= 2_000);
    assert_eq!((references(&pack), pack.cut.open_questions + pack.cut.do_not), ([4, 4, 4, 4, 0], 0));
    assert_eq!(pack.inputs.last().unwrap().payload_id, "p99", "the newest stays longest");
}

#[test]
fn the_rest_is_never_said_to_be_in_an_empty_list() {
    let pack = build(Sources { handoffs: talkative(20), ..too_much() }, least());
    assert_eq!(references(&pack), [0; 5]);
    let rest = |what: &str| pack.cut.rest[what].as_str();
    assert_eq!([rest("excerpts"), rest("summaries"), rest("messages")], ["docsRoot", "context.build", "inbox.list"]);
}

#[test]
fn what_fits_is_not_cut() {
    let pack = build(sources(), least());
    assert!(pack.cut.is_empty());
    assert!(!pack.to_json().contains("cut"));
}

#[test]
fn questions_and_limits_are_shortened_before_any_of_them_is_left_out() {
    let long = |number: usize| format!("{number}: {}", "why ".repeat(400));
    let questions: Vec<String> = (0..16).map(long).collect();
    let asked: Vec<&str> = questions.iter().map(String::as_str).collect();
    let pack = build(Sources { handoffs: vec![told(1, "ana", handoff(&asked, &[]))], ..sources() }, least());
    assert!(pack.tokens() <= 2_000);
    assert_eq!((pack.open_questions.len(), pack.cut.texts, pack.cut.open_questions), (16, 16, 0));
    assert!(pack.open_questions.iter().all(|question| question.text.ends_with('…')));
    let many: Vec<Told> = (0..20)
        .map(|n| {
            let questions: Vec<String> = (0..32).map(|m| long(n * 100 + m)).collect();
            told(n as u64, "ana", handoff(&questions.iter().map(String::as_str).collect::<Vec<_>>(), &[]))
        })
        .collect();
    let pack = build(Sources { handoffs: many, ..sources() }, least());
    assert!(pack.tokens() <= 2_000);
    assert_eq!(pack.open_questions.len() as u32 + pack.cut.open_questions, 640);
    assert!(pack.open_questions[0].text.starts_with("0: why"), "the oldest stays: nobody else has it");
    assert_eq!(json!(pack.constraints), json!({"noNewDependencies": true}));
}

#[test]
fn a_budget_is_within_its_bounds() {
    assert_eq!(Budget::of(None).unwrap().tokens(), 4_000);
    assert_eq!(Budget::of(Some(1_999)).unwrap_err().to_string(), "must be from 2000 to 6000 tokens, not 1999");
    assert!(Budget::of(Some(6_001)).is_err());
}

#[test]
fn secrets_do_not_get_into_a_pack() {
    let mut given = sources();
    given.brief.goal = Some("log in with password=hunter2 first".to_owned());
    given.brief.constraints =
        [("api_token".to_owned(), json!("abcdefgh")), ("login".to_owned(), json!({"password": "hunter22"}))].into();
    given.inputs = vec![input(1, "Authorization: Bearer abc123.def-456")];
    let json = build(given, Budget::default()).to_json();
    for secret in ["hunter2", "abcdefgh", "abc123"] {
        assert!(!json.contains(secret), "{json}");
    }
}

#[test]
fn a_pack_goes_on_from_the_one_before_and_sees_anew_what_can_be_seen() {
    let base = build(
        Sources {
            docs: vec![DocRef { path: "docs/OLD.md".to_owned(), excerpt: "gone".to_owned() }],
            files: vec![file("src/a.rs", "before"), file("src/b.rs", "kept")],
            handoffs: vec![told(1, "ana", handoff(&["which port?"], &[]))],
            repo_facts: RepoFacts {
                branch: Some("main".to_owned()),
                head: Some("1".to_owned()),
                ..RepoFacts::default()
            },
            ..sources()
        },
        Budget::default(),
    );
    let next = Sources {
        brief: Brief { definition_of_done: vec!["shipped".to_owned()], ..Brief::default() },
        docs: vec![DocRef { path: "docs/NEW.md".to_owned(), excerpt: "here".to_owned() }],
        files: vec![file("src/a.rs", "after")],
        handoffs: vec![told(2, "bo", handoff(&["which port?", "which host?"], &[]))],
        repo_facts: RepoFacts { branch: Some("next".to_owned()), ..RepoFacts::default() },
        base: Some(base),
        ..sources()
    };
    let pack = build(next.clone(), Budget::default());
    assert_eq!(
        (pack.goal.as_deref(), pack.definition_of_done.as_slice()),
        (Some("Ship it"), ["shipped".to_owned()].as_slice())
    );
    assert_eq!(remarks(&pack.open_questions), [("which port?", "ana"), ("which host?", "bo")]);
    let docs: Vec<_> = pack.doc_refs.iter().map(|doc| doc.path.as_str()).collect();
    assert_eq!(docs, ["docs/NEW.md"]);
    assert_eq!(pack.relevant_files, [file("src/a.rs", "after"), file("src/b.rs", "kept")]);
    assert_eq!((pack.repo_facts.branch.as_deref(), pack.repo_facts.head.as_deref()), (Some("next"), None));
    let again = build(Sources { base: Some(pack.clone()), ..next }, Budget::default());
    assert_eq!(again.to_json(), pack.to_json(), "nothing new makes nothing new");
}

#[test]
fn five_packs_in_a_row_keep_the_first_ones_constraint_and_question_within_the_budget() {
    let mut first = too_much();
    first.brief.constraints = [("keepTheApi".to_owned(), json!("v1 stays as it is"))].into();
    let mut pack = build(first, least());
    for step in 2..=5 {
        let question = format!("what of step {step}? {}", "more words ".repeat(100));
        let mut next = Sources { brief: Brief::default(), node_id: format!("codex:{step}"), ..too_much() };
        next.handoffs = vec![told(step, "bo", handoff(&[&question], &["skip tests"]))];
        pack = merge(pack, build(next, least()), least());
    }
    assert!(pack.tokens() <= 2_000);
    assert_eq!(pack.constraints["keepTheApi"], json!("v1 stays as it is"));
    assert_eq!((pack.open_questions[0].text.as_str(), pack.open_questions.len()), ("which port?", 5));
    assert_eq!(pack.node_id, "codex:5");
}

#[test]
fn of_two_values_the_second_counts_and_lists_are_united() {
    let first = build(
        Sources { files: vec![file("a", "one"), file("b", "two")], inputs: vec![input(1, "x")], ..sources() },
        Budget::default(),
    );
    let mut later = Sources { files: vec![file("b", "three"), file("c", "four")], ..sources() };
    later.inputs = vec![input(2, "y"), input(1, "x, corrected")];
    later.brief = Brief {
        goal: Some("Ship it twice".to_owned()),
        constraints: [("noNewDependencies".to_owned(), json!(false)), ("fast".to_owned(), json!(1))].into(),
        ..Brief::default()
    };
    let merged = merge(first.clone(), build(later, Budget::default()), Budget::default());
    assert_eq!(merged.goal.as_deref(), Some("Ship it twice"));
    assert_eq!(json!(merged.constraints), json!({"fast": 1, "noNewDependencies": false}));
    assert_eq!(merged.relevant_files, [file("a", "one"), file("b", "three"), file("c", "four")]);
    assert_eq!(merged.inputs, [input(1, "x, corrected").1, input(2, "y").1]);
    assert_eq!(merged.definition_of_done, ["tests pass"]);
    assert_eq!(merge(first.clone(), first.clone(), Budget::default()), first, "with itself it is itself");
}

#[test]
fn what_is_appended_is_added_and_changes_nothing_else() {
    let pack = build(sources(), Budget::default());
    let items = ContextPack {
        goal: Some("something else".to_owned()),
        open_questions: vec![Remark { text: "when?".to_owned(), from: "ana".to_owned() }],
        constraints: [("offline".to_owned(), json!(true))].into(),
        ..ContextPack::default()
    };
    let longer = append(pack.clone(), items, Timestamp::from_millis(1_771_092_312_000), Budget::default()).pack;
    let changes = diff(&pack, &longer);
    assert_eq!(
        json!(changes),
        json!([
            {"field": "createdAt", "changed": [{"before": "2026-02-14T18:05:11Z", "after": "2026-02-14T18:05:12Z"}]},
            {"field": "constraints", "added": [{"offline": true}]},
            {"field": "openQuestions", "added": [{"text": "when?", "from": "ana"}]},
        ])
    );
}

#[test]
fn a_difference_is_told_field_by_field() {
    let facts = |branch: &str, dirty: &[&str]| RepoFacts {
        branch: Some(branch.to_owned()),
        dirty_files: dirty.iter().map(|path| (*path).to_owned()).collect(),
        ..RepoFacts::default()
    };
    let one = build(
        Sources { files: vec![file("a", "one"), file("b", "two")], repo_facts: facts("main", &["x"]), ..sources() },
        Budget::default(),
    );
    let mut other =
        Sources { files: vec![file("b", "2"), file("c", "three")], repo_facts: facts("next", &["y"]), ..sources() };
    other.brief.goal = None;
    let other = build(other, Budget::default());
    assert_eq!(diff(&one, &one), []);
    assert_eq!(
        json!(diff(&one, &other)),
        json!([
            {"field": "goal", "changed": [{"before": "Ship it", "after": null}]},
            {"field": "repoFacts", "changed": [{"key": "branch", "before": "main", "after": "next"}]},
            {"field": "repoFacts.dirtyFiles", "added": ["y"], "removed": ["x"]},
            {
                "field": "relevantFiles",
                "added": [{"path": "c", "summary": "three"}],
                "removed": [{"path": "a", "summary": "one"}],
                "changed": [{
                    "key": "b", "before": {"path": "b", "summary": "two"}, "after": {"path": "b", "summary": "2"},
                }],
            },
        ])
    );
}

/// Texts as others write them: long, short, full of characters that JSON writes as six.
fn text() -> impl Strategy<Value = String> {
    prop_oneof![r#"(\PC|\n|"|\\|\u{1}|password=|Bearer |token|: ){0,40}"#, "[a-z ]{0,700}", "[a-c]"]
}

prop_compose! {
    fn any_handoff()(
        questions in vec(text(), 0..12),
        do_not in vec(text(), 0..12),
        artifacts in vec((text(), option::of(text())), 0..12),
    ) -> Handoff {
        let artifacts = artifacts.into_iter().map(|(path, note)| {
            Artifact { path, lines: None, role: ArtifactRole::Review, note }
        });
        Handoff { open_questions: questions, do_not, artifacts: artifacts.collect(), ..handoff(&[], &[]) }
    }
}

prop_compose! {
    fn any_sources()(
        (goal, done) in (option::of(text()), vec(text(), 0..12)),
        constraints in vec((text(), text()), 0..12),
        files in vec((text(), option::of(text())), 0..16),
        docs in vec((text(), text()), 0..16),
        inputs in vec((0..20_u64, text(), option::of(text())), 0..16),
        artifacts in vec((0..20_u64, text()), 0..16),
        handoffs in vec((0..4_u64, text(), any_handoff()), 0..4),
        (branch, dirty) in (option::of(text()), vec(text(), 0..16)),
    ) -> Sources {
        let nested = |value: String| json!({ "b": value, "a": [value.len()] });
        Sources {
            brief: Brief {
                goal,
                definition_of_done: done,
                constraints: constraints.into_iter().map(|(name, value)| (name, nested(value))).collect(),
                ..brief()
            },
            files: files.into_iter().map(|(path, summary)| RelevantFile { path, summary, role: None }).collect(),
            docs: docs.into_iter().map(|(path, excerpt)| DocRef { path, excerpt }).collect(),
            inputs: inputs
                .into_iter()
                .map(|(seq, payload_id, message)| (Seq(seq), Input { payload_id, from: None, message }))
                .collect(),
            artifacts: artifacts
                .into_iter()
                .map(|(seq, id)| (Seq(seq), PackArtifact { id, kind: "log".to_owned() }))
                .collect(),
            handoffs: handoffs.into_iter().map(|(seq, from, handoff)| Told { seq: Seq(seq), from, handoff }).collect(),
            repo_facts: RepoFacts { branch, dirty_files: dirty, ..RepoFacts::default() },
            ..sources()
        }
    }
}

/// The same in another order.
fn shuffle<T>(list: &mut [T], dice: &[Index]) {
    for (place, dice) in dice.iter().enumerate().take(list.len()) {
        list.swap(place, dice.index(list.len()));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn whatever_goes_in_a_pack_stays_within_its_budget(
        sources in any_sources(), before in option::of(any_sources()), tokens in limits::PACK_TOKENS_RANGE,
    ) {
        let budget = Budget::of(Some(tokens)).unwrap();
        let base = before.map(|before| build(before, budget));
        let pack = build(Sources { base: base.clone(), ..sources }, budget);
        prop_assert!(pack.tokens() <= tokens);
        prop_assert_eq!(&pack.pack_id, &pack.content_id());
        let json = pack.to_json();
        let read: ContextPack = serde_json::from_str(&json).unwrap();
        prop_assert_eq!(read.to_json(), json);
        if let Some(base) = base {
            prop_assert!(merge(base, pack, budget).tokens() <= tokens);
        }
    }

    #[test]
    fn no_reference_goes_while_there_is_long_text_and_whatever_went_has_an_address(
        sources in any_sources(), extra in 0..200_usize, tokens in limits::PACK_TOKENS_RANGE,
    ) {
        let mut sources = sources;
        sources.files.extend((0..extra).map(|n| file(&format!("src/{n:03}.rs"), "what it is")));
        let pack = build(sources, Budget::of(Some(tokens)).unwrap());
        prop_assert!(pack.tokens() <= tokens);
        let cut = &pack.cut;
        if cut.doc_refs + cut.dirty_files + cut.relevant_files + cut.artifacts + cut.inputs > 0 {
            prop_assert!(pack.doc_refs.iter().all(|doc| doc.excerpt.is_empty()));
            let is_gone = |text: Option<&String>| text.is_none_or(String::is_empty);
            prop_assert!(pack.relevant_files.iter().all(|file| is_gone(file.summary.as_ref())));
            prop_assert!(pack.inputs.iter().all(|input| is_gone(input.message.as_ref())));
            let remarks = pack.open_questions.iter().chain(&pack.do_not).map(|remark| remark.text.len());
            let texts = pack.goal.iter().chain(&pack.definition_of_done).map(String::len).chain(remarks);
            prop_assert!(texts.max().unwrap_or_default() <= fit::LONG_TEXT_BYTES);
        }
        let told = serde_json::to_value(cut).unwrap();
        for (what, _) in told.as_object().unwrap().iter().filter(|(what, _)| *what != "rest") {
            prop_assert!(cut.rest.contains_key(what), "{what} of {told}");
        }
        prop_assert_eq!(cut.rest.len(), told.as_object().unwrap().len().saturating_sub(1));
    }

    #[test]
    fn the_same_sources_in_any_order_give_the_same_bytes(sources in any_sources(), dice in vec(any::<Index>(), 16)) {
        let mut shuffled = sources.clone();
        shuffle(&mut shuffled.files, &dice);
        shuffle(&mut shuffled.docs, &dice);
        shuffle(&mut shuffled.inputs, &dice);
        shuffle(&mut shuffled.artifacts, &dice);
        shuffle(&mut shuffled.handoffs, &dice);
        shuffle(&mut shuffled.repo_facts.dirty_files, &dice);
        prop_assert_eq!(build(sources, Budget::default()).to_json(), build(shuffled, Budget::default()).to_json());
    }
}
