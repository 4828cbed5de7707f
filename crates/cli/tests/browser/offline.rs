//! The server goes away and comes back.

use baton_browser::Wish;
use rustix::process::Signal;

use crate::stage::play;

#[test]
fn a_server_that_stands_still_is_seen_and_what_was_missed_is_made_up_for() {
    play(Wish::WIDE, |stage| {
        let person = &stage.person;
        let mut ana = stage.world.agent("ana");
        person.reads("#region-feed", "joined");
        person.marks_the_window();
        stage.web().signal(Signal::STOP);
        person.reads("#offline", "Offline since");
        person.reads("#pulse", "offline");
        ana.claim();
        stage.web().signal(Signal::CONT);
        person.sees_no("#offline");
        person.reads("#region-feed", "took up the stick");
        person.is_live();
        assert!(person.is_in_the_marked_window());
    });
}

#[test]
fn a_server_that_ended_is_seen_at_once_and_the_page_goes_on_with_the_next() {
    play(Wish::WIDE, |stage| {
        stage.person.forgives("ERR_CONNECTION_REFUSED");
        stage.person.forgives("ERR_INCOMPLETE_CHUNKED_ENCODING");
        let mut ana = stage.world.agent("ana");
        stage.person.reads("#region-feed", "joined");
        stage.person.marks_the_window();
        let address = stage.ends_the_server();
        stage.person.reads("#offline", "Offline since");
        // There is nowhere to go, so one stays; and nothing that is sent gets lost unsaid.
        stage.person.clicks("nav a[href='/rooms']");
        stage.person.clicks("#region-rooms form button");
        stage.person.reads("#region-rooms form .notice", "cannot be reached");
        stage.person.is_at("/");
        ana.claim();
        stage.starts_a_server(&address);
        stage.person.sees_no("#offline");
        stage.person.reads("#region-feed", "took up the stick");
        stage.person.is_live();
        assert!(stage.person.is_in_the_marked_window());
    });
}
