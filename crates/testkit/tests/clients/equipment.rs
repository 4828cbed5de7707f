//! Every program at work without a screen and in it: its own tools reach the disk, and what they say comes back.
#![expect(clippy::unwrap_used, reason = "these helpers are part of tests, where a failed step ends the test")]

use std::{fs, path::PathBuf};

use baton_testkit::{
    Client, ClientHome, Launch,
    clients::left_out,
    model::{Model, Step},
};
use tempfile::TempDir;

/// A home in which every program finds the model, and a directory to work in.
struct Desk {
    _directory: TempDir,
    home: ClientHome,
    work: PathBuf,
}

impl Desk {
    fn at(model: &Model) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let home = ClientHome::new(&directory.path().join("home")).all(&model.url("ann"));
        let work = directory.path().join("work");
        fs::create_dir(&work).unwrap();
        Self { _directory: directory, home, work }
    }

    fn launch(&self, client: Client) -> Launch {
        Launch::new(client, &self.home, &self.work)
    }
}

fn works_without_a_screen(client: Client) {
    if left_out() {
        return;
    }
    let model = Model::start();
    let desk = Desk::at(&model);
    let (noted, written) = (desk.work.join("noted"), desk.work.join("written"));
    let script = model.script(
        "ann",
        vec![
            Step::shell("echo from the shell | tee noted; echo \"$MARK\""),
            Step::write_file(&written, "first\nsecond\n"),
            Step::edit(&written, "second", "third"),
            Step::write_file(&noted, "overwritten\n"),
            Step::say("all done"),
        ],
    );
    let ended = desk.launch(client).env("MARK", "a mark").headless("Do it.").wait();
    assert_eq!(ended.code, Some(0), "{ended:#?}");
    assert!(ended.stdout.contains("all done"), "{ended:#?}");
    script.finished();
    let turn = script.reached(4);
    assert!(turn.result_text(0).contains("from the shell") && turn.result_text(0).contains("a mark"), "{turn:#?}");
    assert!(turn.results.iter().map(|result| result.step).eq(0..4), "{turn:#?}");
    assert!(turn.results.iter().all(|result| !result.is_error), "{turn:#?}");
    assert_eq!(fs::read_to_string(&noted).unwrap(), "overwritten\n");
    assert_eq!(fs::read_to_string(&written).unwrap(), "first\nthird\n");
    assert!(model.requests() >= 5);
}

fn has_a_subagent(client: Client) {
    if left_out() {
        return;
    }
    let model = Model::start();
    let desk = Desk::at(&model);
    let part = "PART-ONE: say where you are.";
    let sub = model.subagent("ann", part, vec![Step::shell("echo below > sub"), Step::say("the part is done")]);
    let main = model.script("ann", vec![Step::subagent(part), Step::shell("echo above > main"), Step::say("whole")]);
    let ended = desk.launch(client).headless("Have it done.").wait();
    assert_eq!(ended.code, Some(0), "{ended:#?}");
    sub.finished();
    main.finished();
    let turn = main.reached(1);
    assert!(turn.result_text(0).contains("the part is done"), "{turn:#?}");
    assert_eq!(fs::read_to_string(desk.work.join("sub")).unwrap(), "below\n");
    assert_eq!(fs::read_to_string(desk.work.join("main")).unwrap(), "above\n");
}

fn works_in_its_screen(client: Client) {
    if left_out() {
        return;
    }
    let model = Model::start();
    let desk = Desk::at(&model);
    let script = model
        .script("ann", vec![Step::say("ONE is said"), Step::shell("echo typed > typed"), Step::say("TWO is said")]);
    let screen = desk.launch(client).screen(Some("Begin."));
    screen.wait_for("ONE is said");
    let asked = model.requests_of("ann");
    screen.resize(140, 40);
    screen.submit("Go on now.");
    screen.wait_for("TWO is said");
    script.finished();
    assert!(script.reached(1).prompt().contains("Go on now."));
    assert!(model.requests_of("ann") > asked);
    assert_eq!(fs::read_to_string(desk.work.join("typed")).unwrap(), "typed\n");
    assert!(screen.pid() > 1);
    screen.close_terminal();
}

fn takes_its_first_prompt_from_the_keyboard(client: Client) {
    if left_out() {
        return;
    }
    let model = Model::start();
    let desk = Desk::at(&model);
    let script = model.script("ann", vec![Step::say("ONE is said")]);
    let screen = desk.launch(client).screen(None);
    screen.wait_until_ready();
    assert_eq!(script.steps(), [0; 0]);
    screen.submit("Begin by hand.");
    screen.wait_for("ONE is said");
    script.finished();
    assert!(script.reached(0).prompt().contains("Begin by hand."));
}

/// The stories of one program, each a test of its own.
macro_rules! stories {
    ($module:ident, $client:expr) => {
        mod $module {
            use baton_testkit::Client;

            #[test]
            fn works_without_a_screen() {
                super::works_without_a_screen($client);
            }

            #[test]
            fn has_a_subagent() {
                super::has_a_subagent($client);
            }

            #[test]
            fn works_in_its_screen() {
                super::works_in_its_screen($client);
            }

            #[test]
            fn takes_its_first_prompt_from_the_keyboard() {
                super::takes_its_first_prompt_from_the_keyboard($client);
            }
        }
    };
}

stories!(claude, Client::Claude);
stories!(codex, Client::Codex);
stories!(gemini, Client::Gemini);
stories!(opencode, Client::OpenCode);
