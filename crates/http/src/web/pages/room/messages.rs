//! Writing to an agent, and how far what you wrote has come.

use baton_app::{
    Failure,
    commands::inbox::{Sent, SentInput, SentView},
};
use baton_core::inbox::Stage;
use maud::{Markup, html};

use super::sight::Sight;
use crate::web::{
    form::Form,
    look::Look,
    parts::{ago, cli},
};

/// Messages of yours that are shown.
const SHOWN: u32 = 5;

pub(super) fn region(look: &Look<'_>, sight: &Sight) -> Result<Markup, Failure> {
    let input = SentInput { room_id: sight.id().clone(), waiting: false, before: None, limit: Some(SHOWN) };
    let sent = look.ask::<Sent>(input)?.messages;
    Ok(html! {
        section.card aria-labelledby="messages-title" {
            h2 id="messages-title" { "Messages" }
            @if sight.is_open() {
                (tell(look, sight))
                @if sight.is_yours() { (broadcast(look, sight)) }
            } @else { p.quiet { "The room is closed: nobody reads here any more." } }
            @if !sent.is_empty() {
                h3 { "What you sent" }
                ul.sent role="list" { @for message in &sent { (row(look, message)) } }
            }
        }
    })
}

fn row(look: &Look<'_>, message: &SentView) -> Markup {
    html! {
        li id={ "sent-" (message.message) } {
            p { "to " b { bdi { (message.to_agent) } } ": " span dir="auto" { (message.subject) } }
            p.quiet {
                (ago(look, message.sent_at)) ". "
                @for (i, delivery) in message.deliveries.iter().enumerate() {
                    @if i > 0 { ", " }
                    span.label { (stage(delivery.state)) } " by " bdi { (delivery.agent) }
                }
            }
        }
    }
}

/// How far a message has come, in the contract's words.
const fn stage(stage: Stage) -> &'static str {
    match stage {
        Stage::Queued => "Not delivered yet",
        Stage::Delivered => "Delivered",
        Stage::Seen => "Seen",
        Stage::Accepted => "Accepted",
    }
}

/// A person's word to one agent.
fn tell(look: &Look<'_>, sight: &Sight) -> Markup {
    let others: Vec<_> = sight.state.members.iter().filter(|member| member.agent_id != sight.you).collect();
    let body = html! {
        label { span { "To" }
            select name="to" required {
                @for member in &others { option value=(member.agent_id) { (member.display_name) } }
            }
        }
        label { span { "Message" } textarea name="text" rows="3" required {} }
        fieldset.choices {
            legend.hidden { "When it is read" }
            label.choice { input type="radio" name="mode" value="queue" checked; " for its next turn" }
            label.choice { input type="radio" name="mode" value="interrupt"; " now: what it does is stopped" }
        }
        p { button.primary type="submit" { "Send" } }
        (cli(&look.command("tell NAME \"…\"", sight.id())))
    };
    let form = Form::of("inbox.tell", "The message is sent.").class("stack").with("room_id", sight.id());
    html! { @if others.is_empty() { p.quiet { "There is nobody else here to write to." } } @else { (form.body(look, body)) } }
}

/// A member's word to everybody.
fn broadcast(look: &Look<'_>, sight: &Sight) -> Markup {
    let body = html! {
        label { span { "Kind" } select name="category" { option value="INFO" { "INFO: to be known" } option value="DECISION" { "DECISION: to be kept to" } } }
        label { span { "Subject" } input name="subject" required; }
        label { span { "Text" } textarea name="body" rows="2" required {} }
        p { button type="submit" { "Send to everybody" } }
    };
    let form = Form::of("inbox.send", "Everybody is told.").class("stack");
    let form = form.with("room_id", sight.id()).with("to", "broadcast");
    html! { @if look.may_act() { details.act { summary { "Tell everybody" } (form.body(look, body)) } } }
}
