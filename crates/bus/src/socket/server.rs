//! The door: one socket, one server behind it, and only processes of the same user come in.

use std::{
    fs::{self, File, OpenOptions, Permissions, TryLockError},
    io::{self, Read, Write},
    os::unix::{
        fs::{FileTypeExt, OpenOptionsExt, PermissionsExt},
        net::UnixStream as StdUnixStream,
    },
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use baton_app::{Failure, environment::Environment};
use baton_core::code::ErrorCode;
use tokio::{
    net::{UnixListener, UnixStream},
    sync::Semaphore,
    task::JoinSet,
    time::sleep,
};

use super::{address, connection};
use crate::Hub;

/// Most clients at a time.
pub(crate) const CONNECTIONS_MAX: usize = 4_096;
/// Most clients at a time that are told why they are not served; beyond, they are not even told.
const TURNED_AWAY_MAX: usize = 64;
/// How long to leave the door shut when the operating system has no more descriptors.
const BREATHER: Duration = Duration::from_millis(100);
const SOCKET_MODE: u32 = 0o600;

/// A socket that nobody but this process serves.
pub struct Server {
    hub: Arc<Hub>,
    listener: UnixListener,
    wanted: PathBuf,
    path: PathBuf,
    /// Held for as long as the socket is served, so that nobody takes it for a leftover.
    _lock: File,
}

impl Server {
    /// Opens the socket at `wanted`, or where it can be if that is too long. What a server that was killed left behind is
    /// replaced. Needs a running runtime.
    pub fn bind(hub: &Arc<Hub>, wanted: &Path, environment: &Environment) -> Result<Self, Failure> {
        let path = address::place(wanted, environment)?;
        let lock = lock(&path)?;
        clear(&path)?;
        let wrong = |error: io::Error| address::trouble(&path, &error);
        let listener = UnixListener::bind(&path).map_err(wrong)?;
        fs::set_permissions(&path, Permissions::from_mode(SOCKET_MODE)).map_err(wrong)?;
        address::point(wanted, &path)?;
        Ok(Self { hub: Arc::clone(hub), listener, wanted: wanted.to_owned(), path, _lock: lock })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Serves whoever connects, until the hub shuts down and everybody was told so.
    pub async fn serve(self) {
        let (places, told) = (Arc::new(Semaphore::new(CONNECTIONS_MAX)), Arc::new(Semaphore::new(TURNED_AWAY_MAX)));
        let mut clients = JoinSet::new();
        let hub = Arc::clone(&self.hub);
        let mut closed = std::pin::pin!(hub.closed());
        // Names are unique beyond this run: what the bus says is told apart by them.
        let run = self.hub.app().now().unwrap_or_default().as_millis();
        let mut number = 0_u64;
        loop {
            let accepted = tokio::select! {
                accepted = self.listener.accept() => accepted,
                Some(_) = clients.join_next() => continue,
                () = &mut closed => break,
            };
            let Ok((stream, _)) = accepted else {
                sleep(BREATHER).await;
                continue;
            };
            number += 1;
            let (hub, name) = (Arc::clone(&self.hub), format!("bus_{run:x}_{number}"));
            let admitted = admit(&stream).and_then(|peer| {
                Arc::clone(&places).try_acquire_owned().map(|place| (peer, place)).map_err(|_| full())
            });
            match admitted {
                Ok((peer, place)) => {
                    _ = clients.spawn(async move {
                        connection::serve(hub, stream, peer, name).await;
                        drop(place);
                    })
                }
                Err(failure) => {
                    if let Ok(permit) = Arc::clone(&told).try_acquire_owned() {
                        clients.spawn(async move {
                            connection::turn_away(&hub, stream, &name, &failure).await;
                            drop(permit);
                        });
                    }
                }
            }
        }
        // Nobody new; and whoever looks for the socket sees that it is gone.
        let Self { listener, wanted, path, _lock, .. } = self;
        drop(listener);
        let _ = fs::remove_file(&path);
        address::forget(&wanted, &path);
        while clients.join_next().await.is_some() {}
    }
}

/// Lets processes of the same user in.
fn admit(stream: &UnixStream) -> Result<tokio::net::unix::UCred, Failure> {
    let peer = stream
        .peer_cred()
        .map_err(|error| Failure::new(ErrorCode::Forbidden, format!("Nobody can tell who connects: {error}.")))?;
    let (own, theirs) = (rustix::process::geteuid().as_raw(), peer.uid());
    if own == theirs {
        return Ok(peer);
    }
    let message = format!("This bus belongs to user {own}; you are user {theirs}.");
    Err(Failure::new(ErrorCode::Forbidden, message).with("uid", theirs).advising("Use HTTP with a token instead."))
}

fn full() -> Failure {
    let message = format!("{CONNECTIONS_MAX} connections are open already.");
    Failure::new(ErrorCode::RateLimited, message).advising("Close one that you do not need, then connect again.")
}

/// Becomes the one server of a socket.
fn lock(path: &Path) -> Result<File, Failure> {
    let mut name = path.as_os_str().to_owned();
    name.push(".lock");
    let name = PathBuf::from(name);
    let wrong = |error: io::Error| address::trouble(&name, &error);
    let mut options = OpenOptions::new();
    let mut file =
        options.read(true).write(true).create(true).truncate(false).mode(SOCKET_MODE).open(&name).map_err(wrong)?;
    match file.try_lock() {
        Ok(()) => {
            file.set_len(0).and_then(|()| write!(file, "{}", std::process::id())).map_err(wrong)?;
            Ok(file)
        }
        Err(TryLockError::WouldBlock) => {
            let mut pid = String::new();
            let _ = file.take(20).read_to_string(&mut pid);
            Err(served(path, pid.trim().parse().ok()))
        }
        Err(TryLockError::Error(error)) => Err(wrong(error)),
    }
}

/// Removes a socket that nobody serves any more. Anything else stays where it is.
fn clear(path: &Path) -> Result<(), Failure> {
    let found = match fs::symlink_metadata(path) {
        Ok(found) => found,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(address::trouble(path, &error)),
    };
    if !found.file_type().is_socket() {
        let message = format!("{} is there already and is no socket.", path.display());
        return Err(Failure::new(ErrorCode::Conflict, message).advising("Move it away, or name another place."));
    }
    if let Ok(stream) = StdUnixStream::connect(path) {
        let owner = rustix::net::sockopt::socket_peercred(&stream).ok();
        return Err(served(path, owner.map(|owner| owner.pid.as_raw_nonzero().get().cast_unsigned())));
    }
    fs::remove_file(path).map_err(|error| address::trouble(path, &error))
}

fn served(path: &Path, pid: Option<u32>) -> Failure {
    let who = pid.map_or_else(|| "Another process".to_owned(), |pid| format!("Process {pid}"));
    let failure = Failure::new(ErrorCode::Conflict, format!("{who} serves {} already.", path.display()));
    pid.map_or(failure.clone(), |pid| failure.with("pid", pid))
        .advising("Use that one, or end it first; another store or another --socket can be served beside it.")
}
