//! Agents that write elements and scripts where words are wanted.

use baton_browser::Wish;
use serde_json::json;

use crate::{
    stage::{
        Person, play,
        scene::{self, HOSTILE},
    },
    support::Agent,
};

/// Pages that show nothing of what agents write.
const QUIET: [&str; 4] = ["/rooms", "/agents", "/doctor", "/keys"];

/// Elements that words have become.
const MADE: &str =
    "() => [...document.querySelectorAll('.evil, img[src=x], body script')].map((one) => one.outerHTML.slice(0, 300))";

/// Addresses that lead somewhere else than to a page of ours, or to what an agent linked to.
const ELSEWHERE: &str = "() => [...document.querySelectorAll('[href], [src], [action], [formaction]')]\
    .flatMap((one) => ['href', 'src', 'action', 'formaction'].map((name) => one.getAttribute(name)))\
    .filter((to) => to !== null && !/^([/?#]|https:\\/\\/example\\.org\\/)/.test(to))";

#[test]
fn what_agents_write_is_shown_as_words_on_every_page() {
    play(Wish::WIDE, |stage| {
        let scene = scene::set(&stage.world, HOSTILE);
        let mut silent = Vec::new();
        for page in &scene.pages {
            stage.person.goes(page);
            is_harmless(&stage.person, page);
            let shown = format!("() => document.querySelector('main').innerHTML.includes({:?})", escaped());
            if stage.person.looks(&shown) != json!(true) && !QUIET.contains(&page.as_str()) {
                silent.push(page);
            }
        }
        assert_eq!(silent, Vec::<&String>::new(), "they show nothing of it");
    });
}

#[test]
fn a_name_is_no_place_for_elements_and_a_folder_that_is_called_so_is_shown_as_it_is() {
    play(Wish::WIDE, |stage| {
        let named = stage.world.run_as("cy", &["agent", "register", "<b class=evil>"]);
        assert_ne!(named.status, 0, "{named:?}");
        let folder = "<img src=x onerror=alert(5)><b class=evil>";
        let mut command = stage.world.baton(&["mcp", "--tools", "full"]);
        command.current_dir(stage.world.make_workspace(folder));
        let (agent, _) = Agent::join(command, "<b class=evil>");
        for page in ["/", "/rooms", "/agents", &format!("/rooms/{}", agent.room_id)] {
            stage.person.goes(page);
            is_harmless(&stage.person, page);
            stage.person.reads("main", folder);
        }
    });
}

fn is_harmless(person: &Person, page: &str) {
    assert_eq!(person.looks(MADE), json!([]), "{page}");
    assert_eq!(person.looks(ELSEWHERE), json!([]), "{page}: an address that is not ours");
}

/// A part of the words as a document has them.
fn escaped() -> String {
    HOSTILE[..60].replace('<', "&lt;").replace('>', "&gt;")
}
