//! Who gets which paths. Both outcomes of every rule.

use super::scene::{Scene, agent, told};
use crate::{
    agent::Presence,
    code::ErrorCode,
    limits,
    process::{Liveness, Proof},
    scope::{Displaced, End, Event, Overlap, Refusal, Strictness, Takeover},
    time::Timestamp,
};

/// Ana has reserved `src` for two hours and has not called for so long; then Ben asks for a part of it.
fn ben_asks_after(millis: u64, takeover: Takeover) -> (Scene, Result<Vec<Event>, Refusal>) {
    let mut scene = Scene::with(&["ana", "ben"]);
    scene.reserve("ana", &["src"]).unwrap();
    scene.later_ms(millis);
    let decided = scene.reserve_for(120, "ben", &["src/lib/parser.ts"], takeover);
    (scene, decided)
}

const MINUTE: u64 = 60_000;

#[test]
fn an_active_owner_keeps_its_scope_even_from_a_takeover() {
    for takeover in [Takeover::No, Takeover::Stale] {
        let (scene, decided) = ben_asks_after(15 * MINUTE - 1, takeover);
        assert_eq!(told(&decided), "RESERVATION_CONFLICT: src/lib/parser.ts is reserved: ana has src and is active.");
        assert_eq!(scene.in_force(), ["src ana t120"]);
    }
}

#[test]
fn a_stale_owner_is_displaced_only_by_who_asks_for_it() {
    let (scene, refused) = ben_asks_after(15 * MINUTE, Takeover::No);
    assert_eq!(told(&refused), "RESERVATION_STALE_FOUND: src/lib/parser.ts is reserved: ana has src and is stale.");
    assert_eq!(scene.in_force(), ["src ana t120"]);

    let (scene, granted) = ben_asks_after(15 * MINUTE, Takeover::Stale);
    assert_eq!(told(&granted), "ben has src/lib/parser.ts until t135 instead of ana src (Stale, Alive)");
    assert_eq!(scene.in_force(), ["src/lib/parser.ts ben t135"]);
}

#[test]
fn an_evicted_owner_is_displaced_only_by_who_asks_for_it() {
    let (_, stale) = ben_asks_after(30 * MINUTE - 1, Takeover::Stale);
    assert_eq!(told(&stale), "ben has src/lib/parser.ts until t149 instead of ana src (Stale, Alive)");
    let (_, refused) = ben_asks_after(30 * MINUTE, Takeover::No);
    assert_eq!(told(&refused), "RESERVATION_STALE_FOUND: src/lib/parser.ts is reserved: ana has src and is evicted.");
    let (scene, granted) = ben_asks_after(30 * MINUTE, Takeover::Stale);
    assert_eq!(told(&granted), "ben has src/lib/parser.ts until t150 instead of ana src (Evicted, Alive)");
    assert_eq!(scene.in_force(), ["src/lib/parser.ts ben t150"]);
}

#[test]
fn an_owner_whose_process_is_proven_gone_is_evicted_at_once() {
    let mut scene = Scene::with(&["ana", "ben"]);
    scene.reserve("ana", &["src"]).unwrap();
    scene.kill("ana");
    assert_eq!(scene.reserve("ben", &["src"]).unwrap_err().code(), ErrorCode::ReservationStaleFound);
    let granted = scene.take_over("ben", &["src"]);
    assert_eq!(told(&granted), "ben has src until t120 instead of ana src (Evicted, Gone(Exited))");
}

#[test]
fn an_owner_that_calls_again_is_active_again() {
    let mut scene = Scene::with(&["ana", "ben"]);
    scene.reserve("ana", &["src"]).unwrap();
    scene.later(20);
    scene.calls("ana");
    assert_eq!(scene.take_over("ben", &["src"]).unwrap_err().code(), ErrorCode::ReservationConflict);
}

#[test]
fn a_displaced_reservation_is_archived_as_expired_with_the_liveness_in_the_event() {
    let (scene, granted) = ben_asks_after(31 * MINUTE, Takeover::Stale);
    let granted = granted.unwrap();
    let [Event::Reserved(reserved)] = &granted[..] else { panic!("{granted:?}") };
    let prior = scene.scopes.nth(0);
    assert_eq!(
        reserved.displaced,
        [Displaced {
            reservation: prior.id(),
            owner: agent("ana"),
            owner_name: "ana".to_owned(),
            scope: "src".to_owned(),
            liveness: Presence::Evicted,
            process: Liveness::Alive,
        }]
    );
    let ended = prior.ended.unwrap();
    assert_eq!((ended.how, ended.at), (End::Expired, scene.now));
    // Replayed long after, whatever anybody's liveness is by then, it is the same.
    assert_eq!(scene.folded(), scene.scopes);
}

#[test]
fn several_scopes_are_reserved_all_or_none() {
    let mut scene = Scene::with(&["ana", "ben", "cleo"]);
    scene.reserve("ana", &["src"]).unwrap();
    scene.later(20);
    scene.reserve("cleo", &["docs"]).unwrap();
    // One owner is stale, the other active: a takeover of both gets neither.
    let refused = scene.take_over("ben", &["tests", "src/a", "docs/b"]);
    assert_eq!(told(&refused), "RESERVATION_CONFLICT: docs/b is reserved: cleo has docs and is active.");
    let Err(Refusal::Conflict(met)) = refused else { panic!() };
    assert_eq!(met.in_the_way, ["src (ana, stale)", "docs (cleo, active)"]);
    assert_eq!(scene.in_force(), ["src ana t120", "docs cleo t140"]);

    let granted = scene.take_over("ben", &["tests", "src/a"]);
    assert_eq!(told(&granted), "ben has tests until t140 instead of ana src (Stale, Alive); ben has src/a until t140");
    assert_eq!(scene.in_force(), ["docs cleo t140", "tests ben t140", "src/a ben t140"]);
}

#[test]
fn one_request_may_displace_several_owners() {
    let mut scene = Scene::with(&["ana", "ben", "cleo"]);
    scene.reserve("ana", &["src/a", "src/b"]).unwrap();
    scene.reserve("cleo", &["src/c"]).unwrap();
    scene.later(15);
    let granted = scene.take_over("ben", &["src"]).unwrap();
    let [Event::Reserved(reserved)] = &granted[..] else { panic!("{granted:?}") };
    let scopes: Vec<_> = reserved.displaced.iter().map(|displaced| displaced.scope.as_str()).collect();
    assert_eq!(scopes, ["src/a", "src/b", "src/c"]);
    assert_eq!(scene.in_force(), ["src ben t135"]);
}

#[test]
fn what_one_has_oneself_is_no_collision() {
    let mut scene = Scene::with(&["ana"]);
    scene.reserve("ana", &["src"]).unwrap();
    assert_eq!(told(&scene.reserve("ana", &["src/lib", "."])), "ana has src/lib until t120; ana has . until t120");
    assert_eq!(scene.check("ana", &["src/lib/x.rs"], Strictness::Everyone), (0, Ok(())));
}

#[test]
fn the_same_scope_again_is_extended_and_stays_the_same_reservation() {
    let mut scene = Scene::with(&["ana"]);
    scene.reserve("ana", &["src/*"]).unwrap();
    let id = scene.scopes.nth(0).id();
    scene.later(60);
    // However it is written: what is stored keeps its first spelling.
    let extended = scene.reserve("ana", &["./src//", "src/**"]).unwrap();
    let [Event::Reserved(reserved)] = &extended[..] else { panic!("{extended:?}") };
    assert_eq!((reserved.renews, reserved.scope.as_str()), (Some(id), "src/*"));
    assert_eq!(scene.in_force(), ["src/* ana t180"]);
    assert_eq!(scene.scopes.iter().count(), 1);
    assert_eq!(scene.scopes.nth(0).since, Timestamp::from_millis(0));
}

#[test]
fn asking_again_for_a_shorter_time_takes_nothing_away() {
    let mut scene = Scene::with(&["ana"]);
    scene.reserve_for(1440, "ana", &["src"], Takeover::No).unwrap();
    assert_eq!(told(&scene.reserve_for(5, "ana", &["src"], Takeover::No)), "ana keeps src until t1440");
}

#[test]
fn disjoint_scopes_of_several_agents_stand_side_by_side() {
    let mut scene = Scene::with(&["ana", "ben"]);
    scene.reserve("ana", &["src/lib"]).unwrap();
    scene.reserve("ben", &["src/library", "src/li"]).unwrap();
    assert_eq!(scene.in_force(), ["src/lib ana t120", "src/library ben t120", "src/li ben t120"]);
}

#[test]
fn a_collision_says_whether_it_is_exact_or_partial_and_each_reservation_collides_once() {
    let mut scene = Scene::with(&["ana", "ben"]);
    scene.reserve("ana", &["src/lib", "docs"]).unwrap();
    let kinds = |wanted: &[&str]| {
        let paths = scene.paths(wanted);
        let found = scene.see(|found, view| found.collisions(view, &agent("ben"), &paths));
        found.iter().map(|met| (met.reservation.scope.clone(), met.overlap)).collect::<Vec<_>>()
    };
    let (lib, docs) = ("src/lib".to_owned(), "docs".to_owned());
    assert_eq!(kinds(&["src/lib/*"]), [(lib.clone(), Overlap::Exact)]);
    assert_eq!(kinds(&["src/*"]), [(lib.clone(), Overlap::Partial)]);
    assert_eq!(kinds(&["src/lib/a.rs", "src/lib/b.rs"]), [(lib.clone(), Overlap::Partial)]);
    assert_eq!(kinds(&["/"]), [(lib, Overlap::Partial), (docs, Overlap::Partial)]);
    assert_eq!(kinds(&["tests"]), []);
}

#[test]
fn an_agent_has_at_most_64_scopes_and_may_extend_every_one_of_them() {
    let mut scene = Scene::with(&["ana"]);
    let names: Vec<String> = (0..limits::SCOPES_OF_AGENT).map(|number| format!("dir{number}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    scene.reserve("ana", &names).unwrap();
    let refused = scene.reserve("ana", &["one-more"]);
    assert_eq!(told(&refused), "INVALID_ARGS: An agent can have at most 64 scopes.");
    scene.later(1);
    assert_eq!(scene.reserve("ana", &names).unwrap().len(), 64, "extending takes no room");
    scene.release("ana", Some(&["dir0"])).unwrap();
    assert!(scene.reserve("ana", &["one-more", "one-more/"]).is_ok(), "written twice, it is one");
}

#[test]
fn a_check_is_refused_by_active_owners_and_by_others_unless_only_active_ones_count() {
    let mut scene = Scene::with(&["ana", "ben"]);
    scene.reserve("ana", &["src"]).unwrap();
    let code = |scene: &Scene, strictness| {
        let (met, verdict) = scene.check("ben", &["README.md", "src/x.rs"], strictness);
        (met, verdict.err().map(|refusal| refusal.code()))
    };
    for strictness in [Strictness::Everyone, Strictness::ActiveOnly] {
        assert_eq!(code(&scene, strictness), (1, Some(ErrorCode::ReservationConflict)));
    }
    scene.later(15);
    assert_eq!(code(&scene, Strictness::Everyone), (1, Some(ErrorCode::ReservationStaleFound)));
    assert_eq!(code(&scene, Strictness::ActiveOnly), (1, None));
    assert_eq!(scene.check("ben", &["README.md", "srcs/x.rs"], Strictness::Everyone), (0, Ok(())));
}

#[test]
fn the_proof_that_justified_a_takeover_is_in_the_incursion() {
    let mut scene = Scene::with(&["ana", "ben"]);
    scene.reserve("ana", &["src"]).unwrap();
    scene.kill("ana");
    let paths = scene.paths(&["src/lib"]);
    let incursion = scene.see(|found, view| {
        let met = &found.collisions(view, &agent("ben"), &paths)[0];
        met.incursion(view.room, &agent("ben"), crate::scope::Came::Short)
    });
    let Event::Incursion(incursion) = incursion else { panic!() };
    assert_eq!(incursion.owner_liveness, Presence::Evicted);
    assert_eq!(incursion.owner_process, Liveness::Gone(Proof::Exited));
    assert_eq!((incursion.owner_scope.as_str(), incursion.incoming_scope.as_str()), ("src", "src/lib"));
}
