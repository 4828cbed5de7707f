//! A submission before it is checked: whatever a client said, and which of its fields is wrong.

use std::collections::HashSet;

use super::{BusId, Control, Kind, Plan, Refusal, What};
use crate::limits;

/// A submission before it is checked.
#[derive(Clone, Debug)]
pub struct Draft {
    /// What the actions belong to.
    pub group_id: BusId,
    /// Which conversation.
    pub context: Option<ContextDraft>,
    /// Which task.
    pub task_id: Option<BusId>,
    /// In order.
    pub actions: Vec<ActionDraft>,
}

/// Which conversation is meant.
#[derive(Clone, Debug, Default)]
pub struct ContextDraft {
    /// Its name; a new one begins a conversation.
    pub context_id: Option<BusId>,
    /// Who leads it, if the sender says so.
    pub owner_id: Option<String>,
    /// The message that this follows from.
    pub parent_message_id: Option<String>,
}

/// An action before it is checked.
#[derive(Clone, Debug)]
pub struct ActionDraft {
    /// Whom it is for: an id or a name.
    pub dst: String,
    /// Its own name.
    pub action_id: BusId,
    /// Its place in the group.
    pub action_index: u32,
    /// What is asked.
    pub what: WhatDraft,
}

/// What an action asks for, before it is checked.
#[derive(Clone, Debug, Default)]
pub struct WhatDraft {
    /// `message` or `control`.
    pub sort: String,
    /// Of a message: `user` or `reply`.
    pub kind: Option<String>,
    /// Of a message: what it says.
    pub text: Option<String>,
    /// Of a message: what it answers.
    pub reply_to_action_id: Option<BusId>,
    /// Of a message: how to go about it.
    pub plan: Option<Plan>,
    /// Of a control: which.
    pub command: Option<String>,
    /// Of a control: its arguments.
    pub args: Option<String>,
}

impl Draft {
    /// What the actions ask for, in order, if nothing is wrong with any of them.
    pub fn check(&self) -> Result<Vec<What>, Refusal> {
        check_count(self.actions.len())?;
        let mut names = HashSet::new();
        let mut last: Option<u32> = None;
        let mut checked = Vec::with_capacity(self.actions.len());
        for (place, action) in self.actions.iter().enumerate() {
            let field = |name: &str| format!("actions[{place}].{name}");
            check_target(&action.dst, &field)?;
            if !names.insert(&action.action_id) {
                let action_id = action.action_id.clone();
                return Err(Refusal::DuplicateAction { field: field("action_id"), action_id });
            }
            if last.is_some_and(|last| action.action_index <= last) {
                let why = "must be larger than that of the action before it: it is the order";
                return Err(Refusal::invalid(field("action_index"), why));
            }
            last = Some(action.action_index);
            checked.push(action.what.check(&field)?);
        }
        Ok(checked)
    }
}

impl WhatDraft {
    /// What is asked. `field` gives the full name of a field at fault.
    pub fn check(&self, field: &dyn Fn(&str) -> String) -> Result<What, Refusal> {
        match self.sort.as_str() {
            "message" => self.message(field),
            "control" => self.control(field),
            _ => Err(Refusal::invalid(field("type"), "must be message or control")),
        }
    }

    fn message(&self, field: &dyn Fn(&str) -> String) -> Result<What, Refusal> {
        let foreign = [("command", self.command.is_some()), ("args", self.args.is_some())];
        none_of(&foreign, "belongs to a control", field)?;
        let kind = match self.kind.as_deref() {
            Some("user") => Kind::User,
            Some("reply") => Kind::Reply,
            Some(_) => return Err(Refusal::invalid(field("kind"), "must be user or reply")),
            None => return Err(Refusal::invalid(field("kind"), "is required: user or reply")),
        };
        let text = self.text.as_deref().unwrap_or_default();
        text_within(text, limits::MESSAGE_BYTES, &field("text"))?;
        if let Some(plan) = &self.plan {
            check_plan(plan, field)?;
        }
        Ok(What::Message {
            kind,
            text: text.to_owned(),
            reply_to_action_id: self.reply_to_action_id.clone(),
            plan: self.plan.clone(),
        })
    }

    fn control(&self, field: &dyn Fn(&str) -> String) -> Result<What, Refusal> {
        let foreign = [
            ("kind", self.kind.is_some()),
            ("text", self.text.is_some()),
            ("reply_to_action_id", self.reply_to_action_id.is_some()),
            ("plan", self.plan.is_some()),
        ];
        none_of(&foreign, "belongs to a message", field)?;
        let command = self.command.as_deref().and_then(Control::named);
        let command =
            command.ok_or_else(|| Refusal::invalid(field("command"), "must be new, compact, interrupt or review"))?;
        match &self.args {
            Some(_) if command != Control::Review => {
                Err(Refusal::invalid(field("args"), "goes with the command review only"))
            }
            Some(args) => {
                text_within(args, limits::CONTROL_ARGS_BYTES, &field("args"))?;
                Ok(What::Control { command, args: Some(args.clone()) })
            }
            None => Ok(What::Control { command, args: None }),
        }
    }
}

/// Refuses a text that is blank, too long, or that not every engine could store.
pub(super) fn text_within(text: &str, most: usize, field: &str) -> Result<(), Refusal> {
    if text.trim().is_empty() {
        return Err(Refusal::invalid(field, "must say something"));
    }
    if text.len() > most {
        return Err(Refusal::invalid(field, format!("must have at most {most} bytes, not {}", text.len())));
    }
    if text.contains('\0') {
        return Err(Refusal::invalid(field, "must not have a zero character"));
    }
    Ok(())
}

/// Refuses no actions, and too many.
pub(super) fn check_count(actions: usize) -> Result<(), Refusal> {
    if (1..=limits::BUS_ACTIONS).contains(&actions) {
        return Ok(());
    }
    Err(Refusal::invalid("actions", format!("must have 1 to {} actions, not {actions}", limits::BUS_ACTIONS)))
}

/// Refuses an action for nobody.
pub(super) fn check_target(dst: &str, field: &dyn Fn(&str) -> String) -> Result<(), Refusal> {
    if dst.trim().is_empty() {
        return Err(Refusal::invalid(field("dst"), "must name an agent of the session"));
    }
    Ok(())
}

fn check_plan(plan: &Plan, field: &dyn Fn(&str) -> String) -> Result<(), Refusal> {
    if !(1..=limits::PLAN_STEPS).contains(&plan.steps.len()) {
        let why = format!("must have 1 to {} steps", limits::PLAN_STEPS);
        return Err(Refusal::invalid(field("plan.steps"), why));
    }
    for (place, step) in plan.steps.iter().enumerate() {
        text_within(step, limits::PLAN_STEP_BYTES, &field(&format!("plan.steps[{place}]")))?;
    }
    match &plan.note {
        Some(note) => text_within(note, limits::PLAN_STEP_BYTES, &field("plan.note")),
        None => Ok(()),
    }
}

fn none_of(foreign: &[(&str, bool)], why: &str, field: &dyn Fn(&str) -> String) -> Result<(), Refusal> {
    match foreign.iter().find(|(_, given)| *given) {
        Some((name, _)) => Err(Refusal::invalid(field(name), why)),
        None => Ok(()),
    }
}
