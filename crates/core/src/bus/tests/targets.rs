//! Who is meant by a `dst`.

use super::scene::{Scene, group, told, user};

fn to(dst: &str) -> String {
    let mut scene = Scene::new();
    match scene.submit("ana", group(vec![user("bo", "a1"), user(dst, "a2")])) {
        Ok(_) => scene.action("a2").target.to_string(),
        refused => told(&refused),
    }
}

#[test]
fn a_target_is_named_by_its_id_or_its_name_and_nobody_is_their_own() {
    let long = "x".repeat(500);
    let told: Vec<String> = ["bo", "Birch", "birch", "ana", "Amber", "nobody", "broadcast", long.as_str()]
        .iter()
        .map(|dst| format!("{} -> {}", dst.chars().take(12).collect::<String>(), to(dst)))
        .collect();
    insta::assert_snapshot!(told.join("\n"), @r"
    bo -> bo
    Birch -> bo
    birch -> UNKNOWN_RECIPIENT: actions[1].dst: birch: no agent of this session has that id or name.
    ana -> UNKNOWN_RECIPIENT: actions[1].dst: ana: that is you; an agent does not act on itself.
    Amber -> UNKNOWN_RECIPIENT: actions[1].dst: Amber: that is you; an agent does not act on itself.
    nobody -> UNKNOWN_RECIPIENT: actions[1].dst: nobody: no agent of this session has that id or name.
    broadcast -> UNKNOWN_RECIPIENT: actions[1].dst: broadcast: no agent of this session has that id or name.
    xxxxxxxxxxxx -> UNKNOWN_RECIPIENT: actions[1].dst: xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx: no agent of this session has that id or name.
    ");
}

#[test]
fn a_refusal_lists_who_could_be_meant() {
    let refusal = Scene::new().submit("ana", group(vec![user("nobody", "a1")])).unwrap_err();
    let expected = serde_json::json!({"field": "actions[0].dst", "dst": "nobody", "agents": ["Birch", "Cedar"]});
    assert_eq!(serde_json::to_value(&refusal).unwrap(), expected);
}

#[test]
fn an_id_goes_before_a_name_and_the_sender_must_be_there() {
    let mut scene = Scene::new();
    scene.joins("dot", "bo2");
    scene.joins("bo2x", "Dot");
    scene.submits("ana", group(vec![user("bo2", "a1"), user("Dot", "a2")]));
    assert_eq!((scene.action("a1").target.as_str(), scene.action("a2").target.as_str()), ("dot", "bo2x"));
    insta::assert_snapshot!(told(&scene.submit("stranger", group(vec![user("bo", "a3")]))), @r"UNKNOWN_SENDER: stranger is not an agent of this session, so it cannot send here.");
}
