//! What a server of our own promises, on real servers.

use std::{
    io::{BufRead, BufReader},
    path::Path,
    process::{Command, Stdio},
    thread,
    time::Duration,
};

use baton_cluster::{
    Authentication, Cluster, Durability, Options, SharedCluster,
    processes::{Process, children_of},
};
use rustix::process::Pid;

const PATIENCE: Duration = Duration::from_secs(30);

fn fast() -> Options {
    Options { durability: Durability::Fast, ..Options::default() }
}

#[test]
fn a_server_answers_over_tcp_and_is_gone_when_dropped() {
    let cluster = Cluster::start(fast()).unwrap();
    let over_tcp = SharedCluster::from_url(&cluster.url("postgres")).unwrap();
    assert_eq!(over_tcp.sql("postgres", "SELECT 1").unwrap(), "1");

    let postmaster = Process::open(Pid::from_raw(cluster.pid().unwrap() as i32).unwrap()).unwrap();
    let socket = cluster.socket_directory();
    assert!(socket.exists());
    drop(cluster);
    assert!(postmaster.ends_within(Duration::ZERO).unwrap());
    assert!(!socket.parent().unwrap().exists());
}

#[test]
fn databases_come_and_go_even_while_someone_is_connected() {
    let cluster = Cluster::start(fast()).unwrap();
    let shared = SharedCluster::from_url(&cluster.url("postgres")).unwrap();
    let name = "a \"strange\" name/?";
    shared.create_database(name).unwrap();
    assert_eq!(shared.sql(name, "SHOW server_encoding; SELECT current_database()").unwrap(), format!("UTF8\n{name}"));

    let server = shared.clone();
    let sleeper = thread::spawn(move || server.sql(name, "SELECT pg_sleep(600)"));
    let asleep = "DO $$ BEGIN WHILE NOT EXISTS (SELECT FROM pg_stat_activity WHERE wait_event = 'PgSleep') LOOP
                  PERFORM pg_stat_clear_snapshot(); END LOOP; END $$";
    shared.sql("postgres", asleep).unwrap();
    cluster.drop_database(name).unwrap();
    assert!(sleeper.join().unwrap().is_err());
    assert!(shared.sql(name, "SELECT 1").is_err());
}

#[test]
fn what_was_committed_survives_a_kill_on_the_same_port() {
    let mut cluster = Cluster::start(fast()).unwrap();
    let url = cluster.url("postgres");
    cluster.sql("postgres", "CREATE TABLE kept (word text); INSERT INTO kept VALUES ('here')").unwrap();
    for _ in 0..3 {
        let postmaster = Pid::from_raw(cluster.pid().unwrap() as i32).unwrap();
        let children = children_of(postmaster).unwrap();
        assert!(!children.is_empty());
        let children: Vec<Process> = children.into_iter().filter_map(|pid| Process::open(pid).ok()).collect();
        cluster.kill().unwrap();
        assert!(children.iter().all(|child| child.ends_within(Duration::ZERO).unwrap()));
        assert_eq!(cluster.pid(), None);
        assert!(cluster.sql("postgres", "SELECT 1").is_err());

        cluster.restart().unwrap();
        assert_eq!(cluster.url("postgres"), url);
        assert_eq!(cluster.sql("postgres", "SELECT word FROM kept").unwrap(), "here");
    }
    cluster.restart().unwrap();
    assert_eq!(cluster.sql("postgres", "SELECT word FROM kept").unwrap(), "here");
}

#[test]
fn a_password_is_needed_where_one_is_set() {
    let password = "p@ss/word: %ü";
    let cluster =
        Cluster::start(Options { authentication: Authentication::Password(password.to_owned()), ..fast() }).unwrap();
    assert_eq!(cluster.sql("postgres", "SELECT 1").unwrap(), "1");
    let (host, port) = cluster.address();
    let shared = SharedCluster::from_url(&cluster.url("postgres")).unwrap();
    assert_eq!(shared.sql("postgres", "SELECT current_user").unwrap(), "baton");
    for who in ["baton", "baton:wrong"] {
        let stranger = SharedCluster::from_url(&format!("postgres://{who}@{host}:{port}/")).unwrap();
        assert!(stranger.sql("postgres", "SELECT 1").is_err());
    }
}

#[test]
fn a_server_outlives_the_thread_that_started_it() {
    let cluster = thread::spawn(|| Cluster::start(fast()).unwrap()).join().unwrap();
    assert_eq!(cluster.sql("postgres", "SELECT 1").unwrap(), "1");
}

#[test]
fn a_server_and_its_directory_go_with_a_starter_that_was_killed() {
    let mut starter =
        Command::new(env!("CARGO_BIN_EXE_baton-cluster")).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut url = String::new();
    BufReader::new(starter.stdout.take().unwrap()).read_line(&mut url).unwrap();
    let cluster = SharedCluster::from_url(url.trim_end()).unwrap();
    let data = cluster.sql("postgres", "SHOW data_directory").unwrap();
    let directory = Path::new(&data).parent().unwrap();
    assert!(directory.exists());

    let children = children_of(Pid::from_child(&starter)).unwrap();
    assert_eq!(children.len(), 2, "the server and the janitor");
    let children: Vec<Process> = children.into_iter().map(|pid| Process::open(pid).unwrap()).collect();
    starter.kill().unwrap();
    starter.wait().unwrap();
    assert!(children.iter().all(|child| child.ends_within(PATIENCE).unwrap()));
    assert!(!directory.exists());
}
