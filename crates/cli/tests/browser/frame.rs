//! The frame of every page.

use baton_browser::{Scheme, Wish};
use serde_json::json;

use crate::stage::play;

#[test]
fn what_happens_stands_in_the_feed_without_a_reload() {
    play(Wish::WIDE, |stage| {
        let person = &stage.person;
        person.is_live();
        person.reads("#region-feed", "Nothing yet");
        person.marks_the_window();
        let mut ana = stage.world.agent("ana");
        ana.claim();
        person.reads("#region-feed .feed", "joined");
        ana.release();
        person.reads("#region-feed .feed li:first-child", "released the stick");
        assert!(person.is_in_the_marked_window());
    });
}

#[test]
fn pages_are_gone_to_and_back_without_a_reload_and_each_is_live() {
    play(Wish::WIDE, |stage| {
        let person = &stage.person;
        person.marks_the_window();
        for (page, title) in [("/rooms", "Rooms"), ("/jobs", "Jobs"), ("/agents", "Agents")] {
            person.clicks(&format!("nav a[href='{page}']"));
            person.is_at(page);
            person.sees(&format!("nav a[href='{page}'][aria-current=page]"));
            person.reads("h1", title);
            person.is_live();
            assert!(person.looks("() => document.title").as_str().is_some_and(|told| told.starts_with(title)));
        }
        person.looks("() => history.back()");
        person.is_at("/jobs");
        person.is_live();
        person.looks("() => history.forward()");
        person.is_at("/agents");
        assert_eq!(person.looks("() => location.pathname"), json!("/agents"));
        assert!(person.is_in_the_marked_window());
    });
}

#[test]
fn colours_are_the_machines_until_somebody_chooses() {
    play(Wish { scheme: Scheme::Dark, ..Wish::WIDE }, |stage| {
        let person = &stage.person;
        let is_dark = || {
            let ground = person.looks("() => getComputedStyle(document.documentElement).backgroundColor");
            let shade: u32 = ground.as_str().and_then(|rgb| rgb.split(['(', ',']).nth(1)?.trim().parse().ok()).unwrap();
            shade < 100
        };
        assert!(is_dark());
        for (theme, dark) in [("light", false), ("dark", true), ("auto", true)] {
            person.clicks(".theme button");
            person.sees(&format!("html[data-theme={theme}]"));
            assert_eq!(is_dark(), dark, "{theme}");
        }
        person.clicks(".theme button");
        person.sees("html[data-theme=light]");
        person.goes("/rooms");
        assert!(!is_dark(), "what was chosen is remembered");
        person.browser().prefers(Scheme::Light).unwrap();
    });
}

#[test]
fn a_ticket_lets_in_once_and_a_stranger_is_told_how_to_get_one() {
    play(Wish::WIDE, |stage| {
        let person = &stage.person;
        person.forgives("401");
        let used = stage.web().facts["login"].as_str().unwrap();
        person.browser().goes_to(used).unwrap();
        person.reads("h1", "This ticket does not count");
        person.browser().devtools("Network.clearBrowserCookies", &json!({})).unwrap();
        person.browser().goes_to(stage.web().facts["url"].as_str().unwrap()).unwrap();
        person.reads("main", "baton ticket");
        let login = stage.world.data_at_terminal(&["ticket"])["login"].as_str().unwrap().to_owned();
        person.logs_in(&login);
        person.is_live();
    });
}

#[test]
fn a_page_that_is_not_there_says_so_and_leads_back() {
    play(Wish::WIDE, |stage| {
        let person = &stage.person;
        person.forgives("404");
        let server = stage.web().facts["url"].as_str().unwrap().trim_end_matches('/').to_owned();
        for path in ["/nothing", "/rooms/room_nowhere"] {
            person.browser().goes_to(&format!("{server}{path}")).unwrap();
            person.reads("main", "Back to what needs you");
            person.clicks("main a[href='/']");
            person.is_at("/");
        }
    });
}
