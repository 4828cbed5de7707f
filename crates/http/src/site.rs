//! What every handler works with: the hub, and what the gate knows.

use std::{path::PathBuf, sync::Arc};

use baton_app::clock::Clock;
use baton_bus::Hub;
use baton_core::ids::AgentId;
use tokio::time::Instant;

use crate::{
    gate::{Credentials, Names, Scheme, cookie_name},
    login::{Sessions, Tickets},
    tokens::{Keyring, Known},
    web::Lives,
};

/// One server's own.
pub(crate) struct Site {
    pub(crate) hub: Arc<Hub>,
    pub(crate) names: Names,
    pub(crate) scheme: Scheme,
    pub(crate) credentials: Arc<Credentials>,
    pub(crate) tickets: Tickets,
    pub(crate) clock: Arc<dyn Clock>,
    /// The owner, as they are called over HTTP.
    pub(crate) owner: AgentId,
    pub(crate) begun: Instant,
    /// Pages that somebody looks at.
    pub(crate) lives: Lives,
}

/// Where a server keeps its secrets, and whose it is.
#[derive(Clone)]
pub struct Owner {
    /// The data directory.
    pub data: PathBuf,
    /// Who they are over HTTP.
    pub id: AgentId,
    /// What tickets and logins expire by.
    pub clock: Arc<dyn Clock>,
}

impl Site {
    pub(crate) fn new(hub: Arc<Hub>, names: Names, scheme: Scheme, port: u16, owner: Owner) -> Self {
        let credentials = Credentials::new(
            Known::of(Keyring::in_directory(&owner.data)),
            Sessions::in_directory(&owner.data),
            cookie_name(port),
            Arc::clone(&owner.clock),
        );
        let keeper = Arc::clone(&credentials);
        hub.bind_agents(Box::new(move |agent| keeper.tokens.bound_to(agent)));
        Self {
            hub,
            names,
            scheme,
            credentials,
            tickets: Tickets::in_directory(&owner.data),
            clock: owner.clock,
            owner: owner.id,
            begun: Instant::now(),
            lives: Lives::default(),
        }
    }
}
