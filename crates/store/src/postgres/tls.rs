//! The TLS client for each kind of check that an address can ask for.
//!
//! What must stay true: however little is checked, the server still proves that it has the key of the certificate it
//! shows. The provider of cryptography is given explicitly, so nothing depends on a default of the process.

use std::{
    fs, io,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
    sync::Arc,
};

use rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme,
    client::{
        WebPkiServerVerifier,
        danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier},
    },
    crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature},
    pki_types::{
        CertificateDer, PrivateKeyDer, ServerName, UnixTime,
        pem::{self, PemObject},
    },
};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::address::{Identity, Mode, Negotiation, Roots, Security};

/// The name of the protocol, which a server expects when TLS begins at once.
const ALPN: &[u8] = b"postgresql";

/// Why there is no TLS client.
#[derive(Debug, thiserror::Error)]
pub(super) enum TlsError {
    #[error("the {what} file {} cannot be read: {cause}", path.display())]
    Unreadable { what: &'static str, path: PathBuf, cause: io::Error },
    #[error("the file {} has no {what} in PEM form", path.display())]
    Empty { what: &'static str, path: PathBuf },
    #[error("the file {} is not correct PEM", path.display())]
    NotPem { path: PathBuf },
    #[error("the key file {} may be read by others; chmod 600 would help", path.display())]
    OpenKey { path: PathBuf },
    #[error("the key in {} cannot be used with the certificate in {}: {cause}", key.display(), certificate.display())]
    Identity { certificate: PathBuf, key: PathBuf, cause: Error },
    #[error("no root certificates were found on this system; give some with sslrootcert=FILE")]
    NoSystemRoots,
    #[error("TLS cannot be set up: {0}")]
    Setup(String),
}

/// Makes what encrypts a connection and checks whom it is with. Files are read now, once.
pub(super) fn connector(security: &Security) -> Result<MakeRustlsConnect, TlsError> {
    client_config(security).map(MakeRustlsConnect::new)
}

fn client_config(security: &Security) -> Result<ClientConfig, TlsError> {
    let provider = Arc::new(ring::default_provider());
    let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .map_err(|error| TlsError::Setup(error.to_string()))?
        .dangerous()
        .with_custom_certificate_verifier(verifier(security, provider)?);
    let mut config = match &security.identity {
        None => builder.with_no_client_auth(),
        Some(identity) => {
            let (chain, key) = read_identity(identity)?;
            builder.with_client_auth_cert(chain, key).map_err(|cause| TlsError::Identity {
                certificate: identity.certificate.clone(),
                key: identity.key.clone(),
                cause,
            })?
        }
    };
    if security.negotiation == Negotiation::Direct {
        config.alpn_protocols = vec![ALPN.to_vec()];
    }
    Ok(config)
}

fn verifier(security: &Security, provider: Arc<CryptoProvider>) -> Result<Arc<dyn ServerCertVerifier>, TlsError> {
    match security.mode {
        Mode::Disable | Mode::Prefer | Mode::Require => Ok(Arc::new(Lenient { provider, chain: None })),
        Mode::VerifyCa => {
            let chain = Some(webpki(&security.roots, provider.clone())?);
            Ok(Arc::new(Lenient { provider, chain }))
        }
        Mode::VerifyFull => Ok(webpki(&security.roots, provider)?),
    }
}

fn webpki(roots: &Roots, provider: Arc<CryptoProvider>) -> Result<Arc<WebPkiServerVerifier>, TlsError> {
    let mut store = RootCertStore::empty();
    match roots {
        Roots::File(path) => {
            let (added, _) = store.add_parsable_certificates(read_certificates("root certificate", path)?);
            if added == 0 {
                return Err(TlsError::Empty { what: "usable certificate", path: path.clone() });
            }
        }
        // Of what the system has, some may be unreadable; what can be read decides.
        Roots::System => {
            let (added, _) = store.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
            if added == 0 {
                return Err(TlsError::NoSystemRoots);
            }
        }
    }
    WebPkiServerVerifier::builder_with_provider(Arc::new(store), provider)
        .build()
        .map_err(|error| TlsError::Setup(error.to_string()))
}

fn read_identity(identity: &Identity) -> Result<(Vec<CertificateDer<'static>>, PrivateKeyDer<'static>), TlsError> {
    let chain = read_certificates("certificate", &identity.certificate)?;
    let path = &identity.key;
    let metadata =
        fs::metadata(path).map_err(|cause| TlsError::Unreadable { what: "key", path: path.clone(), cause })?;
    // As with libpq, a key that belongs to root may be readable for a group.
    let forbidden = if metadata.uid() == 0 { 0o037 } else { 0o077 };
    if metadata.mode() & forbidden != 0 {
        return Err(TlsError::OpenKey { path: path.clone() });
    }
    let key = PrivateKeyDer::from_pem_file(path).map_err(|error| pem_error(error, "key", "unencrypted key", path))?;
    Ok((chain, key))
}

fn read_certificates(what: &'static str, path: &Path) -> Result<Vec<CertificateDer<'static>>, TlsError> {
    let certificates = CertificateDer::pem_file_iter(path).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    match certificates {
        Ok(certificates) if certificates.is_empty() => {
            Err(TlsError::Empty { what: "certificate", path: path.to_owned() })
        }
        Ok(certificates) => Ok(certificates),
        Err(error) => Err(pem_error(error, what, "certificate", path)),
    }
}

/// A parser's error may quote a line of the file, which may be a key. It is told without.
fn pem_error(error: pem::Error, what: &'static str, item: &'static str, path: &Path) -> TlsError {
    let path = path.to_owned();
    match error {
        pem::Error::Io(cause) => TlsError::Unreadable { what, path, cause },
        pem::Error::NoItemsFound => TlsError::Empty { what: item, path },
        _ => TlsError::NotPem { path },
    }
}

/// Checks less of a certificate than its name. That the server has the key to it is always checked.
#[derive(Debug)]
struct Lenient {
    provider: Arc<CryptoProvider>,
    /// Checks the chain, for `verify-ca`. Without it any certificate will do, for `prefer` and `require`: encrypted,
    /// with whomever it may be.
    chain: Option<Arc<WebPkiServerVerifier>>,
}

impl ServerCertVerifier for Lenient {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let Some(chain) = &self.chain else { return Ok(ServerCertVerified::assertion()) };
        match chain.verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now) {
            // The name is looked at last, so the chain was found to be good.
            Err(Error::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            )) => Ok(ServerCertVerified::assertion()),
            answer => answer,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls12_signature(message, cert, dss, &self.provider.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls13_signature(message, cert, dss, &self.provider.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}

#[cfg(test)]
mod tests;
