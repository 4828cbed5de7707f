//! Somebody who may look and not act.

use baton_browser::Wish;
use serde_json::json;

use crate::stage::{play, scene};

/// What could be pressed to change something, other than one's own colours and leaving.
const TO_PRESS: &str = "() => [...document.querySelectorAll('form[method=post]:not([action=\"/theme\"], [action=\"/logout\"]), [data-delegate], details.act')]\
                        .map((one) => one.outerHTML.slice(0, 200))";

#[test]
fn a_viewer_sees_every_page_as_it_changes_and_has_nothing_to_press() {
    play(Wish::WIDE, |stage| {
        let person = &stage.person;
        let mut scene = scene::set(&stage.world, "The parser reads tabs as spaces.");
        person.goes("/");
        assert_ne!(person.looks(TO_PRESS), json!([]), "the owner has");
        person.browser().devtools("Network.clearBrowserCookies", &json!({})).unwrap();
        let ticket = stage.world.data_at_terminal(&["ticket", "--role", "viewer"]);
        person.logs_in(ticket["login"].as_str().unwrap());
        for page in &scene.pages {
            person.goes(page);
            assert_eq!(person.looks(TO_PRESS), json!([]), "{page}");
        }
        person.goes(&format!("/rooms/{}", scene.room));
        person.reads("header.top", "can look, not act");
        scene.ana.ok("append_note", json!({ "text": "I am at the lexer." }));
        person.reads("#region-notes", "I am at the lexer.");
    });
}
