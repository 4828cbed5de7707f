//! What goes back: the envelope of an answer or of a "no", with the status that its code stands for.

use axum::{
    body::Body,
    http::{HeaderValue, Response as HttpResponse, StatusCode, header},
    response::Response,
};
use baton_app::{Envelope, Failure};
use baton_core::code::ErrorCode;
use serde_json::Value;

/// How long to wait before asking again, where the answer does not say it.
const RETRY_AFTER_SECONDS: u64 = 1;

/// The answer of a command.
pub(crate) fn answered(command: &str, data: Value) -> Response {
    enveloped(StatusCode::OK, Envelope::answered(command, data))
}

/// A "no".
pub(crate) fn refused(command: &str, failure: &Failure) -> Response {
    refused_with(status(failure.code), command, failure)
}

/// A "no" whose status is about HTTP itself.
pub(crate) fn refused_with(status: StatusCode, command: &str, failure: &Failure) -> Response {
    let mut response = enveloped(status, Envelope::refused(command, failure));
    let headers = response.headers_mut();
    if status == StatusCode::UNAUTHORIZED {
        headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    }
    if status == StatusCode::TOO_MANY_REQUESTS || status == StatusCode::SERVICE_UNAVAILABLE {
        let ms = failure.details.get("retry_after_ms").and_then(Value::as_u64);
        let seconds = ms.map_or(RETRY_AFTER_SECONDS, |ms| ms.div_ceil(1000).max(1));
        headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
    response
}

/// An answer as JSON.
pub(crate) fn json(status: StatusCode, text: impl Into<Body>) -> Response {
    let mut response = HttpResponse::new(text.into());
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

fn enveloped(status: StatusCode, envelope: Envelope<'_>) -> Response {
    json(status, envelope.into_json().to_string())
}

/// The status that a code stands for, as a number.
pub const fn status_number(code: ErrorCode) -> u16 {
    status(code).as_u16()
}

/// The status that a code stands for.
pub(crate) const fn status(code: ErrorCode) -> StatusCode {
    use ErrorCode as C;
    match code {
        C::InvalidAgentId
        | C::InvalidRole
        | C::InvalidCategory
        | C::InvalidMessage
        | C::InvalidEnvelope
        | C::InvalidState
        | C::InvalidLimit
        | C::InvalidArgs
        | C::InvalidHandoff
        | C::InvalidReason
        | C::InvalidNote
        | C::InvalidPolicy
        | C::InvalidOrder
        | C::InvalidPath
        | C::InvalidInput
        | C::InvalidFrame
        | C::BudgetExceeded => StatusCode::BAD_REQUEST,
        C::Unauthorized => StatusCode::UNAUTHORIZED,
        C::Forbidden
        | C::SpawnForbidden
        | C::NoEdge
        | C::SourceMismatch
        | C::NotOwner
        | C::ReadForbidden
        | C::AckForbidden
        | C::ReleaseForbidden => StatusCode::FORBIDDEN,
        C::UnknownRoom
        | C::PathNotFound
        | C::UnknownTool
        | C::UnknownOp
        | C::UnknownCmd
        | C::AgentNotFound
        | C::MessageNotFound
        | C::ReservationNotFound
        | C::UnknownId => StatusCode::NOT_FOUND,
        C::TurnMismatch
        | C::IdInUse
        | C::StaleLease
        | C::UnknownMember
        | C::InvalidTarget
        | C::TakeoverUnavailable
        | C::PriorOwner
        | C::HoldsStick
        | C::RoomClosed
        | C::DuplicateListener
        | C::IdempotencyConflict
        | C::DuplicateAgentId
        | C::PreconditionFailed
        | C::Conflict
        | C::UnknownSender
        | C::UnknownRecipient
        | C::ReservationConflict
        | C::ReservationStaleFound
        | C::StickNeeded
        | C::ConfinementUnavailable
        | C::PatchConflict
        | C::PatchUnusable
        | C::AmbiguousSession
        | C::AdoptionRejected
        | C::LoopDetected
        | C::DuplicateAction
        | C::AlreadyEnded
        | C::SlowConsumer
        | C::TooManyMembers
        | C::StoreNotEmpty
        | C::StoreMoved => StatusCode::CONFLICT,
        C::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
        C::RateLimited => StatusCode::TOO_MANY_REQUESTS,
        C::ShuttingDown
        | C::Canceled
        | C::StoreBusy
        | C::StoreFull
        | C::StoreReadOnly
        | C::StoreUnreachable
        | C::StoreOutcomeUnknown
        | C::StoreUnavailable => StatusCode::SERVICE_UNAVAILABLE,
        C::StoreNewer | C::StoreReplaced | C::StoreCorrupt | C::StoreDenied | C::NetworkFilesystem | C::Internal => {
            StatusCode::INTERNAL_SERVER_ERROR
        }
    }
}

#[cfg(test)]
mod tests {
    use baton_core::code::Kind;

    use super::*;

    #[test]
    fn the_status_says_what_sort_of_no_it_is() {
        for code in ErrorCode::ALL {
            let status = status(*code);
            let fits = match code.kind() {
                Kind::Invalid => matches!(status.as_u16(), 400 | 413),
                Kind::NotFound => status == StatusCode::NOT_FOUND,
                Kind::Refused => matches!(status.as_u16(), 401 | 403 | 409 | 429),
                Kind::Failed => status.is_server_error(),
            };
            assert!(fits, "{code} is {status}");
        }
    }

    #[test]
    fn who_is_to_come_back_is_told_when() {
        let failure = Failure::new(ErrorCode::RateLimited, "Slower.").with("retry_after_ms", 1_200);
        assert_eq!(refused("x", &failure).headers()[header::RETRY_AFTER], "2");
        let failure = Failure::new(ErrorCode::ShuttingDown, "Later.");
        assert_eq!(refused("x", &failure).headers()[header::RETRY_AFTER], "1");
    }
}
