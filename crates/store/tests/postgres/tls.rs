//! Encryption, and whom we believe to be the server.

use std::{fs, path::PathBuf};

use baton_cluster::{Cluster, Durability, Options, Tls};
use baton_core::code::ErrorCode;
use baton_store::{Store, StoreError};
use baton_testkit::{Backend, Place};
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use tempfile::TempDir;

use super::support::{notes, open, open_room, rings, room_id};

/// A server that is `localhost` to those who believe its authority, and the authority's certificate beside a
/// stranger's.
struct Scene {
    cluster: Cluster,
    directory: TempDir,
}

impl Scene {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let (authority, authority_key) = authority();
        let root = authority.self_signed(&authority_key).unwrap();
        let issuer = Issuer::new(authority, authority_key);
        let key = KeyPair::generate().unwrap();
        let server = CertificateParams::new(vec!["localhost".to_owned()]).unwrap().signed_by(&key, &issuer).unwrap();
        let (stranger, stranger_key) = self::authority();
        let stranger = stranger.self_signed(&stranger_key).unwrap();
        fs::write(directory.path().join("root.pem"), root.pem()).unwrap();
        fs::write(directory.path().join("stranger.pem"), stranger.pem()).unwrap();

        let tls = Some(Tls { certificate_pem: server.pem(), key_pem: key.serialize_pem() });
        let cluster = Cluster::start(Options { durability: Durability::Fast, tls, ..Options::default() }).unwrap();
        Self { cluster, directory }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn open(&self, host: &str, parameters: &str) -> Store {
        let (_, port) = self.cluster.address();
        open(&format!("postgres://baton@{host}:{port}/postgres?{parameters}"))
    }

    /// The same with an authority to believe.
    fn open_believing(&self, host: &str, mode: &str, roots: &str) -> Store {
        self.open(host, &format!("sslmode={mode}&sslrootcert={}", self.path(roots).display()))
    }
}

fn authority() -> (CertificateParams, KeyPair) {
    let mut authority = CertificateParams::new(Vec::new()).unwrap();
    authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    (authority, KeyPair::generate().unwrap())
}

/// Whether our own session is encrypted: as the store says, and as the server does.
fn is_encrypted(store: &Store) -> bool {
    let mut sessions = 0;
    let asked = store.read::<_, StoreError>(|tx| {
        tx.query("SELECT count(*) FROM pg_stat_ssl WHERE pid = pg_backend_pid() AND ssl", &[], &mut |row| {
            sessions = row.int(0)?.unwrap_or_default();
            Ok(())
        })
    });
    asked.unwrap();
    let told = store.info().unwrap().server.unwrap().encrypted;
    assert_eq!(told, sessions == 1, "the store tells what is true");
    told
}

fn refusal(store: &Store) -> String {
    let error = store.info().unwrap_err();
    assert_eq!(error.code(), ErrorCode::StoreUnreachable, "{error}");
    error.to_string()
}

#[test]
fn a_session_is_encrypted_and_checked_as_far_as_the_address_asks() {
    let scene = Scene::new();
    assert!(!is_encrypted(&scene.open("localhost", "sslmode=disable")));
    assert!(is_encrypted(&scene.open("localhost", "")), "encryption is preferred");
    assert!(is_encrypted(&scene.open("localhost", "sslmode=prefer")));
    assert!(is_encrypted(&scene.open("127.0.0.1", "sslmode=require")), "whoever it is");
    assert!(is_encrypted(&scene.open_believing("localhost", "verify-full", "root.pem")));
    assert!(is_encrypted(&scene.open_believing("127.0.0.1", "verify-ca", "root.pem")), "whatever its name");

    // What comes unasked comes through as well.
    let store = scene.open_believing("localhost", "verify-full", "root.pem");
    open_room(&store);
    let bell = store.listen(&room_id()).unwrap();
    notes(&scene.open("localhost", "sslmode=require"), "heard", |_| {}).unwrap();
    assert!(rings(&*bell));

    let wrong_name = refusal(&scene.open_believing("127.0.0.1", "verify-full", "root.pem"));
    assert!(wrong_name.contains("not valid for name"), "{wrong_name}");
    for mode in ["verify-ca", "verify-full"] {
        let unknown = refusal(&scene.open_believing("localhost", mode, "stranger.pem"));
        assert!(unknown.contains("UnknownIssuer") || unknown.contains("BadSignature"), "{unknown}");
    }
}

#[test]
fn a_server_without_encryption_is_used_unless_the_address_insists() {
    let place = Place::new(Backend::Postgres);
    assert!(!is_encrypted(&place.open()));
    assert!(!is_encrypted(&open(&format!("{}?sslmode=prefer", place.address()))));
    let refused = refusal(&open(&format!("{}?sslmode=require", place.address())));
    assert!(refused.contains("TLS"), "{refused}");
}
