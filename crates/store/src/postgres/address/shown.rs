//! An address as text that anyone may see.

use tokio_postgres::{Config, config::Host};

use super::{PORT, parts::encode};

/// The URL as it was understood, without what could be secret: it says where, and not all that it takes to get in.
pub(super) fn show(config: &Config, mode: Option<&str>) -> String {
    let user = encode(config.get_user().unwrap_or_default().as_bytes(), b"");
    let database = encode(config.get_dbname().unwrap_or_default().as_bytes(), b"");
    let ports = config.get_ports();
    let mut parameters = Vec::new();
    let mut servers = String::new();
    if config.get_hosts().iter().any(|host| matches!(host, Host::Unix(_))) {
        // A directory reads better as a parameter than with all its slashes encoded.
        let hosts: Vec<String> = config.get_hosts().iter().map(|host| encode(&host_bytes(host), b"/:")).collect();
        parameters.push(format!("host={}", hosts.join(",")));
        let is_default = ports.iter().all(|port| *port == PORT);
        let ports: Vec<String> = ports.iter().map(ToString::to_string).collect();
        parameters.extend((!is_default).then(|| format!("port={}", ports.join(","))));
    } else {
        let pairs = config.get_hosts().iter().zip(ports);
        let pairs: Vec<String> = pairs.map(|(host, port)| format!("{}:{port}", show_host(host))).collect();
        servers = pairs.join(",");
    }
    parameters.extend(mode.map(|mode| format!("sslmode={mode}")));
    let question = if parameters.is_empty() { "" } else { "?" };
    format!("postgres://{user}@{servers}/{database}{question}{}", parameters.join("&"))
}

fn show_host(host: &Host) -> String {
    match host {
        Host::Tcp(name) if name.contains(':') => format!("[{}]", encode(name.as_bytes(), b":")),
        host => encode(&host_bytes(host), b""),
    }
}

pub(super) fn host_bytes(host: &Host) -> Vec<u8> {
    match host {
        Host::Tcp(name) => name.clone().into_bytes(),
        Host::Unix(directory) => directory.as_os_str().as_encoded_bytes().to_vec(),
    }
}
