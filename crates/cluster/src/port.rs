//! A port of our own.

use std::{
    hash::{BuildHasher, RandomState},
    net::TcpListener,
};

use crate::ClusterError;

/// Below what the kernel gives to outgoing connections (32768 and up). A client that keeps knocking while its server
/// is down could otherwise be given the server's own port, and the server could not come back to it.
const PORTS: std::ops::Range<u16> = 15_000..32_000;
const ATTEMPTS_MAX: u32 = 200;

/// Finds a port that is free on all of `addresses` now. Another process may take it before we do.
pub(crate) fn free(addresses: &[String]) -> Result<u16, ClusterError> {
    let random = RandomState::new();
    (0..ATTEMPTS_MAX)
        .map(|attempt| PORTS.start + (random.hash_one(attempt) % u64::from(PORTS.end - PORTS.start)) as u16)
        .find(|port| addresses.iter().all(|address| TcpListener::bind((any(address), *port)).is_ok()))
        .ok_or_else(|| ClusterError::NoPort(addresses.join(", ")))
}

/// PostgreSQL's `*` as an address to bind.
fn any(address: &str) -> &str {
    if address == "*" { "0.0.0.0" } else { address }
}
