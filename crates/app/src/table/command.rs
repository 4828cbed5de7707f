//! A use case, and its row in the table.

use schemars::{JsonSchema, Schema, SchemaGenerator, generate::SchemaSettings};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

use baton_core::code::ErrorCode;

use super::{
    access::Access,
    parse::parse,
    place::{Place, Tier},
};
use crate::{App, Caller, Failure};

/// What a command does to the store, so that an adapter knows how to run it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Reads. Never waits for a writer.
    Read,
    /// Writes. May wait for another writer.
    Write,
    /// May wait for as long as the caller allows, and then write.
    Wait,
    /// May wait for as long as the caller allows, and only reads.
    Follow,
}

/// What a command is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// One room, which its input names as `room_id`.
    Room,
    /// The store and all that is in it.
    Store,
}

/// A use case, as its own type. The doc comment of the input's fields is what a caller reads.
pub trait UseCase {
    /// The name in the table: `room.join`.
    const NAME: &'static str;
    /// Where agents find it.
    const PLACE: Place;
    /// What it is called on the socket and over HTTP, where a contract has a name of its own for it.
    const WIRE: Option<&'static str> = None;
    /// What it is about.
    const SUBJECT: Subject = Subject::Room;
    /// What it does to the store.
    const EFFECT: Effect;
    /// Access to it, where that does not follow from its effect.
    const ACCESS: Access = Access::of(Self::EFFECT);
    /// What it does, for a reader with no context.
    const ABOUT: &'static str;
    /// What a caller says.
    type Input: DeserializeOwned + JsonSchema + 'static;
    /// What a caller gets.
    type Output: Serialize + JsonSchema;

    /// Does it, for a caller who may. Called by [`UseCase::run`] alone.
    fn perform(app: &App, caller: &Caller, input: Self::Input) -> Result<Self::Output, Failure>;

    /// Does it, if the caller may call it and its id is its own. Every surface calls this, and no use case has one of its own.
    fn run(app: &App, caller: &Caller, input: Self::Input) -> Result<Self::Output, Failure> {
        Self::ACCESS.check(caller, Self::WIRE.unwrap_or(Self::NAME))?;
        app.settle(caller)?;
        if matches!(Self::EFFECT, Effect::Write | Effect::Wait) || Self::SUBJECT == Subject::Room {
            // Before the input is judged: a job's agent whose claim is over is told so, whatever it asks. Each transaction
            // that writes asks again.
            app.require_claim_in_force(caller)?;
        }
        Self::perform(app, caller, input)
    }
}

/// A row of the table.
#[derive(Clone, Copy)]
pub struct Command {
    /// See [`UseCase::NAME`].
    pub name: &'static str,
    /// See [`UseCase::PLACE`].
    pub place: Place,
    /// See [`UseCase::WIRE`].
    pub wire: Option<&'static str>,
    /// See [`UseCase::SUBJECT`].
    pub subject: Subject,
    /// See [`UseCase::EFFECT`].
    pub effect: Effect,
    /// See [`UseCase::ACCESS`].
    pub access: Access,
    /// See [`UseCase::ABOUT`].
    pub about: &'static str,
    input_schema: fn() -> Schema,
    output_schema: fn() -> Schema,
    schemas_in: fn(&mut SchemaGenerator) -> (Schema, Schema),
    run: fn(&App, &Caller, Value) -> Result<Value, Failure>,
}

impl Command {
    /// The row of a use case.
    pub const fn of<U: UseCase>() -> Self {
        Self {
            name: U::NAME,
            place: U::PLACE,
            wire: U::WIRE,
            subject: U::SUBJECT,
            effect: U::EFFECT,
            access: U::ACCESS,
            about: U::ABOUT,
            input_schema: schema::<U::Input>,
            output_schema: schema::<U::Output>,
            schemas_in: |generator| (U::Input::json_schema(generator), U::Output::json_schema(generator)),
            run: run_json::<U>,
        }
    }

    /// What it is called on the socket and over HTTP.
    pub fn wire_name(&self) -> &'static str {
        self.wire.unwrap_or(self.name)
    }

    /// The tool that agents call for it: its own, or its portal.
    pub const fn tool(&self) -> &'static str {
        match self.place {
            Place::Tool(name, _) => name,
            Place::Portal(portal) => portal.name,
        }
    }

    /// What it is called in its portal, if it is in one.
    pub fn op(&self) -> Option<&'static str> {
        match self.place {
            Place::Tool(..) => None,
            Place::Portal(_) => Some(self.name.split_once('.').map_or(self.name, |(_, op)| op)),
        }
    }

    /// Whether agents are offered it by default.
    pub const fn tier(&self) -> Tier {
        match self.place {
            Place::Tool(_, tier) => tier,
            Place::Portal(portal) => portal.tier,
        }
    }

    /// The JSON schema of the input.
    pub fn input_schema(&self) -> Schema {
        (self.input_schema)()
    }

    /// The JSON schema of the output.
    pub fn output_schema(&self) -> Schema {
        (self.output_schema)()
    }

    /// The schemas of input and output for a document about many commands: what they mention is kept by `generator`.
    pub fn schemas_in(&self, generator: &mut SchemaGenerator) -> (Schema, Schema) {
        (self.schemas_in)(generator)
    }

    /// Refuses a caller whose role may not call it. Running it asks this too; asked before, a refused call costs nothing.
    pub fn check(&self, caller: &Caller) -> Result<(), Failure> {
        self.access.check(caller, self.wire_name())
    }

    /// Runs it on JSON.
    pub fn run(&self, app: &App, caller: &Caller, input: Value) -> Result<Value, Failure> {
        // Before the input is judged: a caller who may not call it need not know what it takes.
        self.check(caller)?;
        (self.run)(app, caller, input)
    }
}

fn schema<T: JsonSchema>() -> Schema {
    SchemaGenerator::new(SchemaSettings::draft2020_12()).into_root_schema_for::<T>()
}

fn run_json<U: UseCase>(app: &App, caller: &Caller, input: Value) -> Result<Value, Failure> {
    let output = U::run(app, caller, parse::<U::Input>(input)?)?;
    serde_json::to_value(output).map_err(|error| Failure::new(ErrorCode::Internal, error.to_string()))
}
