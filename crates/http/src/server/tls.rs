//! Encrypted connections, with a certificate of the owner's.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use baton_app::Failure;
use baton_core::code::ErrorCode;
use rustls::{
    ServerConfig,
    crypto::ring,
    pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject},
};
use tokio_rustls::TlsAcceptor;

/// Where the certificate and its key are, both in PEM.
#[derive(Clone, Debug)]
pub struct TlsFiles {
    /// The certificate, with those between it and its root.
    pub certificate: PathBuf,
    /// Its private key.
    pub key: PathBuf,
}

impl TlsFiles {
    pub(super) fn acceptor(&self) -> Result<TlsAcceptor, Failure> {
        let chain = CertificateDer::pem_file_iter(&self.certificate)
            .and_then(Iterator::collect::<Result<Vec<_>, _>>)
            .map_err(|error| unusable(&self.certificate, &format!("{error}")))?;
        if chain.is_empty() {
            return Err(unusable(&self.certificate, "there is no certificate in it"));
        }
        let key = PrivateKeyDer::from_pem_file(&self.key).map_err(|error| unusable(&self.key, &format!("{error}")))?;
        let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .map(|builder| builder.with_no_client_auth().with_single_cert(chain, key));
        match config {
            Ok(Ok(mut config)) => {
                config.alpn_protocols = vec![b"http/1.1".to_vec()];
                Ok(TlsAcceptor::from(Arc::new(config)))
            }
            Ok(Err(error)) | Err(error) => Err(unusable(&self.certificate, &format!("{error}"))),
        }
    }
}

fn unusable(path: &Path, why: &str) -> Failure {
    Failure::new(ErrorCode::InvalidInput, format!("{} cannot be used for TLS: {why}.", path.display()))
        .advising("Give a certificate and its key, both in PEM.")
}
