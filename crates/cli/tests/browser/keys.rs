//! The keyboard alone.

use baton_browser::{Wish, key};

use crate::stage::play;

#[test]
fn every_page_of_the_navigation_is_two_keys_away() {
    play(Wish::WIDE, |stage| {
        let person = &stage.person;
        person.marks_the_window();
        for (keys, page) in
            [("gr", "/rooms"), ("gj", "/jobs"), ("ga", "/agents"), ("gp", "/approvals"), ("gd", "/doctor"), ("gn", "/")]
        {
            person.presses(keys);
            person.is_at(page);
        }
        assert!(person.is_in_the_marked_window());
    });
}

#[test]
fn a_slash_searches_and_a_question_mark_shows_the_keys() {
    play(Wish::WIDE, |stage| {
        let person = &stage.person;
        person.presses("?");
        person.sees("dialog#keys[open]");
        person.presses("gr");
        person.presses(key::ESCAPE);
        person.sees_no("dialog#keys[open]");
        person.is_at("/");
        person.presses("/");
        person.is_in("#find");
        person.presses("gr?/ needle");
        person.presses(key::ENTER);
        person.is_at("/search?q=gr%3F%2F+needle");
        person.presses("/");
        person.is_in("#find");
        person.presses(key::ESCAPE);
        person.is_in("body, main");
        person.presses("gn");
        person.is_at("/");
    });
}

#[test]
fn the_first_thing_that_tab_finds_skips_to_the_content_and_what_has_the_focus_is_seen() {
    play(Wish::WIDE, |stage| {
        let person = &stage.person;
        person.presses(key::TAB);
        person.is_in("a.skip");
        person.sees("a.skip");
        person.presses(key::ENTER);
        person.is_in("#main");
        person.goes("/rooms");
        for _ in 0..9 {
            person.presses(key::TAB);
            let outlined = "() => { const style = getComputedStyle(document.activeElement); \
                            return document.activeElement !== document.body && style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2; }";
            person.until("an outline around what has the focus", outlined, &[]);
        }
    });
}
