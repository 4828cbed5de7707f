//! One file per use case, in the order in which tools are listed.

pub mod agent;
pub mod inbox;
pub mod jobs;
pub mod library;
pub mod open;
pub mod room;
pub mod scope;
pub mod skill;
pub mod stick;
pub mod tasks;

use crate::table::Command;

pub(crate) const TABLE: &[Command] = &[
    Command::of::<room::List>(),
    Command::of::<room::Join>(),
    Command::of::<stick::Wait>(),
    Command::of::<stick::Heartbeat>(),
    Command::of::<stick::Release>(),
    Command::of::<stick::Pass>(),
    Command::of::<stick::Takeover>(),
    Command::of::<room::State>(),
    Command::of::<room::Events>(),
    Command::of::<room::Note>(),
    Command::of::<room::Leave>(),
    Command::of::<room::Close>(),
    Command::of::<room::Reorder>(),
    Command::of::<room::SetPolicy>(),
    Command::of::<scope::Reserve>(),
    Command::of::<scope::Release>(),
    Command::of::<scope::Status>(),
    Command::of::<scope::Check>(),
    Command::of::<inbox::List>(),
    Command::of::<inbox::Read>(),
    Command::of::<inbox::Ack>(),
    Command::of::<inbox::Send>(),
    Command::of::<inbox::Sent>(),
    Command::of::<jobs::Create>(),
    Command::of::<jobs::Radar>(),
    Command::of::<jobs::Message>(),
    Command::of::<jobs::Open>(),
    Command::of::<jobs::Tail>(),
    Command::of::<jobs::List>(),
    Command::of::<jobs::Cancel>(),
    Command::of::<jobs::Requeue>(),
    Command::of::<jobs::Claim>(),
    Command::of::<jobs::Report>(),
    Command::of::<jobs::Complete>(),
    Command::of::<jobs::Heartbeat>(),
    Command::of::<jobs::Retire>(),
    Command::of::<tasks::List>(),
    Command::of::<tasks::Show>(),
    Command::of::<tasks::Create>(),
    Command::of::<tasks::Start>(),
    Command::of::<tasks::Done>(),
    Command::of::<tasks::Assign>(),
    Command::of::<library::Snapshot>(),
    Command::of::<library::Focus>(),
    Command::of::<library::Search>(),
    Command::of::<library::CardCreate>(),
    Command::of::<library::CardList>(),
    Command::of::<library::CardPin>(),
    Command::of::<library::AnchorSet>(),
    Command::of::<library::AnchorList>(),
    Command::of::<library::PlanCreate>(),
    Command::of::<library::PlanList>(),
    Command::of::<library::ArtifactList>(),
    Command::of::<library::MacroStart>(),
    Command::of::<jobs::Delegate>(),
    Command::of::<jobs::Fanout>(),
    Command::of::<library::MergeReport>(),
    Command::of::<open::Open>(),
    Command::of::<skill::Skill>(),
    Command::of::<agent::List>(),
    Command::of::<agent::Show>(),
    Command::of::<agent::Init>(),
    Command::of::<agent::Register>(),
    Command::of::<agent::Adopt>(),
    Command::of::<agent::Heartbeat>(),
];
