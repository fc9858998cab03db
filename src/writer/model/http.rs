//! One request over HTTP: bounded in time and in size, tried once more where the server asks for it.
//!
//! The client, and with it TLS, is built when a request is sent and not before: who has no model pays nothing. The usual
//! variables (`HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY`, `NO_PROXY`) name a proxy; ureq 3 reads them itself. A server on this
//! machine is always asked directly.

use std::time::Duration;

use serde_json::Value;

use super::{ANSWER_BYTES_MAX, Fault};
use crate::deadline::Deadline;

/// How often a request is sent again after 429 or 5xx.
const RETRIES_MAX: u32 = 1;
/// Pause before that where the server does not say how long, in seconds.
const RETRY_PAUSE_SECONDS: u64 = 1;
/// What is read of an answer in pieces, whose frames outweigh its text, in bytes.
const STREAM_BYTES_MAX: u64 = 16 * ANSWER_BYTES_MAX;
/// What is read of an error's body, in bytes.
const ERROR_BYTES_MAX: u64 = 8 * 1024;

/// One request.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Post {
    /// Where to.
    pub(super) url: String,
    /// Beside the content type.
    pub(super) headers: Vec<(&'static str, String)>,
    /// What is sent.
    pub(super) body: Value,
}

/// A reply that is no success.
struct Refusal {
    status: u16,
    wait: Duration,
    said: String,
}

/// Sends it and reads the whole answer.
pub(super) fn send(post: &Post, deadline: Deadline) -> Result<Vec<u8>, Fault> {
    let bytes = post.body.to_string().into_bytes();
    let mut retries = 0;
    loop {
        let refusal = match once(post, &bytes, deadline)? {
            Ok(answer) => return Ok(answer),
            Err(refusal) => refusal,
        };
        let again = refusal.status == 429 || refusal.status >= 500;
        if !again || retries == RETRIES_MAX || refusal.wait >= deadline.left() {
            return Err(refused(&refusal));
        }
        retries += 1;
        std::thread::sleep(refusal.wait);
    }
}

fn refused(refusal: &Refusal) -> Fault {
    let said = match refusal.said.as_str() {
        "" => String::new(),
        said => format!(": {said}"),
    };
    Fault::Told(format!("answered {}{said}", refusal.status))
}

fn once(post: &Post, bytes: &[u8], deadline: Deadline) -> Result<Result<Vec<u8>, Refusal>, Fault> {
    if deadline.passed() {
        return Err(Fault::TimedOut);
    }
    let mut config = ureq::Agent::config_builder()
        .timeout_global(Some(deadline.left()))
        .http_status_as_error(false)
        .max_redirects(0)
        .user_agent(concat!("git-segue/", env!("CARGO_PKG_VERSION")));
    if is_local(&post.url) {
        config = config.proxy(None);
    }
    let agent = config.build().new_agent();
    let mut request = agent
        .post(&post.url)
        .header("content-type", "application/json");
    for (name, value) in &post.headers {
        request = request.header(*name, value);
    }
    let mut response = request.send(bytes).map_err(fault)?;
    let status = response.status().as_u16();
    if status == 200 {
        let limit = match response.body().mime_type() {
            Some("text/event-stream") => STREAM_BYTES_MAX,
            _ => ANSWER_BYTES_MAX,
        };
        let body = response.body_mut().with_config().limit(limit);
        return body.read_to_vec().map(Ok).map_err(fault);
    }
    let wait = response
        .headers()
        .get("retry-after")
        .and_then(|value| value.to_str().ok()?.trim().parse().ok())
        .unwrap_or(RETRY_PAUSE_SECONDS);
    let body = response.body_mut().with_config().limit(ERROR_BYTES_MAX);
    let said = body.read_to_vec().unwrap_or_default();
    Ok(Err(Refusal {
        status,
        wait: Duration::from_secs(wait),
        said: message(&said),
    }))
}

/// What an error's body says: `error.message` with every provider, `error` alone with some servers.
fn message(body: &[u8]) -> String {
    let json: Value = serde_json::from_slice(body).unwrap_or_default();
    let error = &json["error"];
    let text = error["message"].as_str().or_else(|| error.as_str());
    text.unwrap_or_default().to_owned()
}

fn fault(err: ureq::Error) -> Fault {
    match err {
        ureq::Error::Timeout(_) => Fault::TimedOut,
        ureq::Error::BodyExceedsLimit(_) => Fault::TooLong,
        ureq::Error::Io(err) if err.kind() == std::io::ErrorKind::TimedOut => Fault::TimedOut,
        err => Fault::Told(format!("cannot be reached: {err}")),
    }
}

/// Whether an address is one of this machine.
pub(super) fn is_local(url: &str) -> bool {
    let Ok(uri) = url.parse::<ureq::http::Uri>() else {
        return false;
    };
    let host = uri.host().unwrap_or_default();
    let host = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost"
        || host
            .parse::<std::net::IpAddr>()
            .is_ok_and(|address| address.is_loopback())
}
