//! `<data>/up.json`: where a server runs, so that the owner's own tools find it.
//!
//! It is a hint and no lock: a server that was killed leaves it behind, so whoever reads it knocks first.

use std::{
    fs, io,
    net::{SocketAddr, TcpStream},
    path::{Path, PathBuf},
    time::Duration,
};

use baton_app::Failure;
use baton_core::code::ErrorCode;
use serde::{Deserialize, Serialize};

use crate::private;

/// How long a server on this machine may take to answer a knock.
const KNOCK: Duration = Duration::from_secs(2);

/// Where a server runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Facts {
    /// Its address, as a person types it.
    pub url: String,
    /// Where it listens.
    pub listen: SocketAddr,
    /// Its socket.
    pub socket: PathBuf,
    /// Its process.
    pub pid: u32,
}

/// Facts that are told until this is dropped.
#[derive(Debug)]
pub struct Published {
    path: PathBuf,
    facts: Facts,
}

impl Facts {
    /// Tells them to whoever may read the data directory.
    pub fn publish(self, data: &Path) -> Result<Published, Failure> {
        let path = file(data);
        let text =
            serde_json::to_string(&self).map_err(|error| Failure::new(ErrorCode::Internal, error.to_string()))?;
        private::replace(&path, &(text + "\n")).map_err(|error| private::failed(&path, &error))?;
        Ok(Published { path, facts: self })
    }

    /// The server of a data directory, if one answers.
    pub fn find(data: &Path) -> Result<Option<Self>, Failure> {
        let path = file(data);
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(private::failed(&path, &error)),
        };
        let facts: Option<Self> = serde_json::from_str(&text).ok();
        Ok(facts.filter(|facts| TcpStream::connect_timeout(&facts.listen, KNOCK).is_ok()))
    }
}

impl Drop for Published {
    fn drop(&mut self) {
        let told = fs::read_to_string(&self.path).ok().and_then(|text| serde_json::from_str::<Facts>(&text).ok());
        // Another server may have come since, whose facts are its own.
        if told.as_ref() == Some(&self.facts) {
            let _ = fs::remove_file(&self.path);
        }
    }
}

fn file(data: &Path) -> PathBuf {
    data.join("up.json")
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    #[test]
    fn a_server_is_found_while_it_listens_and_its_facts_go_with_it() {
        let data = tempfile::tempdir().unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let listen = listener.local_addr().unwrap();
        let facts = Facts { url: format!("http://{listen}"), listen, socket: data.path().join("bus.sock"), pid: 1 };
        assert_eq!(Facts::find(data.path()).unwrap(), None);
        let published = facts.clone().publish(data.path()).unwrap();
        assert_eq!(Facts::find(data.path()).unwrap(), Some(facts.clone()));
        drop(listener);
        assert_eq!(Facts::find(data.path()).unwrap(), None);
        let other = Facts { pid: 2, ..facts }.publish(data.path()).unwrap();
        drop(published);
        assert!(file(data.path()).exists());
        drop(other);
        assert!(!file(data.path()).exists());
    }
}
