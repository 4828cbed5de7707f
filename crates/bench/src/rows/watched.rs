//! Row 19: a handoff while a hundred browsers have its room's page open.
//!
//! The same handoff as in row 5, through MCP, with a server beside it: first with nobody looking, then with a hundred streams
//! that follow the room, in alternating slices. The streams are read by one thread that throws away what they say.

use std::{
    io::{ErrorKind, Read, Write},
    net::{SocketAddr, TcpStream},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread::{self, JoinHandle},
    time::Duration,
};

use crate::{
    bus::{Up, get},
    report::{Measure, Measured, Target},
    stats::Samples,
    trouble::Outcome,
};

use super::{
    Setting,
    handoff::Handoffs,
    waiters::{Recipient, Server},
};

const PAGES: usize = 100;
/// Long enough for a wait to sit at the bell, and for agents to have done something before they hand on.
const SETTLE: Duration = Duration::from_millis(20);
/// How long the reader sleeps when nothing has come.
const NAP: Duration = Duration::from_millis(2);

/// Runs the row.
pub(super) fn run(setting: &Setting) -> Outcome<Measured> {
    let place = tempfile::tempdir()?;
    let (data, workspace) = (place.path().join("data"), place.path().join("workspace"));
    let mut giver = Server::join(setting, &data, &workspace, "bench:giver")?;
    let recipient = Recipient::join(setting, &data, &workspace, "bench:recipient", "bench:giver")?;
    let up = Up::start(&data)?;
    let follow = format!("/live?at=/rooms/{}&have=", giver.room_id());
    let request = get(up.address(), &follow, &up.owner_headers());
    let (mut alone, mut watched) = (Samples::default(), Samples::default());
    let (rounds, slices) = (setting.pick(150, 40), setting.pick(4, 2));
    let mut bytes = 0;
    for _ in 0..slices {
        alone.merge(Handoffs::between(&mut giver, &recipient, rounds, SETTLE)?.from_asking);
        let audience = Audience::gather(up.address(), &request)?;
        watched.merge(Handoffs::between(&mut giver, &recipient, rounds, SETTLE)?.from_asking);
        bytes += audience.leave();
    }
    if bytes == 0 {
        return Err("nobody who looked was sent anything".into());
    }
    let ms = |samples: &mut Samples, share: f64| samples.quantile_us(share) / 1e3;
    let mut both =
        |what: &str, share: f64| Measure::new(what, ms(&mut watched, share), "ms").against(ms(&mut alone, share));
    let measures = vec![
        both("a handoff with 100 open pages, p50", 0.5).target(Target::RatioAtMost(1.5)),
        both("the same, p99", 0.99).target(Target::RatioAtMost(2.0)),
    ];
    let each = bytes as f64 / 1e3 / (slices * PAGES) as f64 / rounds as f64;
    let note = format!("the yardstick is the same with nobody looking; a page was sent {each:.1} KB for each handoff");
    Ok(Measured { measures, notes: vec![note] })
}

/// Streams that follow a page, and the thread that reads them.
struct Audience {
    left: Arc<AtomicBool>,
    read: Arc<AtomicU64>,
    reader: JoinHandle<()>,
}

impl Audience {
    fn gather(address: SocketAddr, request: &[u8]) -> Outcome<Self> {
        let mut streams = Vec::new();
        for _ in 0..PAGES {
            let mut stream = TcpStream::connect(address)?;
            stream.write_all(request)?;
            let mut head = [0; 12];
            stream.read_exact(&mut head)?;
            if &head != b"HTTP/1.1 200" {
                return Err(format!("a page was answered with {}", String::from_utf8_lossy(&head)).into());
            }
            stream.set_nonblocking(true)?;
            streams.push(stream);
        }
        let (left, read) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(0)));
        let reader = thread::spawn({
            let (left, read) = (Arc::clone(&left), Arc::clone(&read));
            move || listen(&mut streams, &left, &read)
        });
        Ok(Self { left, read, reader })
    }

    /// Closes them all, and tells how many bytes they got.
    fn leave(self) -> u64 {
        self.left.store(true, Ordering::Relaxed);
        // Nobody needs what it would have said.
        let _ = self.reader.join();
        self.read.load(Ordering::Relaxed)
    }
}

fn listen(streams: &mut [TcpStream], left: &AtomicBool, read: &AtomicU64) {
    let mut buffer = vec![0; 64 * 1024];
    while !left.load(Ordering::Relaxed) {
        let mut idle = true;
        for stream in streams.iter_mut() {
            match stream.read(&mut buffer) {
                Ok(count) if count > 0 => {
                    read.fetch_add(count as u64, Ordering::Relaxed);
                    idle = false;
                }
                Ok(_) => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                Err(_) => return,
            }
        }
        if idle {
            thread::sleep(NAP);
        }
    }
}
