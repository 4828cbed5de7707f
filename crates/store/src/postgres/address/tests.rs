//! URLs as people write them, and what is made of them.

use std::{os::unix::fs::PermissionsExt, time::Duration};

use tokio_postgres::config::SslMode;

use super::*;

fn hints() -> Hints {
    Hints { user: Some("os".to_owned()), ..Hints::default() }
}

fn parse(url: &str) -> Address {
    Address::parse(url, &hints()).unwrap_or_else(|error| panic!("{url}: {error}"))
}

fn refused(url: &str) -> BadAddress {
    Address::parse(url, &hints()).expect_err(url)
}

fn password(address: &Address) -> Option<&str> {
    address.config.get_password().map(|bytes| std::str::from_utf8(bytes).unwrap())
}

#[test]
fn an_address_is_shown_as_it_was_understood() {
    for (url, shown) in [
        ("postgres://ana@db.example.org/team", "postgres://ana@db.example.org:5432/team"),
        ("postgresql://ana@db.example.org:6000/team", "postgres://ana@db.example.org:6000/team"),
        ("postgres://ana:hunter2@db:1/team?sslmode=verify-full", "postgres://ana@db:1/team?sslmode=verify-full"),
        ("postgres://ana:hunter2@db", "postgres://ana@db:5432/ana"),
        ("postgres://db", "postgres://os@db:5432/os"),
        ("postgres://@db:/", "postgres://os@db:5432/os"),
        ("postgres://a%20na@db/te%2Fam", "postgres://a%20na@db:5432/te%2Fam"),
        ("postgres://ana@[::1]:6000/team", "postgres://ana@[::1]:6000/team"),
        ("postgres://ana@a:1,b,c:3/team", "postgres://ana@a:1,b:5432,c:3/team"),
        ("postgres:///team?host=a,b&port=7", "postgres://os@a:7,b:7/team"),
        ("postgres://a:1/team?host=b&user=bo&dbname=other", "postgres://bo@b:1/other"),
        ("postgres://%2Frun%2Fpg/team", "postgres://os@/team?host=/run/pg"),
        ("postgres://ana@/team?host=/run/pg&port=6000", "postgres://ana@/team?host=/run/pg&port=6000"),
        ("postgres://%2Frun%2Fpg,db/team", "postgres://os@/team?host=/run/pg,db"),
        ("postgres://db/team?application_name=x&options=-csecret=1", "postgres://os@db:5432/team"),
        ("postgres://db/te%1B[31mam", "postgres://os@db:5432/te%1B%5B31mam"),
    ] {
        let address = parse(url);
        assert_eq!(address.to_string(), shown, "{url}");
        assert_eq!(format!("{address:?}"), shown, "{url}");
        assert_eq!(parse(shown).to_string(), shown, "what is shown can be used");
    }
}

#[test]
fn what_is_wrong_is_named_and_not_repeated() {
    for (url, expected) in [
        ("mysql://ana@db", BadAddress::Scheme),
        ("host=db password=hunter2", BadAddress::Scheme),
        ("", BadAddress::Scheme),
        ("postgres://ana@db:0", BadAddress::Port),
        ("postgres://ana@db:65536", BadAddress::Port),
        ("postgres://ana@::1", BadAddress::Port),
        ("postgres://ana@[::1", BadAddress::Host),
        ("postgres://ana@[::1]x", BadAddress::Host),
        ("postgres://ana@d%20b", BadAddress::Host),
        ("postgres://ana@db/a%2", BadAddress::Percent { part: "database" }),
        ("postgres://ana%zz@db", BadAddress::Percent { part: "user" }),
        ("postgres://ana:%00@db", BadAddress::NotText { part: "password" }),
        ("postgres://ana@db/%ff", BadAddress::NotText { part: "database" }),
        ("postgres://db/?sslmode", BadAddress::NoValue),
        ("postgres://db/?replication=database", BadAddress::UnknownParameter { name: "replication".to_owned() }),
        ("postgres://db/?gssencmode=disable", BadAddress::UnknownParameter { name: "gssencmode".to_owned() }),
        ("postgres://db/?sslcrl=x", BadAddress::UnknownParameter { name: "sslcrl".to_owned() }),
        ("postgres://db/?sslpassword=x", BadAddress::UnknownParameter { name: "sslpassword".to_owned() }),
        ("postgres://db/?sslmode=perhaps", BadAddress::Value { name: "sslmode" }),
        ("postgres://db/?connect_timeout=soon", BadAddress::Value { name: "connect_timeout" }),
        ("postgres://db/?tcp_user_timeout=-1", BadAddress::Value { name: "tcp_user_timeout" }),
        ("postgres://db/?connect_timeout=9223372036854775807", BadAddress::Value { name: "connect_timeout" }),
        ("postgres://db/?keepalives=-1", BadAddress::Value { name: "keepalives" }),
        ("postgres://db/?hostaddr=::1", BadAddress::UnknownParameter { name: "hostaddr".to_owned() }),
        ("postgres://a,b/?port=1,2,3", BadAddress::Ports { hosts: 2, ports: 3 }),
    ] {
        assert_eq!(refused(url), expected, "{url}");
    }
    assert_eq!(Address::parse("postgres://db", &Hints::default()).unwrap_err(), BadAddress::NoUser);
}

#[test]
fn a_password_is_used_and_never_shown() {
    for (url, expected) in [
        ("postgres://ana:hunter2@db", "hunter2"),
        ("postgres://ana:hunter2%40%2f%3A@db", "hunter2@/:"),
        ("postgres://ana:hunter2:more@db", "hunter2:more"),
        ("postgres://ana:hunter2#x@db", "hunter2#x"),
        ("postgres://:hunter2@db", "hunter2"),
        ("postgres://db?password=hunter2", "hunter2"),
        ("postgres:///team?host=db&p%61ssword=hunter2%26", "hunter2&"),
        ("postgres://ana:other@db?password=a&password=hunter2", "hunter2"),
        ("postgres://ana@db?password=hunter2=", "hunter2="),
    ] {
        let address = parse(url);
        assert_eq!(password(&address), Some(expected), "{url}");
        assert!(address.has_password_in_url());
        let texts =
            [address.to_string(), format!("{address:#?}"), format!("{:?} {:?}", address.config, address.security)];
        assert!(texts.iter().all(|text| !text.contains("hunter2")), "{texts:?}");
    }
    assert_eq!(password(&parse("postgres://ana:@db?password=")), None);
    let bytes = parse("postgres://ana:%ff%fe@db");
    assert_eq!(bytes.config.get_password(), Some(&b"\xff\xfe"[..]), "a password need not be text");
}

#[test]
fn a_malformed_url_does_not_give_its_password_away() {
    for url in [
        "postgres://ana:p@hunter2@db/team",
        "postgres://ana:12/hunter2@db/team",
        "postgres://ana:12?hunter2=x@db/team",
        "postgres://ana:hunter2",
        "postgres://ana:hunter2/team",
        "postgres://ana%3Ahunter2",
        "postgres://ana%3Ahunter2%40db/team",
        "postgres://ana%3Ahunter2@db/team",
        "postgres://db/?user=ana:hunter2",
        "postgres://ana:hunter2%@db",
        "postgres://ana:hunter2@db:port",
        "postgres://ana:hunter2@db/?replication=1",
        "postgres://ana:hunter2@db/?hunter2",
        "postgres://db/?password=a&hunter=hunter2",
        "postgres://db/?password=x&hunter2=x",
        "postgres://db/?hunter2=x",
        "postgres://db/?password=hunter2@x",
        "postgres://db/?passwd=hunter2",
        "postgres://db/?sslmode=hunter2",
        "postgres://db/?connect_timeout=hunter2",
        "postgres:/ana:hunter2@db",
        "ana:hunter2@db",
    ] {
        let error = refused(url);
        let text = format!("{error} {error:?}");
        assert!(!text.contains("hunter"), "{url}: {text}");
    }
}

#[test]
fn hints_do_not_show_their_password() {
    let hints = Hints { password: Some(Secret::new("hunter2")), ..hints() };
    assert!(!format!("{hints:?}").contains("hunter2"));
}

#[test]
fn a_password_comes_from_the_url_then_the_environment_then_the_file() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("pgpass");
    std::fs::write(&file, "db:5432:team:ana:of-db\nlocalhost:*:*:*:of-socket\n[nothing]\n").unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
    let with_file = Hints { password_file: Some(file.clone()), ..hints() };
    let with_both = Hints { password: Some(Secret::new("of-environment")), ..with_file.clone() };
    for (url, hints, expected) in [
        ("postgres://ana:of-url@db/team", &with_both, Some("of-url")),
        ("postgres://ana@db/team", &with_both, Some("of-environment")),
        ("postgres://ana@db/team", &with_file, Some("of-db")),
        ("postgres://ana:@db,elsewhere/team", &with_file, Some("of-db")),
        ("postgres://ana@elsewhere,db/team", &with_file, None),
        ("postgres:///team?host=/run/pg", &with_file, Some("of-socket")),
    ] {
        let address = Address::parse(url, hints).unwrap();
        assert_eq!(password(&address), expected, "{url}");
        assert_eq!(address.has_password_in_url(), expected == Some("of-url"), "{url}");
        assert_eq!(address.warning(), None);
    }

    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).unwrap();
    let address = Address::parse("postgres://ana@db/team", &with_file).unwrap();
    assert_eq!(password(&address), None);
    assert!(address.warning().unwrap().contains("others may read it"));
    assert_eq!(Address::parse("postgres://ana@db/team", &with_both).unwrap().warning(), None, "it was not needed");
}

#[test]
fn sslmode_means_what_it_means_to_libpq() {
    let directory = tempfile::tempdir().unwrap();
    let default_roots = directory.path().join("root.crt");
    std::fs::write(&default_roots, "").unwrap();
    let none = Hints { root_certificates: Some(directory.path().join("none")), ..hints() };
    let some = Hints { root_certificates: Some(default_roots.clone()), ..hints() };
    let named = || Roots::File("/ca.pem".into());
    let found = || Roots::File(default_roots.clone());
    for (parameters, hints, mode, roots) in [
        ("", &none, Mode::Prefer, Roots::System),
        ("", &some, Mode::Prefer, found()),
        ("sslmode=disable", &none, Mode::Disable, Roots::System),
        ("sslmode=allow", &none, Mode::Prefer, Roots::System),
        ("sslmode=prefer&sslrootcert=/ca.pem", &none, Mode::Prefer, named()),
        ("sslmode=require", &none, Mode::Require, Roots::System),
        ("sslmode=require", &some, Mode::VerifyCa, found()),
        ("sslmode=require&sslrootcert=%2Fca.pem", &some, Mode::VerifyCa, named()),
        ("sslmode=verify-ca&sslrootcert=/ca.pem", &none, Mode::VerifyCa, named()),
        ("sslmode=verify-full", &none, Mode::VerifyFull, Roots::System),
        ("sslmode=verify-full", &some, Mode::VerifyFull, found()),
        ("sslmode=verify-full&sslrootcert=system", &some, Mode::VerifyFull, Roots::System),
        ("sslrootcert=system", &none, Mode::VerifyFull, Roots::System),
        ("host=/run/pg&sslmode=verify-ca&sslcert=/c&sslkey=/k", &none, Mode::Disable, Roots::System),
        ("host=/run/pg,db&sslmode=require", &none, Mode::Require, Roots::System),
    ] {
        let address = Address::parse(&format!("postgres://db/?{parameters}"), hints).unwrap();
        let expected = Security { mode, roots, identity: None, negotiation: Negotiation::Asked };
        assert_eq!(address.security, expected, "{parameters}");
        let asked_of_the_server = match mode {
            Mode::Disable => SslMode::Disable,
            Mode::Prefer => SslMode::Prefer,
            _ => SslMode::Require,
        };
        assert_eq!(address.config.get_ssl_mode(), asked_of_the_server, "{parameters}");
    }
}

#[test]
fn settings_of_encryption_that_contradict_each_other_are_refused() {
    for parameters in [
        "sslmode=require&sslrootcert=system",
        "sslmode=verify-ca",
        "sslcert=/c",
        "sslmode=verify-full&sslkey=/k",
        "sslnegotiation=direct",
    ] {
        assert!(matches!(refused(&format!("postgres://db/?{parameters}")), BadAddress::Security(_)), "{parameters}");
    }
    let address = parse("postgres://db/?sslnegotiation=direct&sslmode=require&sslcert=/c&sslkey=/k");
    assert_eq!(address.security.negotiation, Negotiation::Direct);
    assert_eq!(address.security.identity, Some(Identity { certificate: "/c".into(), key: "/k".into() }));
}

#[test]
fn a_server_that_went_away_is_noticed_in_seconds_unless_the_url_says_otherwise() {
    let seconds = Duration::from_secs;
    let config = parse("postgres://db").config;
    assert_eq!(config.get_connect_timeout(), Some(&seconds(5)));
    assert_eq!(config.get_tcp_user_timeout(), Some(&seconds(20)));
    assert_eq!(config.get_keepalives_idle(), seconds(10));
    assert_eq!(config.get_keepalives_interval(), Some(seconds(5)));
    assert_eq!(config.get_keepalives_retries(), Some(3));
    assert_eq!(config.get_application_name(), None);

    let config = parse(
        "postgres://db?connect_timeout=0&tcp_user_timeout=1500&keepalives_idle=1&keepalives_interval=2\
         &keepalives_count=9&application_name=mine",
    )
    .config;
    assert_eq!(config.get_connect_timeout(), None);
    assert_eq!(config.get_tcp_user_timeout(), Some(&Duration::from_millis(1500)));
    assert_eq!(config.get_keepalives_idle(), seconds(1));
    assert_eq!(config.get_keepalives_interval(), Some(seconds(2)));
    assert_eq!(config.get_keepalives_retries(), Some(9));
    assert_eq!(config.get_application_name(), Some("mine"));
}

#[test]
fn without_a_server_it_is_the_local_socket_if_there_is_one() {
    let directory = tempfile::tempdir().unwrap();
    assert_eq!(default_host(directory.path()), directory.path().display().to_string());
    assert_eq!(default_host(&directory.path().join("none")), "localhost");
    let expected = default_host(Path::new(SOCKET_DIRECTORY));
    let address = parse("postgres:///team");
    let [host] = address.config.get_hosts() else { panic!("one server") };
    assert_eq!(shown::host_bytes(host), expected.as_bytes());
}

#[test]
fn a_url_and_its_password_can_be_kept_apart() {
    let parted = |url: &str| {
        let (url, password) = Address::without_password(url).unwrap();
        (url, password.map(|password| String::from_utf8(password.as_bytes().to_vec()).unwrap()))
    };
    for (url, plain, password) in [
        (
            "postgres://ana:s%40crt@db:5433/team?sslmode=disable",
            "postgres://ana@db:5433/team?sslmode=disable",
            Some("s@crt"),
        ),
        ("postgresql://ana@db/team", "postgresql://ana@db/team", None),
        ("postgres://db?password=one&sslmode=disable", "postgres://db?sslmode=disable", Some("one")),
        ("postgres://ana:two@db/team?p%61ssword=one", "postgres://ana@db/team", Some("one")),
        ("postgres://ana:@db/team", "postgres://ana@db/team", None),
        ("postgres:///team", "postgres:///team", None),
    ] {
        assert_eq!(parted(url), (plain.to_owned(), password.map(str::to_owned)), "{url}");
        let hints = Hints::default();
        assert_eq!(Address::parse(&parted(url).0, &hints).is_ok(), Address::parse(url, &hints).is_ok(), "{url}");
    }
    assert!(Address::without_password("mysql://a:b@c").is_err());
}
