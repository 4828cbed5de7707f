//! One client, from the door to the end.
//!
//! Reading, doing and writing are one task: what is read is done before more is read, and what is said is written as the
//! client takes it. Closing one's side is hanging up: what was asked before is answered, waits and streams end.

use std::{sync::Arc, time::Duration};

use baton_app::Failure;
use baton_core::code::ErrorCode;
use tokio::{
    io::AsyncWriteExt,
    net::{UnixStream, unix::UCred},
    time::{sleep, timeout},
};

use super::{
    frame::Frame,
    lines::{Line, Lines},
    out::out,
    session::Session,
    speakers::Speakers,
};
use crate::{Hub, Transport, envelope::FRAME_BYTES};

/// How long a client that was told something last may take to read it.
const FLUSH: Duration = Duration::from_secs(2);
/// How long calls that run when the server begins to end may keep a connection. Longer than a write waits for the store.
pub(crate) const FINISH: Duration = Duration::from_secs(8);

/// Serves a client until it hangs up or the server ends.
pub(super) async fn serve(hub: Arc<Hub>, mut stream: UnixStream, peer: UCred, name: String) {
    let _counted = hub.metrics().connected(Transport::Socket);
    let speakers = match Speakers::find(&hub, peer).await {
        Ok(speakers) => speakers,
        Err(failure) => return turn_away(&hub, stream, &name, &failure).await,
    };
    let (mut reader, mut writer) = stream.split();
    let (out, waiting) = out();
    let hush = waiting.hush();
    let session = Session::new(Arc::clone(&hub), speakers, out);
    {
        let mut writing = std::pin::pin!(waiting.write(&mut writer, &hub, &name));
        tokio::select! {
            // In this order: what was just read is answered before anything else happens.
            biased;
            () = hush.quietly(read(&hub, session, &mut reader)) => {}
            _ = &mut writing => return,
            () = overdue(&hub) => return,
        }
        // Whoever does not read its last answers does not keep the server from ending.
        let _ = timeout(FLUSH, writing).await;
    }
    let _ = timeout(FLUSH, stream.shutdown()).await;
}

/// Says why a connection is not served, and ends it.
pub(super) async fn turn_away(hub: &Hub, mut stream: UnixStream, name: &str, failure: &Failure) {
    hub.metrics().refused_connection();
    let mut line = Vec::new();
    let ts = hub.app().now().unwrap_or_default();
    Frame::refusal(None, None, failure).write(&mut line, &format!("{name}_1"), 1, ts);
    let _ = timeout(FLUSH, stream.write_all(&line)).await;
}

/// Does what is asked, line by line. Returns when the client hung up, or when all was said that is to be said before the
/// server ends.
async fn read(hub: &Hub, mut session: Session, reader: &mut (impl tokio::io::AsyncRead + Unpin)) {
    let mut lines = Lines::default();
    let mut closed = std::pin::pin!(hub.closed());
    loop {
        let line = tokio::select! {
            line = lines.next(reader, hub.metrics()) => line,
            () = &mut closed => return session.finish().await,
        };
        match line {
            Ok(Some(Line::Whole(line))) => session.take(line).await,
            Ok(Some(Line::TooLong(head))) => session.refuse(head, &too_long()).await,
            // A read that fails is a hang-up: there is nobody left to tell.
            Ok(None) | Err(_) => return,
        }
    }
}

/// Waits until the server should have ended.
async fn overdue(hub: &Hub) {
    hub.closed().await;
    sleep(FINISH).await;
}

fn too_long() -> Failure {
    let message = format!("The line is longer than {FRAME_BYTES} bytes and was dropped.");
    Failure::new(ErrorCode::TooLarge, message).with("limit", FRAME_BYTES)
}
