//! `baton job tail --follow`: a thread is read as it is written.

use baton_testkit::assignment;
use serde_json::{Value, json};

use crate::{
    jobs::{ok, world},
    support::Live,
};

#[test]
fn a_thread_is_followed_until_its_job_is_over() {
    let (world, _) = world();
    ok(&world, "ana", &["job", "create", "the title", "--prompt", "p"]);
    let follow = |json: &[&str]| Live::start(world.baton(&[&["job", "tail", "1", "--follow"], json].concat()));
    let (mut people, mut programs) = (follow(&[]), follow(&["--json"]));
    for (live, end) in [(&mut people, "\n"), (&mut programs, "\n")] {
        live.shows("the title");
        live.shows(end);
    }
    let at_it = assignment(&ok(&world, "r1", &["job", "claim"])).reveal();
    people.shows("claimed     test:r1: for test:r1\n");
    let asked = world.run_on(&at_it, &["job", "report", "--kind", "question", "why?"]);
    assert_eq!(asked.status, 0, "{asked:?}");
    people.shows("why?\n");
    programs.shows("why?");
    ok(&world, "r1", &["job", "complete", "1", "all done", "--revision", "1"]);
    let (status, last) = people.ends();
    assert!(status == 0 && last.ends_with("completed   test:r1: all done\n"), "{status}: {last}");
    let (status, last) = programs.ends();
    let last: Value = serde_json::from_str(last.lines().last().unwrap()).unwrap();
    assert_eq!((status, &last["ok"], &last["command"]), (0, &json!(true), &json!("job tail")));
    assert_eq!(
        (&last["data"]["job"]["status"], &last["data"]["events"][0]["kind"]),
        (&json!("DONE"), &json!("completed"))
    );
    let again = world.run(&["job", "tail", "1", "--follow"]);
    assert_eq!((again.status, again.stdout.lines().count()), (0, 4), "it is over: {again:?}");
}

#[test]
fn following_a_thread_ends_with_its_reader() {
    let (world, _) = world();
    ok(&world, "ana", &["job", "create", "the title", "--prompt", "p"]);
    let mut follow = Live::start(world.baton(&["job", "tail", "1", "--follow"]));
    follow.shows("the title\n");
    follow.is_read_no_more();
    assert_eq!(follow.ends().0, 0);
}
