//! How reservations end: given back, run out, or left behind.

use super::scene::{Scene, agent, told};
use crate::{
    code::ErrorCode,
    scope::{End, Refusal, Takeover},
};

#[test]
fn a_reservation_is_over_exactly_when_it_expires() {
    let mut scene = Scene::with(&["ana", "ben"]);
    scene.reserve_for(5, "ana", &["src"], Takeover::No).unwrap();
    scene.later_ms(5 * 60_000 - 1);
    assert_eq!(scene.reserve("ben", &["src"]).unwrap_err().code(), ErrorCode::ReservationConflict);
    assert_eq!(scene.scopes.sweep(scene.now), []);
    scene.later_ms(1);
    assert_eq!(scene.in_force(), [""; 0], "it is over even before anybody has said so");
    assert_eq!(told(&scene.reserve("ben", &["src"])), "ben has src until t125");
}

#[test]
fn a_sweep_archives_what_ran_out_and_nothing_twice() {
    let mut scene = Scene::with(&["ana", "ben"]);
    scene.reserve_for(5, "ana", &["src"], Takeover::No).unwrap();
    scene.reserve_for(10, "ben", &["docs"], Takeover::No).unwrap();
    scene.later(7);
    let swept = scene.sweep("ben");
    assert_eq!(told(&Ok(swept)), "src of ana ran out at t5");
    assert_eq!(scene.sweep("ben"), []);
    assert_eq!(scene.in_force(), ["docs ben t10"]);
    let ended = scene.scopes.nth(0).ended.unwrap();
    assert_eq!((ended.how, ended.at), (End::Expired, scene.now), "it ended when it was found to have");
    assert_eq!(scene.folded(), scene.scopes);
}

#[test]
fn what_ran_out_is_not_extended_but_reserved_anew() {
    let mut scene = Scene::with(&["ana"]);
    scene.reserve_for(5, "ana", &["src"], Takeover::No).unwrap();
    scene.later(5);
    assert_eq!(told(&scene.reserve("ana", &["src"])), "ana has src until t125");
    assert_eq!(scene.scopes.iter().count(), 2);
}

#[test]
fn ones_own_scope_is_released_by_name_however_it_is_written() {
    let mut scene = Scene::with(&["ana", "ben"]);
    scene.reserve("ana", &["src/*", "docs"]).unwrap();
    assert_eq!(told(&scene.release("ana", Some(&["src", "src/", "./src/**"]))), "ana released src/*");
    assert_eq!(scene.in_force(), ["docs ana t120"]);
    assert_eq!(scene.scopes.nth(0).ended.unwrap().how, End::Released);
    assert_eq!(told(&scene.reserve("ben", &["src"])), "ben has src until t120");
}

#[test]
fn without_names_all_that_is_ones_own_is_released_and_nothing_is_fine() {
    let mut scene = Scene::with(&["ana", "ben"]);
    scene.reserve("ben", &["tests"]).unwrap();
    scene.reserve("ana", &["src", "docs"]).unwrap();
    assert_eq!(told(&scene.release("ana", None)), "ana released src; ana released docs");
    assert_eq!(told(&scene.release("ana", None)), "");
    assert_eq!(scene.in_force(), ["tests ben t120"]);
}

#[test]
fn what_is_anothers_is_not_released_not_even_when_it_is_stale() {
    let mut scene = Scene::with(&["ana", "ben"]);
    scene.reserve("ana", &["src"]).unwrap();
    scene.reserve("ben", &["docs"]).unwrap();
    scene.later(40);
    let refused = scene.release("ben", Some(&["docs", "src"]));
    assert_eq!(told(&refused), "RELEASE_FORBIDDEN: src is reserved by ana, not by you.");
    assert_eq!(scene.in_force(), ["src ana t120", "docs ben t120"], "all or nothing");
}

#[test]
fn what_nobody_has_is_not_released_and_the_refusal_says_what_one_has() {
    let mut scene = Scene::with(&["ana", "ben"]);
    scene.reserve("ana", &["src/lib"]).unwrap();
    let refused = scene.release("ana", Some(&["src"]));
    assert_eq!(told(&refused), "RESERVATION_NOT_FOUND: You have no reservation of src.");
    assert_eq!(refused, Err(Refusal::NotFound { scope: "src".to_owned(), yours: vec!["src/lib".to_owned()] }));
}

#[test]
fn leaving_gives_back_what_is_in_force() {
    let mut scene = Scene::with(&["ana"]);
    scene.reserve_for(5, "ana", &["old"], Takeover::No).unwrap();
    scene.reserve("ana", &["src"]).unwrap();
    scene.later(6);
    let released = scene.scopes.release_all(scene.now, &agent("ana"));
    assert_eq!(told(&Ok(released)), "ana released src");
}
