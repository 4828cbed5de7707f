//! `GET /metrics`: the hub's numbers and a few of the process, as Prometheus reads them.

use std::{fmt, fs, sync::Arc};

use axum::{
    body::Body,
    extract::State,
    http::{HeaderValue, Response as HttpResponse, header},
    response::Response,
};
use baton_app::Failure;
use baton_bus::{Hub, Outcome, Transport};
use baton_core::code::ErrorCode;
use prometheus_client::{
    collector::Collector,
    encoding::{DescriptorEncoder, EncodeMetric, text},
    metrics::{MetricType, counter::ConstCounter, gauge::ConstGauge},
    registry::Registry,
};

use crate::{answer, site::Site};

const CONTENT_TYPE: HeaderValue =
    HeaderValue::from_static("application/openmetrics-text; version=1.0.0; charset=utf-8");

/// Tells the numbers as they are now.
pub(crate) async fn metrics(State(site): State<Arc<Site>>) -> Response {
    let mut registry = Registry::with_prefix("baton");
    registry
        .register_collector(Box::new(Numbers { hub: Arc::clone(&site.hub), uptime: site.begun.elapsed().as_secs() }));
    let mut text = String::new();
    if let Err(error) = text::encode(&mut text, &registry) {
        let failure = Failure::new(ErrorCode::Internal, format!("The numbers cannot be written: {error}."));
        return answer::refused("metrics", &failure);
    }
    let mut response = HttpResponse::new(Body::from(text));
    response.headers_mut().insert(header::CONTENT_TYPE, CONTENT_TYPE);
    response
}

/// The numbers of a server, taken when they are asked for.
struct Numbers {
    hub: Arc<Hub>,
    uptime: u64,
}

impl fmt::Debug for Numbers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Numbers")
    }
}

impl Collector for Numbers {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let metrics = self.hub.metrics();
        self.commands(&mut encoder)?;
        for (name, help, number) in [
            ("connections_refused", "Connections that were turned away", metrics.refused_connections()),
            ("rate_limited", "Calls of agents that asked too often", metrics.rate_limited()),
            ("subscribers_dropped", "Streams that nobody read", metrics.subscribers_dropped()),
            ("events_read", "Events read from the log to be streamed", metrics.events_read()),
            ("events_sent", "Events that subscribers took", metrics.events_sent()),
            ("received_bytes", "Bytes received", metrics.bytes_in()),
            ("sent_bytes", "Bytes sent", metrics.bytes_out()),
        ] {
            ConstCounter::new(number).encode(encoder.encode_descriptor(name, help, None, MetricType::Counter)?)?;
        }
        let (memory, descriptors) = of_process();
        for (name, help, number) in [
            ("waits", "Calls that wait now", metrics.waits()),
            ("feeds", "Rooms that are streamed now", metrics.feeds()),
            ("subscribers", "Streams now", metrics.subscribers()),
            ("uptime_seconds", "Since the server was started", self.uptime),
            ("process_resident_memory_bytes", "Memory of this process", memory),
            ("process_open_descriptors", "Files and sockets of this process", descriptors),
        ] {
            let number = i64::try_from(number).unwrap_or(i64::MAX);
            ConstGauge::new(number).encode(encoder.encode_descriptor(name, help, None, MetricType::Gauge)?)?;
        }
        let mut now = encoder.encode_descriptor("connections", "Connections now", None, MetricType::Gauge)?;
        for transport in Transport::ALL {
            let number = i64::try_from(metrics.connections(transport)).unwrap_or(i64::MAX);
            ConstGauge::new(number).encode(now.encode_family(&[("transport", transport.as_str())])?)?;
        }
        let mut ever =
            encoder.encode_descriptor("connections_opened", "Connections ever", None, MetricType::Counter)?;
        for transport in Transport::ALL {
            let number = metrics.connections_total(transport);
            ConstCounter::new(number).encode(ever.encode_family(&[("transport", transport.as_str())])?)?;
        }
        Ok(())
    }
}

impl Numbers {
    fn commands(&self, encoder: &mut DescriptorEncoder<'_>) -> fmt::Result {
        let metrics = self.hub.metrics();
        let mut calls =
            encoder.encode_descriptor("calls", "Calls by command and outcome", None, MetricType::Counter)?;
        for counted in metrics.commands() {
            for (outcome, number) in Outcome::ALL.into_iter().zip(counted.outcomes) {
                let labels = [("command", counted.command.wire_name()), ("outcome", outcome.as_str())];
                ConstCounter::new(number).encode(calls.encode_family(&labels)?)?;
            }
        }
        let help = "How long calls took in all, by command";
        let mut time = encoder.encode_descriptor("call_microseconds", help, None, MetricType::Counter)?;
        for counted in metrics.commands() {
            let labels = [("command", counted.command.wire_name())];
            ConstCounter::new(counted.micros).encode(time.encode_family(&labels)?)?;
        }
        Ok(())
    }
}

/// The memory and the descriptors of this process, where the system tells.
fn of_process() -> (u64, u64) {
    let pages = fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages: u64 = pages.split(' ').nth(1).and_then(|pages| pages.parse().ok()).unwrap_or(0);
    let descriptors = fs::read_dir("/proc/self/fd").map_or(0, Iterator::count);
    (pages * rustix::param::page_size() as u64, descriptors as u64)
}
