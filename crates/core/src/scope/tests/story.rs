//! Random requests on a moving clock, against a model that is too simple to be wrong.
//!
//! The model is a table of who has what until when; paths are lists of names. It says who must be refused; what must
//! hold whatever agents do is checked besides: nobody is where another is, and the log alone gives the same.

use proptest::{collection::vec, prelude::*, sample::select};

use super::scene::{Scene, agent};
use crate::{
    agent::Presence,
    code::ErrorCode,
    scope::{Overlap, Strictness, Takeover},
};

const CAST: [&str; 3] = ["ana", "ben", "cleo"];
const PATHS: [&str; 9] = [".", "src", "src/*", "src/lib", "src/lib/a.rs", "src/library", "docs", "docs/a b", "/"];

#[derive(Clone, Debug)]
enum Step {
    Reserve { who: usize, scopes: Vec<&'static str>, minutes: u64, takeover: bool },
    Release { who: usize, scopes: Option<Vec<&'static str>> },
    Check { who: usize, path: &'static str, active_only: bool },
    Call(usize),
    Kill(usize),
    Later(u64),
}

fn step() -> impl Strategy<Value = Step> {
    let who = 0..CAST.len();
    let scopes = || vec(select(&PATHS[..]), 1..3);
    prop_oneof![
        10 => (who.clone(), scopes(), select(vec![5_u64, 30, 120]), any::<bool>())
            .prop_map(|(who, scopes, minutes, takeover)| Step::Reserve { who, scopes, minutes, takeover }),
        4 => (who.clone(), proptest::option::weighted(0.7, scopes()))
            .prop_map(|(who, scopes)| Step::Release { who, scopes }),
        3 => (who.clone(), select(&PATHS[..]), any::<bool>())
            .prop_map(|(who, path, active_only)| Step::Check { who, path, active_only }),
        4 => who.clone().prop_map(Step::Call),
        1 => who.prop_map(Step::Kill),
        6 => select(vec![1_u64, 4, 5, 14, 15, 30, 60]).prop_map(Step::Later),
    ]
}

/// A path as names below the file system's root; the room is at `/repo`.
fn names(path: &str) -> Vec<&str> {
    match path {
        "/" => Vec::new(),
        "." => vec!["repo"],
        _ => ["repo"].into_iter().chain(path.split('/').filter(|name| *name != "*")).collect(),
    }
}

fn meet(a: &str, b: &str) -> bool {
    let (a, b) = (names(a), names(b));
    a.starts_with(&b) || b.starts_with(&a)
}

/// Who has what, as anybody would say it.
#[derive(Clone, Debug, PartialEq)]
struct Held {
    who: usize,
    path: &'static str,
    until: u64,
}

#[derive(Default)]
struct Model {
    now: u64,
    held: Vec<Held>,
    seen: [u64; CAST.len()],
    dead: [bool; CAST.len()],
}

impl Model {
    fn presence(&self, who: usize) -> Presence {
        match self.now - self.seen[who] {
            _ if self.dead[who] => Presence::Evicted,
            0..15 => Presence::Active,
            15..30 => Presence::Stale,
            _ => Presence::Evicted,
        }
    }

    fn pass_time(&mut self, minutes: u64) {
        self.now += minutes;
        self.held.retain(|held| held.until > self.now);
    }

    /// Who is where `who` wants to go.
    fn in_the_way(&self, who: usize, paths: &[&str]) -> Vec<Held> {
        let meets = |held: &&Held| held.who != who && paths.iter().any(|path| meet(path, held.path));
        self.held.iter().filter(meets).cloned().collect()
    }

    fn verdict(&self, in_the_way: &[Held], takeover: bool) -> Option<ErrorCode> {
        if in_the_way.iter().any(|held| self.presence(held.who) == Presence::Active) {
            Some(ErrorCode::ReservationConflict)
        } else if !in_the_way.is_empty() && !takeover {
            Some(ErrorCode::ReservationStaleFound)
        } else {
            None
        }
    }

    fn reserve(&mut self, who: usize, paths: &[&'static str], minutes: u64) {
        let until = self.now + minutes;
        for path in paths {
            let same = |held: &&mut Held| held.who == who && names(held.path) == names(path);
            match self.held.iter_mut().find(same) {
                Some(own) => own.until = own.until.max(until),
                None => self.held.push(Held { who, path, until }),
            }
        }
    }

    /// Releases what is named; otherwise says why not.
    fn release(&mut self, who: usize, paths: &[&str]) -> Option<ErrorCode> {
        for path in paths {
            let same: Vec<_> = self.held.iter().filter(|held| names(held.path) == names(path)).collect();
            if !same.iter().any(|held| held.who == who) {
                let of_another = !same.is_empty();
                return Some(if of_another { ErrorCode::ReleaseForbidden } else { ErrorCode::ReservationNotFound });
            }
        }
        self.held.retain(|held| held.who != who || !paths.iter().any(|path| names(held.path) == names(path)));
        None
    }
}

fn play(scene: &mut Scene, model: &mut Model, step: &Step) {
    match step {
        Step::Reserve { who, scopes, minutes, takeover } => {
            model.seen[*who] = model.now;
            let in_the_way = model.in_the_way(*who, scopes);
            let expected = model.verdict(&in_the_way, *takeover);
            let wish = if *takeover { Takeover::Stale } else { Takeover::No };
            let decided = scene.reserve_for(*minutes, CAST[*who], scopes, wish);
            assert_eq!(decided.err().map(|refusal| refusal.code()), expected);
            if expected.is_none() {
                model.held.retain(|held| !in_the_way.contains(held));
                model.reserve(*who, scopes, *minutes);
            }
        }
        Step::Release { who, scopes } => {
            model.seen[*who] = model.now;
            let expected = match scopes {
                Some(scopes) => model.release(*who, scopes),
                None => {
                    model.held.retain(|held| held.who != *who);
                    None
                }
            };
            let decided = scene.release(CAST[*who], scopes.as_deref());
            assert_eq!(decided.err().map(|refusal| refusal.code()), expected);
        }
        Step::Check { who, path, active_only } => {
            let in_the_way = model.in_the_way(*who, &[path]);
            let strictness = if *active_only { Strictness::ActiveOnly } else { Strictness::Everyone };
            // A file is no pattern: what follows the star's slash is not needed for the model.
            let (met, verdict) = scene.check(CAST[*who], &[path.trim_end_matches("/*")], strictness);
            assert_eq!(met, in_the_way.len());
            assert_eq!(verdict.err().map(|refusal| refusal.code()), model.verdict(&in_the_way, *active_only));
        }
        Step::Call(who) => {
            model.seen[*who] = model.now;
            scene.calls(CAST[*who]);
        }
        Step::Kill(who) => {
            model.dead[*who] = true;
            scene.kill(CAST[*who]);
        }
        Step::Later(minutes) => {
            model.pass_time(*minutes);
            scene.later(*minutes);
        }
    }
}

/// Whether nobody is where another is.
fn nobody_meets(scene: &Scene) -> bool {
    let live: Vec<_> = scene.scopes.iter().filter(|found| found.is_live(scene.now)).collect();
    scene.see(|_, view| {
        live.iter().all(|one| {
            let others = live.iter().filter(|other| other.lease.holder != one.lease.holder);
            let mut overlaps = others.map(|other| one.path(view.root).overlap(&other.path(view.root)));
            overlaps.all(|overlap| overlap == Overlap::Disjoint)
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_agents_ask_nobody_is_where_another_is_and_the_log_tells_it(steps in vec(step(), 1..80)) {
        let mut scene = Scene::with(&CAST);
        let mut model = Model::default();
        for step in &steps {
            play(&mut scene, &mut model, step);
            prop_assert!(nobody_meets(&scene), "after {:?}: {:?}", step, scene.in_force());
            let held = model.held.iter().map(|held| (agent(CAST[held.who]), held.until as i64 * 60_000)).collect::<Vec<_>>();
            let live = scene.scopes.iter().filter(|found| found.is_live(scene.now));
            let live = live.map(|found| (found.lease.holder.clone(), found.lease.expires_at.as_millis()));
            prop_assert_eq!(live.collect::<Vec<_>>(), held, "after {:?}", step);
            prop_assert_eq!(&scene.folded(), &scene.scopes, "after {:?}", step);
        }
    }
}
