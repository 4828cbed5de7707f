//! What a person at a terminal is asked when a session begins. Nobody else ever is.

use std::process::ExitCode;

use baton_app::{
    Failure,
    commands::agent::{self, AdoptInput, Candidate, Init, InitInput, Register, RegisterInput},
};

use super::{adopt, init, page, register};
use crate::{
    context::Context,
    ui::{Ui, clean, complain},
};

/// Asks as whom to go on, where several answers are right. Without an answer it stays undecided.
pub(super) fn which(context: &Context, ui: Ui, input: InitInput, undecided: Failure) -> Result<ExitCode, Failure> {
    let candidates = page::candidates_of(&undecided);
    let now = context.app.now()?;
    complain(&page::choices(&candidates, now));
    let Some(choice) = choose(ui, &candidates) else {
        return Ok(ui.failure_as(&undecided, || {
            format!("{}: nothing was chosen.\n{}", undecided.code, page::commands(&undecided))
        }));
    };
    match choice {
        Choice::Adopt(name) => {
            let begun = context.run::<Init>(InitInput { adopt: Some(name), ..input })?;
            Ok(ui.answer(&begun, || init::text(&begun)))
        }
        Choice::New(name) => {
            let InitInput { room_id, role, .. } = input;
            let registered = context.run::<Register>(RegisterInput { room_id, name, role, idempotency_key: None })?;
            Ok(ui.answer(&registered, || register::text(&registered)))
        }
    }
}

enum Choice {
    Adopt(String),
    /// Under this name, or one that is made.
    New(Option<String>),
}

/// Asks until there is an answer that means something, or none at all.
fn choose(ui: Ui, candidates: &[Candidate]) -> Option<Choice> {
    loop {
        let answer = ui.ask(&format!("Go on as [1-{}, n for a new name, Enter for 1]: ", candidates.len()))?;
        let number = if answer.is_empty() { Ok(1) } else { answer.parse::<usize>() };
        let chosen = number.ok().and_then(|number| number.checked_sub(1)).and_then(|place| candidates.get(place));
        match chosen {
            Some(candidate) => return Some(Choice::Adopt(candidate.name.clone())),
            None if answer.eq_ignore_ascii_case("n") => return new_name(ui),
            None => complain(&format!("{:?} is none of these.\n", clean(&answer))),
        }
    }
}

fn new_name(ui: Ui) -> Option<Choice> {
    loop {
        let name = ui.ask("New name, like amber-otter [Enter to be given one]: ")?;
        if name.is_empty() {
            return Some(Choice::New(None));
        }
        match agent::parse_name(&name) {
            Ok(_) => return Some(Choice::New(Some(name))),
            Err(failure) => complain(&format!("{}\n", clean(&failure.message))),
        }
    }
}

/// Asks whether an identity is to be adopted though nothing speaks for it. Anything but its name is a no.
pub(super) fn confirm(context: &Context, ui: Ui, input: &InitInput, refused: Failure) -> Result<ExitCode, Failure> {
    let now = context.app.now()?;
    let (name, evidence) = match [page::fact(&refused, "name"), page::fact(&refused, "evidence")] {
        [Some(name), Some(evidence)] if page::fact(&refused, "reason") == Some("no_evidence") => {
            (name.to_owned(), evidence.to_owned())
        }
        _ => return page::refuse(ui, refused, now),
    };
    complain(&format!(
        "Nothing speaks for going on as {}: {}.\nThat needs uncommitted changes in its scope, or a task of its own in \
         progress.\n",
        clean(&name),
        clean(&evidence),
    ));
    let answer = ui.ask(&format!("Type {} to go on as it all the same, anything else to leave it: ", clean(&name)));
    if answer.as_deref() != Some(name.as_str()) {
        return page::refuse(ui, refused, now);
    }
    let adopting =
        AdoptInput { room_id: input.room_id.clone(), agent: name, scopes: input.scopes.clone(), idempotency_key: None };
    let adopted = agent::adopt_confirmed(&context.app, &context.caller, &adopting)?;
    Ok(ui.answer(&adopted, || adopt::text(&adopted)))
}
