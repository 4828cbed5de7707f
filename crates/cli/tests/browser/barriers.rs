//! Barriers on pages, as axe-core finds them, and pages that do not fit a screen.

use baton_browser::{Scheme, Wish};
use serde_json::{Value, json};

use crate::stage::{
    Person, axe, play,
    scene::{self, HOSTILE},
};

/// Pages that are there whatever happened.
const PAGES: [&str; 8] = ["/", "/rooms", "/jobs", "/agents", "/approvals", "/search?q=needle", "/doctor", "/keys"];

/// Rules of WCAG 2.2 up to AA, and what is good practice.
const LOOK: &str = "
    const answer = arguments[arguments.length - 1];
    axe.run(document, { resultTypes: ['violations'] }).then((found) => answer(found.violations
        .filter((one) => one.impact === 'serious' || one.impact === 'critical')
        .map((one) => `${one.id}: ${one.help}: ` + one.nodes.map((node) => `${node.html.slice(0, 160)} (${node.any[0]?.message ?? ''})`).join('; '))));
";

/// What is wider than the screen, if the page can be scrolled sideways.
const WIDER: &str = "() => {
    const wide = document.documentElement.clientWidth;
    if (document.documentElement.scrollWidth <= wide) return [];
    const out = [...document.querySelectorAll('body *')].filter((one) => one.getBoundingClientRect().right > wide + 1);
    return out.slice(0, 5).map((one) => one.outerHTML.slice(0, 200));
}";

#[test]
fn nothing_serious_is_in_anybodys_way_on_a_page_with_nothing_on_it() {
    play(Wish::WIDE, |stage| {
        let found = barriers(&stage.person, &PAGES.map(str::to_owned));
        assert!(found.is_empty(), "{}", found.join("\n"));
    });
}

#[test]
fn nothing_serious_is_in_anybodys_way_on_a_page_with_everything_on_it() {
    play(Wish::WIDE, |stage| {
        let scene = scene::set(&stage.world, "The parser reads tabs as spaces, which nobody wanted.");
        let found = barriers(&stage.person, &scene.pages);
        assert!(found.is_empty(), "{}", found.join("\n"));
    });
}

#[test]
fn long_words_and_odd_ones_fit_on_a_phone() {
    play(Wish::NARROW, |stage| {
        let long = format!("{HOSTILE}{}", "x".repeat(60));
        let scene = scene::set(&stage.world, &long);
        for page in &scene.pages {
            stage.person.goes(page);
            assert_eq!(stage.person.looks(WIDER), json!([]), "{page}");
        }
    });
}

/// What is in the way on each page, wide and narrow, light and dark.
fn barriers(person: &Person, pages: &[String]) -> Vec<String> {
    let axe = axe();
    let mut found = Vec::new();
    for page in pages {
        person.goes(page);
        person.browser().asks(&axe, &[]).unwrap();
        for form in [Wish::WIDE, Wish::NARROW] {
            for scheme in [Scheme::Light, Scheme::Dark] {
                person.browser().becomes(Wish { scheme, ..form }).unwrap();
                person.until("nothing moves", "() => document.getAnimations().length === 0", &[]);
                let seen = person.browser().asks_and_waits(LOOK, &[]).unwrap();
                let told = seen.as_array().unwrap().iter().filter_map(Value::as_str);
                found.extend(told.map(|one| format!("{page} {} px {scheme:?}: {one}", form.width)));
                let wider = person.looks(WIDER);
                if wider != json!([]) {
                    found.push(format!("{page} {} px: wider than the screen: {wider:#}", form.width));
                }
            }
        }
    }
    found
}
