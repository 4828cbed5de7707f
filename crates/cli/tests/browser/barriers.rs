//! Barriers on pages, as axe-core finds them, and pages that do not fit a screen.

use baton_browser::{Scheme, Wish};
use serde_json::{Value, json};

use crate::stage::{Person, axe, play};

/// Pages that are there whatever happened.
const PAGES: [&str; 8] = ["/", "/rooms", "/jobs", "/agents", "/approvals", "/search?q=needle", "/doctor", "/keys"];

/// Rules of WCAG 2.2 up to AA, and what is good practice.
const LOOK: &str = "
    const answer = arguments[arguments.length - 1];
    axe.run(document, { resultTypes: ['violations'] }).then((found) => answer(found.violations
        .filter((one) => one.impact === 'serious' || one.impact === 'critical')
        .map((one) => `${one.id} (${one.impact}): ${one.help}\\n` + one.nodes.map((node) => `  ${node.html}\\n  ${node.failureSummary}`).join('\\n'))));
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
        let found = barriers(&stage.person, &PAGES);
        assert!(found.is_empty(), "{}", found.join("\n"));
    });
}

/// What is in the way on each page, wide and narrow, light and dark.
fn barriers(person: &Person, pages: &[&str]) -> Vec<String> {
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
