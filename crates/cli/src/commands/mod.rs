//! The commands, one file each. This file lists them and hands over.

mod ack;
mod agent;
mod anchor;
mod approval;
mod artifact;
mod await_others;
mod block;
mod brief;
mod bus;
mod card;
mod completions;
mod confine;
mod context;
mod demo;
mod doctor;
mod edge;
mod handoff;
mod heartbeat;
mod hold;
mod hook;
mod inbox;
mod install;
mod job;
mod join;
mod leave;
mod mcp;
mod minder;
mod needs;
mod open;
mod pass;
mod plan;
mod reference;
mod release;
mod room;
mod run;
mod scope;
mod search;
mod send;
mod skill;
mod spawn;
mod start;
mod status;
mod store;
pub(crate) mod surface;
mod take;
mod task;
mod tell;
mod ticket;
mod token;
mod turn;
mod up;
mod usage;
mod wait;

use std::process::ExitCode;

use baton_app::Failure;
use baton_core::code::ErrorCode;
use clap::{Parser, Subcommand};

use crate::{context::Context, ui::Ui};

/// One coordination plane for coding agents that share a workspace
///
/// Agents and people meet in a room; exactly one holds the stick and may write; passing it on takes a
/// structured handoff. Everything lives in one SQLite file, or for several machines in one Postgres
/// database, with no daemon.
///
/// Exit status: 0 done, 1 failed, 2 wrong request, 3 refused, 4 not found; for `wait` also 10 not your turn,
/// 11 takeover available, 12 closed, 13 kept for you, 14 a message for you; for `job claim` also 10 nothing to claim; for
/// `bus take`, `bus wait` and `bus submit --wait` also 10 not yet, 12 closed, 15 an action was not completed; for `await` also 10
/// not yet, 15 it will not happen.
#[derive(Debug, Parser)]
#[command(name = "baton", version, max_term_width = 100)]
pub(crate) struct Arguments {
    /// Print one JSON object {"ok","command","data","error"} and nothing else
    #[arg(long, global = true)]
    json: bool,
    /// Where rooms are kept: postgres://user@host/database (its password in ~/.pgpass), or a directory [default:
    /// BATON_STORE, else this user's data directory]
    #[arg(long, global = true, value_name = "STORE")]
    store: Option<String>,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Start(start::StartArgs),
    Status(status::StatusArgs),
    Needs(needs::NeedsArgs),
    Join(join::JoinArgs),
    Wait(wait::WaitArgs),
    Release(release::ReleaseArgs),
    Pass(pass::PassArgs),
    Take(take::TakeArgs),
    Hold(hold::HoldArgs),
    Heartbeat(heartbeat::HeartbeatArgs),
    Leave(leave::LeaveArgs),
    Handoff(handoff::HandoffArgs),
    Await(await_others::AwaitArgs),
    Tell(tell::TellArgs),
    Send(send::SendArgs),
    Block(block::BlockArgs),
    Inbox(inbox::InboxArgs),
    Ack(ack::AckArgs),
    #[command(subcommand)]
    Task(task::TaskCommand),
    Radar(job::RadarArgs),
    #[command(subcommand)]
    Job(job::JobCommand),
    #[command(subcommand)]
    Card(card::CardCommand),
    #[command(subcommand)]
    Artifact(artifact::ArtifactCommand),
    Note(room::NoteArgs),
    #[command(subcommand)]
    Anchor(anchor::AnchorCommand),
    #[command(subcommand)]
    Plan(plan::PlanCommand),
    #[command(subcommand)]
    Turn(turn::TurnCommand),
    Open(open::OpenArgs),
    Search(search::SearchArgs),
    Skill(skill::SkillArgs),
    #[command(subcommand)]
    Room(room::RoomCommand),
    #[command(subcommand)]
    Brief(brief::BriefCommand),
    #[command(subcommand)]
    Context(context::ContextCommand),
    #[command(subcommand)]
    Scope(scope::ScopeCommand),
    Confine(confine::ConfineArgs),
    #[command(subcommand)]
    Agent(agent::AgentCommand),
    #[command(subcommand)]
    Edge(edge::EdgeCommand),
    Spawn(spawn::SpawnArgs),
    #[command(subcommand)]
    Approval(approval::ApprovalCommand),
    #[command(subcommand)]
    Bus(bus::BusCommand),
    Up(up::UpArgs),
    Ticket(ticket::TicketArgs),
    #[command(subcommand)]
    Token(token::TokenCommand),
    Run(run::RunArgs),
    Mcp(mcp::McpArgs),
    Hook(hook::HookArgs),
    Demo(demo::DemoArgs),
    Install(install::InstallArgs),
    Uninstall(install::UninstallArgs),
    Doctor(doctor::DoctorArgs),
    #[command(subcommand)]
    Store(store::StoreCommand),
    Completions(completions::CompletionsArgs),
    #[command(hide = true)]
    Reference(reference::ReferenceArgs),
    #[command(hide = true)]
    Minder(minder::MinderArgs),
}

impl Command {
    /// The name in the JSON envelope.
    fn name(&self) -> &'static str {
        match self {
            Self::Start(_) => "start",
            Self::Status(_) => "status",
            Self::Needs(_) => "needs",
            Self::Join(_) => "join",
            Self::Wait(_) => "wait",
            Self::Release(_) => "release",
            Self::Pass(_) => "pass",
            Self::Take(_) => "take",
            Self::Hold(_) => "hold",
            Self::Heartbeat(_) => "heartbeat",
            Self::Leave(_) => "leave",
            Self::Handoff(_) => "handoff",
            Self::Await(_) => "await",
            Self::Tell(_) => "tell",
            Self::Send(_) => "send",
            Self::Block(_) => "block",
            Self::Inbox(inbox) => inbox.name(),
            Self::Ack(_) => "ack",
            Self::Task(task) => task.name(),
            Self::Radar(_) => "radar",
            Self::Job(job) => job.name(),
            Self::Card(card) => card.name(),
            Self::Spawn(_) => "spawn",
            Self::Approval(approval) => approval.name(),
            Self::Artifact(artifact) => artifact.name(),
            Self::Note(_) => "note",
            Self::Anchor(anchor) => anchor.name(),
            Self::Plan(plan) => plan.name(),
            Self::Turn(turn) => turn.name(),
            Self::Open(_) => "open",
            Self::Search(_) => "search",
            Self::Skill(_) => "skill",
            Self::Room(room) => room.name(),
            Self::Brief(brief) => brief.name(),
            Self::Context(context) => context.name(),
            Self::Scope(scope) => scope.name(),
            Self::Confine(_) => "confine",
            Self::Agent(agent) => agent.name(),
            Self::Edge(edge) => edge.name(),
            Self::Bus(bus) => bus.name(),
            Self::Up(_) => "up",
            Self::Ticket(_) => "ticket",
            Self::Token(token) => token.name(),
            Self::Run(_) => "run",
            Self::Mcp(_) => "mcp",
            Self::Hook(_) => "hook",
            Self::Demo(_) => "demo",
            Self::Install(_) => "install",
            Self::Uninstall(_) => "uninstall",
            Self::Doctor(_) => "doctor",
            Self::Store(store) => store.name(),
            Self::Completions(_) => "completions",
            Self::Reference(_) => "reference",
            Self::Minder(_) => "minder",
        }
    }

    /// Whether its output is for a program that expects no envelope: a protocol, a script, a page.
    fn has_a_format_of_its_own(&self) -> bool {
        matches!(
            self,
            Self::Confine(_)
                | Self::Mcp(_)
                | Self::Hook(_)
                | Self::Completions(_)
                | Self::Reference(_)
                | Self::Minder(_)
        )
    }

    /// Whether it is about no store, or about others than the one that is asked for.
    fn is_about_no_store(&self) -> bool {
        match self {
            Self::Demo(_) | Self::Uninstall(_) | Self::Completions(_) | Self::Reference(_) | Self::Minder(_) => true,
            Self::Store(store) => store.names_its_own(),
            _ => false,
        }
    }
}

/// Runs the command that the arguments name.
pub(crate) fn run() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => return usage::explain(&error),
    };
    let ui = Ui::new(arguments.json, arguments.command.name());
    let command = arguments.command;
    // A program that calls a hook reads nothing but its own dialect, and any status but 0 as a refusal.
    if arguments.json && command.has_a_format_of_its_own() && !matches!(command, Command::Hook(_)) {
        let message = format!("`baton {}` takes no --json: what it prints has a format of its own.", command.name());
        return ui.failure(&Failure::new(ErrorCode::InvalidInput, message).advising("Leave out --json."));
    }
    if arguments.store.is_some() && command.is_about_no_store() {
        let message = format!("`baton {}` takes no --store: it would not use it.", command.name());
        return ui.failure(&Failure::new(ErrorCode::InvalidInput, message).advising("Leave out --store."));
    }
    dispatch(command, arguments.store.as_deref(), ui).unwrap_or_else(|failure| ui.failure(&failure))
}

fn dispatch(command: Command, store: Option<&str>, ui: Ui) -> Result<ExitCode, Failure> {
    match command {
        Command::Demo(args) => args.run(ui),
        Command::Install(args) => args.run(store, ui),
        Command::Uninstall(args) => args.run(ui),
        Command::Doctor(args) => args.run(store, ui),
        Command::Store(command) => command.run(store, ui),
        Command::Completions(args) => Ok(args.run()),
        Command::Reference(args) => Ok(args.run()),
        Command::Minder(args) => Ok(args.run()),
        Command::Mcp(args) => args.run(store),
        Command::Hook(args) => Ok(args.run(store)),
        Command::Run(args) => args.run(store, ui),
        Command::Up(args) => args.run(store, ui),
        Command::Ticket(args) => args.run(store, ui),
        Command::Token(command) => command.run(store, ui),
        Command::Start(args) => args.run(store, ui),
        Command::Status(args) => args.run(&Context::open_for_jobs(store)?, ui),
        Command::Needs(args) => args.run(&Context::open_for_jobs(store)?, ui),
        Command::Join(args) => args.run(&Context::open(store)?, ui),
        Command::Wait(args) => args.run(&Context::open(store)?, ui),
        Command::Release(args) => args.run(&Context::open(store)?, ui),
        Command::Pass(args) => args.run(&Context::open(store)?, ui),
        Command::Take(args) => args.run(&Context::open(store)?, ui),
        Command::Hold(args) => args.run(Context::open(store)?, ui),
        Command::Heartbeat(args) => args.run(&Context::open(store)?, ui),
        Command::Leave(args) => args.run(&Context::open(store)?, ui),
        Command::Handoff(args) => args.run(&Context::open(store)?, ui),
        Command::Await(args) => args.run(&Context::open(store)?, ui),
        Command::Tell(args) => args.run(&Context::open(store)?, ui),
        Command::Send(args) => args.run(&Context::open(store)?, ui),
        Command::Block(args) => args.run(&Context::open(store)?, ui),
        Command::Inbox(args) => args.run(&Context::open(store)?, ui),
        Command::Ack(args) => args.run(&Context::open(store)?, ui),
        Command::Task(command) => command.run(&Context::open(store)?, ui),
        Command::Radar(args) => args.run(&Context::open_for_jobs(store)?, ui),
        Command::Job(command) => command.run(&Context::open_for_jobs(store)?, ui),
        Command::Spawn(args) => args.run(&Context::open(store)?, ui),
        Command::Approval(command) => command.run(&Context::open(store)?, ui),
        Command::Card(command) => command.run(&Context::open(store)?, ui),
        Command::Artifact(command) => command.run(&Context::open(store)?, ui),
        Command::Note(args) => args.run(&Context::open(store)?, ui),
        Command::Anchor(command) => command.run(&Context::open(store)?, ui),
        Command::Plan(command) => command.run(&Context::open(store)?, ui),
        Command::Turn(command) => command.run(&Context::open(store)?, ui),
        Command::Open(args) => args.run(&Context::open_for_jobs(store)?, ui),
        Command::Search(args) => args.run(&Context::open(store)?, ui),
        Command::Skill(args) => args.run(&Context::open(store)?, ui),
        Command::Room(command) => command.run(&Context::open(store)?, ui),
        Command::Brief(command) => command.run(&Context::open(store)?, ui),
        Command::Context(command) => command.run(&Context::open(store)?, ui),
        Command::Scope(command) => command.run(&Context::open(store)?, ui),
        Command::Confine(args) => args.run(Context::open(store)?, ui),
        Command::Agent(command) => command.run(&Context::open(store)?, ui),
        Command::Edge(command) => command.run(&Context::open(store)?, ui),
        Command::Bus(command) => command.run(&Context::open(store)?, ui),
    }
}

#[cfg(test)]
mod tests {
    use baton_app::table::TABLE;
    use clap::CommandFactory;

    use super::{
        surface::{ABSENT, SURFACE},
        *,
    };

    #[test]
    fn every_command_of_the_table_is_on_the_command_line_or_absent_for_a_reason() {
        for command in TABLE.iter().filter(|command| !ABSENT.iter().any(|(name, _)| *name == command.name)) {
            let (_, words) = SURFACE
                .iter()
                .find(|(name, _)| *name == command.name)
                .unwrap_or_else(|| panic!("{} is not on the command line", command.name));
            let mut here = Arguments::command();
            for word in *words {
                here = here.find_subcommand(word).unwrap_or_else(|| panic!("no `baton {}`", words.join(" "))).clone();
            }
        }
        assert_eq!(SURFACE.len() + ABSENT.len(), TABLE.len(), "a list names commands that are gone, or one twice");
        assert!(ABSENT.iter().all(|(_, why)| !why.is_empty()));
    }

    #[test]
    fn the_arguments_are_consistent() {
        Arguments::command().debug_assert();
    }
}
