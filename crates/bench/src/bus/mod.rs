//! What the rows about the bus need: servers to ask, and clients that cost little.
//!
//! The servers are helper processes: Baton's own as `baton up` starts it ([`Up`]), and bare ones on the same stack
//! ([`bare`]). The clients are written by hand on blocking sockets ([`Lines`], [`Requests`]) and understand only where an
//! answer ends; a thousand subscribers are one thread with epoll ([`Crowd`]).

pub(crate) mod bare;
mod crowd;
mod lines;
mod requests;
mod running;
pub(crate) mod up;

pub(crate) use bare::{BareHttp, BareSocket};
pub(crate) use crowd::{Crowd, Told};
pub(crate) use lines::Lines;
pub(crate) use requests::{Requests, get, post};
pub(crate) use up::Up;
