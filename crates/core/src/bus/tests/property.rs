//! Any row of submissions, results and departures: an action ends at most once, the fold is the state, and what each target
//! gets is in the order of the log.

use std::collections::BTreeMap;

use proptest::{collection::vec, prelude::*};

use super::scene::{Scene, begun, control, group, in_context, reply, status, user};
use crate::{
    bus::{ActionDraft, Event, Status},
    ids::Seq,
};

const CAST: [&str; 3] = ["ana", "bo", "cy"];
const CONTEXTS: [&str; 3] = ["c", "d", "e"];

#[derive(Clone, Debug)]
enum Asked {
    User(usize),
    Reply(usize, usize),
    New(usize),
}

#[derive(Clone, Debug)]
enum Step {
    Submit { by: usize, context: Option<usize>, asked: Vec<Asked> },
    Report { by: usize, action: usize, status: usize, begins: Option<usize> },
    Leave { who: usize },
    Forward { from: usize, to: usize },
}

fn asked() -> impl Strategy<Value = Asked> {
    prop_oneof![
        3 => (0..CAST.len()).prop_map(Asked::User),
        1 => (0..CAST.len(), 0..20_usize).prop_map(|(to, answered)| Asked::Reply(to, answered)),
        1 => (0..CAST.len()).prop_map(Asked::New),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    let context = proptest::option::of(0..CONTEXTS.len());
    prop_oneof![
        4 => (0..CAST.len(), context.clone(), vec(asked(), 1..4))
            .prop_map(|(by, context, asked)| Step::Submit { by, context, asked }),
        4 => (0..CAST.len(), 0..30_usize, 0..Status::ALL.len(), context)
            .prop_map(|(by, action, status, begins)| Step::Report { by, action, status, begins }),
        1 => (0..CAST.len()).prop_map(|who| Step::Leave { who }),
        1 => (0..CAST.len(), 0..CAST.len()).prop_map(|(from, to)| Step::Forward { from, to }),
    ]
}

/// Plays a step. The scene itself asserts after each event that the stored log gives the state.
fn play(scene: &mut Scene, step: &Step) {
    match step {
        Step::Submit { by, context, asked } => {
            let first = scene.bus.actions.iter().count();
            let draft = |(number, asked): (usize, &Asked)| -> ActionDraft {
                let name = format!("a{number}");
                match asked {
                    Asked::User(to) => user(CAST[*to], &name),
                    Asked::Reply(to, answered) => reply(CAST[*to], &name, &format!("a{answered}")),
                    Asked::New(to) => control(CAST[*to], &name, "new"),
                }
            };
            let actions = (first..).zip(asked).map(draft).collect();
            let _ = scene.submit(
                CAST[*by],
                match context {
                    Some(context) => in_context(CONTEXTS[*context], actions),
                    None => group(actions),
                },
            );
            let added = scene.bus.actions.iter().count() - first;
            assert!(added == 0 || added == asked.len(), "all of a submission is taken, or none");
        }
        Step::Report { by, action, status: said, begins } => {
            let Some(action) = scene.bus.actions.iter().nth(*action).map(|action| action.action_id.clone()) else {
                return;
            };
            let report = match begins {
                Some(context) => begun(CONTEXTS[*context]),
                None => status(Status::ALL[*said]),
            };
            let _ = scene.report(CAST[*by], action.as_str(), &report);
        }
        Step::Leave { who } => {
            let own =
                scene.bus.actions.iter().filter(|action| action.target.as_str() == CAST[*who] && action.is_open());
            let own: Vec<String> = own.map(|action| action.action_id.to_string()).collect();
            own.iter().for_each(|action| assert!(scene.fails(action).is_some()));
        }
        Step::Forward { from, to } => {
            let open = scene
                .bus
                .actions
                .iter()
                .filter(|action| action.target.as_str() == CAST[*from] && action.status.is_none());
            let open: Vec<Seq> = open.map(|action| action.seq).collect();
            scene.forward(CAST[*from], CAST[*to], &open);
        }
    }
}

proptest! {
    #[test]
    fn an_action_ends_at_most_once_and_every_target_gets_the_order_of_the_log(steps in vec(step(), 0..25)) {
        let mut scene = Scene::new();
        let mut owners = BTreeMap::new();
        for step in &steps {
            play(&mut scene, step);
            for conversation in scene.bus.conversations.iter() {
                let first = owners.entry(conversation.context_id.clone()).or_insert_with(|| conversation.clone());
                prop_assert_eq!(&*first, conversation, "a conversation is what it began as");
            }
        }
        let mut ends: BTreeMap<Seq, usize> = BTreeMap::new();
        for recorded in &scene.log {
            if let crate::event::Event::Bus(Event::Resulted(resulted)) = &recorded.event {
                prop_assert!(!ends.contains_key(&resulted.action), "nothing comes after an end");
                if resulted.status.is_terminal() {
                    ends.insert(resulted.action, 1);
                }
            }
        }
        for action in scene.bus.actions.iter() {
            prop_assert_eq!(ends.contains_key(&action.seq), !action.is_open());
            prop_assert_eq!(action.ended_at.is_some(), !action.is_open());
            prop_assert!(action.sender != action.target || scene.log.iter().any(|recorded| recorded.event.kind() == "inbox.forward"), "nobody acts on itself");
        }
        for name in CAST {
            let waiting: Vec<Seq> = scene.inbox.iter().filter(|item| item.recipient.as_str() == name).map(|item| item.message).collect();
            let submitted: Vec<Seq> = scene.bus.actions.iter().filter(|action| action.target.as_str() == name).map(|action| action.seq).collect();
            prop_assert!(waiting.is_sorted());
            prop_assert_eq!(waiting, submitted, "an inbox has the order of the log");
        }
    }
}
