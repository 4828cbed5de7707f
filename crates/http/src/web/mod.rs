//! The dashboard: pages that are rendered here, kept current over one stream, and worked by plain forms.
//!
//! A page ([`pages`]) looks at the store through a [`look::Look`] and answers with regions ([`page::Page`]); [`shell`] puts
//! them into a document. A browser with scripts subscribes to the page that it shows ([`live`]) and is sent the regions that
//! changed; one without reloads. Whatever a person does is a form that is posted to a command of the table ([`act`]): there
//! is nothing here that a terminal could not do.
//!
//! What must stay true: text from agents is put into pages by `maud`, which escapes it, and never otherwise; no page has a
//! script or a style of its own; one page that many look at is rendered once; and a viewer is offered nothing to press.

mod act;
mod assets;
mod at;
mod form;
mod live;
mod look;
mod page;
mod pages;
mod parts;
mod router;
mod shell;
mod show;

pub(crate) use live::Lives;
pub(crate) use router::routes;
pub(crate) use show::{logged_in, logged_out, missing, stranger, ticket_refused};
