//! `cargo run -p baton-cluster`: starts a server for tests, prints its address, and keeps it until the input ends.
//!
//! For running single tests many times: `BATON_TEST_POSTGRES=<address> cargo test -p baton-store`.

use std::{
    error::Error,
    io::{self, Write},
};

use baton_cluster::{Cluster, Durability, Options};

fn main() -> Result<(), Box<dyn Error>> {
    let cluster = Cluster::start(Options { durability: Durability::Fast, max_connections: 400, ..Options::default() })?;
    writeln!(io::stdout(), "{}", cluster.url("postgres"))?;
    io::copy(&mut io::stdin(), &mut io::sink())?;
    Ok(())
}
