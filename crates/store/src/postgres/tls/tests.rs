//! Handshakes in memory, with certificates made for the occasion.

use std::{io::Write, os::unix::fs::PermissionsExt};

use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use rustls::{ClientConnection, ProtocolVersion, ServerConfig, ServerConnection, SupportedProtocolVersion, version};
use tempfile::TempDir;

use super::*;

/// A server for `db.example.org` whose certificate an authority signed, and files as a client has them.
struct Scene {
    directory: TempDir,
    chain: Vec<CertificateDer<'static>>,
    key: KeyPair,
}

impl Scene {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let authority_key = KeyPair::generate().unwrap();
        let mut authority = CertificateParams::new(Vec::new()).unwrap();
        authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let root = authority.self_signed(&authority_key).unwrap();
        let issuer = Issuer::new(authority, authority_key);
        let key = KeyPair::generate().unwrap();
        let server =
            CertificateParams::new(vec!["db.example.org".to_owned()]).unwrap().signed_by(&key, &issuer).unwrap();
        let stranger_key = KeyPair::generate().unwrap();
        let mut stranger = CertificateParams::new(Vec::new()).unwrap();
        stranger.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let stranger = stranger.self_signed(&stranger_key).unwrap();

        let scene = Self { directory, chain: vec![server.der().clone()], key };
        scene.write("root.pem", &root.pem());
        scene.write("stranger.pem", &stranger.pem());
        scene.write("server.pem", &server.pem());
        scene.write("server.key", &scene.key.serialize_pem());
        scene.write("empty.pem", "nothing here\n");
        scene.write("broken.pem", "-----BEGIN CERTIFICATE-----\nhunter2\n");
        scene
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        let mut file = fs::File::create(self.path(name)).unwrap();
        file.set_permissions(fs::Permissions::from_mode(0o600)).unwrap();
        file.write_all(text.as_bytes()).unwrap();
    }

    fn security(&self, mode: Mode, roots: &str) -> Security {
        Security { mode, roots: Roots::File(self.path(roots)), identity: None, negotiation: Negotiation::Asked }
    }

    fn identified(&self, certificate: &str, key: &str) -> Security {
        let identity = Identity { certificate: self.path(certificate), key: self.path(key) };
        Security { identity: Some(identity), ..self.security(Mode::Prefer, "root.pem") }
    }

    /// Shakes hands as `name` over `version`, and says what the client made of it.
    fn shake(
        &self,
        security: &Security,
        name: &'static str,
        version: &'static SupportedProtocolVersion,
    ) -> Result<ProtocolVersion, Error> {
        let client_config = client_config(security).unwrap();
        let key = PrivateKeyDer::try_from(self.key.serialize_der()).unwrap();
        let server_config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_protocol_versions(&[version])
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(self.chain.clone(), key)
            .unwrap();
        let mut client = ClientConnection::new(Arc::new(client_config), ServerName::try_from(name).unwrap()).unwrap();
        let mut server = ServerConnection::new(Arc::new(server_config)).unwrap();
        while client.is_handshaking() || server.is_handshaking() {
            let mut wire = Vec::new();
            client.write_tls(&mut wire).unwrap();
            server.read_tls(&mut wire.as_slice()).unwrap();
            server.process_new_packets().unwrap();
            let mut wire = Vec::new();
            server.write_tls(&mut wire).unwrap();
            client.read_tls(&mut wire.as_slice()).unwrap();
            client.process_new_packets()?;
        }
        Ok(client.protocol_version().unwrap())
    }
}

#[test]
fn each_mode_checks_what_it_should_and_no_more() {
    let scene = Scene::new();
    let right = "db.example.org";
    let wrong = "elsewhere.example.org";
    for (mode, roots, name, is_welcome) in [
        (Mode::Prefer, "stranger.pem", wrong, true),
        (Mode::Require, "stranger.pem", wrong, true),
        (Mode::VerifyCa, "root.pem", right, true),
        (Mode::VerifyCa, "root.pem", wrong, true),
        (Mode::VerifyCa, "root.pem", "10.0.0.1", true),
        (Mode::VerifyCa, "stranger.pem", right, false),
        (Mode::VerifyFull, "root.pem", right, true),
        (Mode::VerifyFull, "root.pem", wrong, false),
        (Mode::VerifyFull, "root.pem", "10.0.0.1", false),
        (Mode::VerifyFull, "stranger.pem", right, false),
    ] {
        for version in [&version::TLS12, &version::TLS13] {
            let answer = scene.shake(&scene.security(mode, roots), name, version);
            assert_eq!(answer.is_ok(), is_welcome, "{mode:?} with {roots} for {name}: {answer:?}");
            if let Err(error) = answer {
                assert!(matches!(error, Error::InvalidCertificate(_)), "{error:?}");
            }
        }
    }
}

#[test]
fn a_server_that_lacks_the_key_is_refused_even_when_any_certificate_will_do() {
    let mut scene = Scene::new();
    // rustls would not let a server start like this, so the key is put under the certificate by hand.
    scene.key = KeyPair::generate().unwrap();
    let key = PrivateKeyDer::try_from(scene.key.serialize_der()).unwrap();
    let signing_key = ring::sign::any_ecdsa_type(&key).unwrap();
    let certified = rustls::sign::CertifiedKey::new(scene.chain.clone(), signing_key);
    let resolver = Arc::new(rustls::sign::SingleCertAndKey::from(certified));
    for version in [&version::TLS12, &version::TLS13] {
        let server_config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_protocol_versions(&[version])
            .unwrap()
            .with_no_client_auth()
            .with_cert_resolver(Arc::clone(&resolver) as _);
        let client_config = client_config(&scene.security(Mode::Require, "root.pem")).unwrap();
        let name = ServerName::try_from("db.example.org").unwrap();
        let mut client = ClientConnection::new(Arc::new(client_config), name).unwrap();
        let mut server = ServerConnection::new(Arc::new(server_config)).unwrap();
        let mut wire = Vec::new();
        client.write_tls(&mut wire).unwrap();
        server.read_tls(&mut wire.as_slice()).unwrap();
        server.process_new_packets().unwrap();
        let mut wire = Vec::new();
        server.write_tls(&mut wire).unwrap();
        client.read_tls(&mut wire.as_slice()).unwrap();
        let error = client.process_new_packets().unwrap_err();
        assert_eq!(error, Error::InvalidCertificate(CertificateError::BadSignature));
    }
}

#[test]
fn a_client_certificate_is_used_when_its_files_are_in_order() {
    let scene = Scene::new();
    let config = client_config(&scene.identified("server.pem", "server.key")).unwrap();
    assert!(config.client_auth_cert_resolver.has_certs());
    assert!(connector(&scene.identified("server.pem", "server.key")).is_ok());
    assert!(!client_config(&scene.security(Mode::Prefer, "root.pem")).unwrap().client_auth_cert_resolver.has_certs());

    fs::set_permissions(scene.path("server.key"), fs::Permissions::from_mode(0o644)).unwrap();
    let error = client_config(&scene.identified("server.pem", "server.key")).unwrap_err();
    assert!(matches!(error, TlsError::OpenKey { .. }), "{error}");
}

#[test]
fn files_that_cannot_be_used_are_named() {
    let scene = Scene::new();
    let here = format!("{}/", scene.directory.path().display());
    for (security, expected) in [
        (scene.security(Mode::VerifyFull, "none.pem"), "the root certificate file none.pem cannot be read: "),
        (scene.security(Mode::VerifyCa, "empty.pem"), "the file empty.pem has no certificate in PEM form"),
        (scene.security(Mode::VerifyCa, "broken.pem"), "the file broken.pem is not correct PEM"),
        (scene.identified("none.pem", "server.key"), "the certificate file none.pem cannot be read: "),
        (scene.identified("server.pem", "none.key"), "the key file none.key cannot be read: "),
        (scene.identified("server.pem", "root.pem"), "the file root.pem has no unencrypted key in PEM form"),
        (
            scene.identified("root.pem", "server.key"),
            "the key in server.key cannot be used with the certificate in root.pem: ",
        ),
    ] {
        let error = client_config(&security).unwrap_err();
        let text = error.to_string().replace(&here, "");
        assert!(text.starts_with(expected), "{text}");
        assert!(!format!("{error:?}").contains("hunter2"));
    }
}

#[test]
fn the_protocol_is_named_only_when_tls_begins_at_once() {
    let scene = Scene::new();
    let asked = scene.security(Mode::Require, "root.pem");
    let direct = Security { negotiation: Negotiation::Direct, ..asked.clone() };
    assert!(client_config(&asked).unwrap().alpn_protocols.is_empty());
    assert_eq!(client_config(&direct).unwrap().alpn_protocols, [b"postgresql".to_vec()]);
}

#[test]
fn the_roots_of_the_system_serve_or_their_absence_is_told() {
    let scene = Scene::new();
    let security = Security { roots: Roots::System, ..scene.security(Mode::VerifyFull, "root.pem") };
    match client_config(&security) {
        Ok(_) | Err(TlsError::NoSystemRoots) => {}
        Err(error) => panic!("{error}"),
    }
}
