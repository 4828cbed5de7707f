//! `GET /openapi.json`: every route with what it takes and answers, made from the command table and the route table.
//!
//! Nothing here is written by hand that one of the two tables knows.

mod answers;
mod document;
mod operation;
mod schemas;

pub(crate) use document::document;
