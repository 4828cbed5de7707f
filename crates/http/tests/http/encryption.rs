//! Encrypted connections.

use std::{fs, sync::Arc};

use baton_app::clock::Clock;
use baton_http::TlsFiles;
use rcgen::{CertifiedKey, generate_simple_self_signed};
use tokio_rustls::{
    TlsConnector,
    rustls::{ClientConfig, RootCertStore, crypto::ring},
};

use crate::support::{Ask, Peer, World};

#[tokio::test]
async fn connections_are_encrypted_with_the_owners_certificate_and_cookies_stay_on_them() {
    let CertifiedKey { cert, signing_key } = generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let world = World::start_with(|settings, directory| {
        let (certificate, key) = (directory.join("cert.pem"), directory.join("key.pem"));
        fs::write(&certificate, cert.pem()).unwrap();
        fs::write(&key, signing_key.serialize_pem()).unwrap();
        settings.tls = Some(TlsFiles { certificate, key });
    })
    .await;
    let mut roots = RootCertStore::empty();
    roots.add(cert.der().clone()).unwrap();
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let connector = Arc::new(TlsConnector::from(Arc::new(config)));
    let mut peer = Peer::connect_encrypted(world.address, connector).await;
    let host = format!("localhost:{}", world.address.port());
    peer.send(&Ask::get("/v1/rooms").token(&world.operator()).text(&host)).await;
    assert_eq!(peer.answer().await.status, 200);
    let origin = |scheme: &str| Ask::get("/healthz").header("Origin", &format!("{scheme}://{host}")).text(&host);
    peer.send(&origin("http")).await;
    assert_eq!(peer.answer().await.status, 403);
    peer.send(&origin("https")).await;
    assert_eq!(peer.answer().await.status, 200);
    let ticket = world.tickets().issue(world.clock.now()).unwrap();
    peer.send(&Ask::get(&format!("/login?ticket={}", ticket.reveal())).text(&host)).await;
    assert!(peer.answer().await.header("set-cookie").unwrap().ends_with("; Secure"));
    let mut plain = world.connect().await;
    plain.send(&Ask::get("/healthz").text(&host)).await;
    assert!(!plain.rest().await.contains("200 OK"));
}
