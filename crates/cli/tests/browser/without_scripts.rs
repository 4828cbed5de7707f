//! A browser that runs no scripts.

use baton_browser::{Scripts, Wish};
use serde_json::json;

use crate::stage::{play, scene};

const WITHOUT: Wish = Wish { scripts: Scripts::Off, ..Wish::WIDE };

#[test]
fn a_page_without_scripts_says_that_it_is_not_live_and_its_forms_work() {
    play(WITHOUT, |stage| {
        let person = &stage.person;
        person.reads("#pulse", "not live");
        person.reads(".notice", "Live updates need scripts");
        let _ana = stage.world.agent("ana");
        person.clicks(".notice a");
        person.reads("#region-feed", "joined");
        person.clicks(".theme button");
        person.sees("html[data-theme=light]");
        person.clicks("nav a[href='/rooms']");
        person.is_at("/rooms");
        person.types_into("#find", "needle\u{e007}");
        person.is_at("/search?q=needle");
        assert_eq!(person.looks("() => document.documentElement.classList.contains('scripted')"), json!(false));
    });
}

#[test]
fn every_page_is_shown_without_scripts() {
    play(WITHOUT, |stage| {
        let scene = scene::set(&stage.world, "The parser reads tabs as spaces.");
        for page in &scene.pages {
            stage.person.goes(page);
            stage.person.is_at(page);
            let said = stage.person.looks(
                "() => document.querySelector('main h1').innerText + document.querySelector('main').innerText.length",
            );
            assert!(said.as_str().is_some_and(|said| said.len() > 3), "{page}: {said}");
        }
    });
}
