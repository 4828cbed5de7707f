//! What is in the caller's inbox. Being told of an item delivers it.

use baton_core::{
    code::ErrorCode,
    ids::{RoomId, Seq},
    inbox::{Item, Stage},
    limits,
    room::Room,
};
use baton_store::{StoreError, engine::Tx, envelopes, inbox, log};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    ItemView,
    read::require_recipient,
    view::{body, words},
};
use crate::{
    App, Caller, Failure,
    app::Request,
    bounds::{self, Page},
    commands::envelope::RequestView,
    table::{Effect, INBOX, Place, UseCase},
};

/// How much of one body a listing has, and of all of them: most messages are short, and are read by one call.
const BODY_CHARS: usize = 600;
const BODIES_CHARS: usize = 6_000;

/// `inbox.list`
pub struct List;

/// Which items.
#[serde_with::skip_serializing_none]
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListInput {
    pub room_id: RoomId,
    /// Default pending: not seen yet, or to be accepted
    pub state: Option<String>,
    /// Only after this message
    pub after: Option<Seq>,
    /// 1 to 200; default 25
    pub limit: Option<u32>,
}

/// Which items are meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Which {
    /// Not seen yet, or to be accepted.
    Pending,
    /// All of them.
    All,
    /// Those that are exactly so far.
    At(Stage),
}

impl Which {
    /// The word for it.
    fn named(word: &str) -> Result<Self, Failure> {
        let stage = Stage::ALL.into_iter().find(|stage| stage.as_str() == word);
        match (word, stage) {
            ("pending", _) => Ok(Self::Pending),
            ("all", _) => Ok(Self::All),
            (_, Some(stage)) => Ok(Self::At(stage)),
            (_, None) => {
                let shown: String = word.chars().take(limits::SHOWN_INPUT_CHARS).collect();
                let states = ["pending", "all", "queued", "delivered", "seen", "accepted"];
                let message = format!("{shown:?} is no state of an item.");
                Err(Failure::new(ErrorCode::InvalidState, message)
                    .with("field", "state")
                    .with("states", states.to_vec())
                    .advising("Use one of `states`."))
            }
        }
    }
}

/// Items, oldest first.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct ListResult {
    pub room_id: RoomId,
    pub items: Vec<ItemView>,
    /// Whether there are more: ask again with `after`.
    pub has_more: bool,
    /// What you owe a response for, also where you have read or accepted it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub owed: Vec<RequestView>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

impl UseCase for List {
    const NAME: &'static str = "inbox.list";
    const PLACE: Place = Place::Portal(&INBOX);
    const EFFECT: Effect = Effect::Write;
    const ABOUT: &'static str = "Your messages: those you have not seen or have to accept.";
    type Input = ListInput;
    type Output = ListResult;

    fn perform(app: &App, caller: &Caller, input: ListInput) -> Result<ListResult, Failure> {
        let limit = bounds::limit(input.limit, limits::INBOX_DEFAULT, limits::INBOX_MAX)?;
        let which = Which::named(input.state.as_deref().unwrap_or("pending"))?;
        let request = Request { command: Self::NAME, input: &input, key: None };
        app.change(caller, &request, &input.room_id, |change| {
            let agent = change.actor.agent_id.clone();
            require_recipient(change, caller)?;
            let after = input.after.unwrap_or_default();
            let found = look(change.store.tx()?, &change.room, &agent, which, after, limit)?;
            let (shown, has_more) = page(change.store.tx()?, &change.room, found, limit as usize)?;
            let items: Vec<Item> = shown.iter().map(|(item, _)| item.clone()).collect();
            change.store.note(items.clone());
            // A room that is over changes no more.
            let delivers = change.is_open();
            if delivers && let Some(event) = Item::deliver(&items) {
                change.record(event)?;
            }
            let told = |mut view: ItemView| {
                if delivers {
                    view.state = view.state.max(Stage::Delivered);
                }
                view
            };
            let items: Vec<ItemView> = shown.into_iter().map(|(_, view)| told(view)).collect();
            let next = (!items.is_empty()).then(|| {
                "Accept one with `inbox ack`; `inbox read` has what was cut, and tells its sender that you saw it."
                    .to_owned()
            });
            let owed = envelopes::owed_by(change.store.tx()?, &change.room.id, &agent, limits::REQUESTS_SHOWN)?;
            let owed = RequestView::all(change.store.tx()?, &change.room, change.witness, &owed)?;
            Ok(ListResult { room_id: change.room.id.clone(), items, has_more, owed, next })
        })
    }
}

fn look(
    tx: &mut dyn Tx,
    room: &Room,
    agent: &baton_core::ids::AgentId,
    which: Which,
    after: Seq,
    limit: u32,
) -> Result<Vec<Item>, StoreError> {
    match which {
        Which::Pending => inbox::pending(tx, &room.id, agent, after, limit + 1),
        Which::All => inbox::of(tx, &room.id, agent, after, limit + 1),
        Which::At(stage) => inbox::at(tx, &room.id, agent, stage, after, limit + 1),
    }
}

/// The part of a message's body that a listing has room for, and where the rest is. One line that the subject has whole is not said
/// twice.
fn excerpt(body: Option<String>, view: &ItemView, left: &mut usize) -> (Option<String>, Option<String>) {
    let Some(body) = body.filter(|body| *body != view.subject) else { return (None, None) };
    let most = BODY_CHARS.min(*left);
    let length = body.chars().count();
    *left -= length.min(most);
    if length <= most {
        return (Some(body), None);
    }
    let begins = Some(body.chars().take(most).collect::<String>()).filter(|text| !text.is_empty());
    let rest = format!("`inbox read` of {} has all {length} characters.", view.message);
    (begins.map(|text| format!("{}…", text.trim_end())), Some(rest))
}

/// Items with what they say, as many as a page holds.
fn page(
    tx: &mut dyn Tx,
    room: &Room,
    found: Vec<Item>,
    limit: usize,
) -> Result<(Vec<(Item, ItemView)>, bool), StoreError> {
    let total = found.len();
    let messages: Vec<Seq> = found.iter().take(limit).map(|item| item.message).collect();
    let events = log::find_all(tx, &room.id, &messages)?;
    let (mut shown, mut page, mut left) = (Vec::new(), Page::default(), BODIES_CHARS);
    for item in found.into_iter().take(limit) {
        let recorded = events.iter().find(|recorded| recorded.seq == item.message);
        let Some(words) = recorded.and_then(|recorded| words(recorded, room)) else { continue };
        let mut view = ItemView::of(&item, words);
        (view.body, view.rest) = excerpt(recorded.and_then(body), &view, &mut left);
        if !page.takes(&view) {
            break;
        }
        shown.push((item, view));
    }
    let has_more = shown.len() < total;
    Ok((shown, has_more))
}
