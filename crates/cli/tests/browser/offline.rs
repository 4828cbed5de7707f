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
        stage.web.signal(Signal::STOP);
        person.reads("#offline", "Offline since");
        person.reads("#pulse", "offline");
        ana.claim();
        stage.web.signal(Signal::CONT);
        person.sees_no("#offline");
        person.reads("#region-feed", "took up the stick");
        person.is_live();
        assert!(person.is_in_the_marked_window());
    });
}
