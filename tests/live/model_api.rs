//! A scripted model on loopback, and the log of what it was asked.
//!
//! It is also the proxy for everything else that a host would like to reach: it refuses, so nothing leaves the machine.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Instant;

use serde_json::Value;

use super::script::{Purpose, Reply, Request, Script};
use super::wait::STEP_LIMIT;
use super::{messages, responses};

/// The largest request that is read, in bytes; a host's first one is about 100 kB.
const REQUEST_BYTES_MAX: usize = 32 << 20;

/// Which API is spoken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// Anthropic's Messages.
    Messages,
    /// OpenAI's Responses.
    Responses,
}

/// Method, path and headers (lower case) of a request.
pub(crate) struct Head {
    /// `POST` and such.
    pub(crate) method: String,
    /// Without the query.
    pub(crate) path: String,
    headers: Vec<(String, String)>,
}

impl Head {
    /// A header's value.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(key, _)| key == name)
            .map(|(_, value)| value.as_str())
    }
}

/// What goes back.
pub(crate) struct Payload {
    /// `text/event-stream` or `application/json`.
    pub(crate) content_type: &'static str,
    /// The body.
    pub(crate) text: String,
}

/// What the connections share.
struct Shared {
    dialect: Dialect,
    script: Mutex<Script>,
    log: Mutex<Vec<Request>>,
    grown: Condvar,
    closing: Mutex<bool>,
}

/// The running server; it ends with its value.
pub(crate) struct ModelApi {
    port: u16,
    shared: Arc<Shared>,
}

impl ModelApi {
    /// Listens on a free port.
    pub(crate) fn start(dialect: Dialect, script: Script) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let shared = Arc::new(Shared {
            dialect,
            script: Mutex::new(script),
            log: Mutex::default(),
            grown: Condvar::new(),
            closing: Mutex::new(false),
        });
        let server = Arc::clone(&shared);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                if *server.closing.lock().unwrap() {
                    break;
                }
                let server = Arc::clone(&server);
                // A host that hangs up in the middle is no fault of the test's.
                std::thread::spawn(move || stream.and_then(|stream| server.serve(&stream)).ok());
            }
        });
        Self { port, shared }
    }

    /// Its address, without a path.
    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Whether any request so far was for that.
    pub(crate) fn was_asked_for(&self, purpose: Purpose) -> bool {
        let log = self.shared.log.lock().unwrap();
        log.iter().any(|request| request.purpose == purpose)
    }

    /// The first request behind the first `seen` ones that is for `purpose` and whose newest text holds `needle`, with its
    /// place in the log; waits for it.
    #[track_caller]
    pub(crate) fn request(&self, seen: usize, purpose: Purpose, needle: &str) -> (usize, Request) {
        let fits = |request: &Request| request.purpose == purpose && request.last.contains(needle);
        self.wait_for(seen, &fits, &format!("{purpose:?} request with {needle:?}"))
    }

    /// The first request of the main conversation behind the first `seen` ones that has `text` anywhere; waits for it.
    #[track_caller]
    pub(crate) fn request_with(&self, seen: usize, text: &str) -> (usize, Request) {
        let fits = |request: &Request| {
            request.purpose == Purpose::Turn && !request.texts_with(text).is_empty()
        };
        self.wait_for(seen, &fits, &format!("request that has {text:?}"))
    }

    /// The first request behind the first `seen` ones that fits, with its place in the log.
    #[track_caller]
    fn wait_for(
        &self,
        seen: usize,
        fits: &dyn Fn(&Request) -> bool,
        what: &str,
    ) -> (usize, Request) {
        let end = Instant::now() + STEP_LIMIT;
        let mut log = self.shared.log.lock().unwrap();
        loop {
            if let Some(at) = log.iter().skip(seen).position(fits) {
                return (seen + at, log[seen + at].clone());
            }
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                let there = outline(&log);
                drop(log);
                panic!("no {what} behind {seen}; there were: {there:#?}");
            }
            log = self.shared.grown.wait_timeout(log, left).unwrap().0;
        }
    }
}

impl Drop for ModelApi {
    fn drop(&mut self) {
        *self.shared.closing.lock().unwrap() = true;
        // Wakes the listener.
        drop(TcpStream::connect(("127.0.0.1", self.port)));
    }
}

/// The log in a line a request.
fn outline(log: &[Request]) -> Vec<String> {
    log.iter()
        .map(|r| {
            format!(
                "{:?} {:?}",
                r.purpose,
                r.last.chars().take(80).collect::<String>()
            )
        })
        .collect()
}

impl Shared {
    /// One request, one answer, and the connection ends.
    fn serve(&self, stream: &TcpStream) -> std::io::Result<()> {
        stream.set_read_timeout(Some(STEP_LIMIT))?;
        let (head, body) = read_request(&mut BufReader::new(stream))?;
        let asked = match self.dialect {
            Dialect::Messages => messages::read(&head, &body),
            Dialect::Responses => responses::read(&head, &body),
        };
        let Some((purpose, last)) = asked else {
            return respond(stream, "404 Not Found", "application/json", "{}");
        };
        let reply = self.script.lock().unwrap().take(purpose, &last);
        let number = self.note(Request {
            purpose,
            last,
            body: body.clone(),
        });
        reply.wait_for_gate();
        let payload = self.write(number, &body, &reply);
        respond(stream, "200 OK", payload.content_type, &payload.text)
    }

    /// Puts the request into the log; its number.
    fn note(&self, request: Request) -> usize {
        let mut log = self.log.lock().unwrap();
        log.push(request);
        self.grown.notify_all();
        log.len()
    }

    /// The answer in the API's form.
    fn write(&self, number: usize, body: &Value, reply: &Reply) -> Payload {
        match self.dialect {
            Dialect::Messages => messages::write(number, body, reply),
            Dialect::Responses => responses::write(number, reply),
        }
    }
}

/// Reads head and body; a body that is no JSON is `null`.
fn read_request(stream: &mut impl BufRead) -> std::io::Result<(Head, Value)> {
    let mut line = String::new();
    stream.read_line(&mut line)?;
    let mut words = line.split_whitespace();
    let method = words.next().unwrap_or_default().to_owned();
    let path = words
        .next()
        .unwrap_or_default()
        .split('?')
        .next()
        .unwrap_or_default()
        .to_owned();
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line)? == 0 || line.trim().is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':') {
            headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
        }
    }
    let head = Head {
        method,
        path,
        headers,
    };
    let length = head
        .header("content-length")
        .and_then(|text| text.parse().ok())
        .unwrap_or(0usize);
    let mut body = vec![0; length.min(REQUEST_BYTES_MAX)];
    stream.read_exact(&mut body)?;
    Ok((head, serde_json::from_slice(&body).unwrap_or_default()))
}

/// Writes one answer.
fn respond(
    mut stream: &TcpStream,
    status: &str,
    content_type: &str,
    text: &str,
) -> std::io::Result<()> {
    let length = text.len();
    write!(
        stream,
        "HTTP/1.1 {status}\r\ncontent-type: {content_type}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{text}"
    )?;
    stream.flush()
}
