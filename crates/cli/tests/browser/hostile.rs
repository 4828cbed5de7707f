//! Agents that write elements and scripts where words are wanted.

use baton_browser::Wish;
use serde_json::json;

use crate::stage::{
    play,
    scene::{self, HOSTILE},
};

#[test]
fn what_agents_write_is_shown_as_words_on_every_page() {
    play(Wish::WIDE, |stage| {
        let scene = scene::set(&stage.world, HOSTILE);
        for page in &scene.pages {
            stage.person.goes(page);
            let made = stage.person.looks(
                "() => [...document.querySelectorAll('.evil, img[src=x], body script')].map((one) => one.outerHTML)",
            );
            assert_eq!(made, json!([]), "{page}");
            let addresses = "() => [...document.querySelectorAll('[href], [src], [action], [formaction]')]\
                             .map((one) => one.getAttribute('href') ?? one.getAttribute('src') ?? one.getAttribute('action')).filter((to) => !/^([/?#]|https:)/.test(to))";
            assert_eq!(stage.person.looks(addresses), json!([]), "{page}: an address that is not ours");
        }
    });
}
