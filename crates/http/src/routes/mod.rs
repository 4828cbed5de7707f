//! The routes: one way to call any command by its name, and resource routes for what the contracts name.
//!
//! A resource route is a line in [`RESOURCES`]: a method, a path, and the command that it calls. What stands in braces in the
//! path is the input's field of that name; a `GET` and a `DELETE` take the other fields from the query, a `POST` and a `PATCH`
//! from the body. There is no logic in a route: whatever is decided is decided by the command.

pub(crate) mod body;
mod call;
mod fields;
mod input;
mod resource;
mod router;
mod table;

pub(crate) use router::router;
pub(crate) use table::{RESOURCES, Resource, Stream, Verb};
pub use table::{Route, routes};
