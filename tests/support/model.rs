//! A model's server on loopback that plays a script: one act a connection, in order, the last one again and again.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};

/// What a server that hangs or drips waits at most, so that no thread outlives the tests.
const PATIENCE: Duration = Duration::from_secs(20);

/// What the server does with one connection.
#[derive(Clone)]
pub(crate) enum Act {
    /// Answers with a status, headers beside the usual ones, and a body.
    Reply(u16, Vec<(&'static str, &'static str)>, String),
    /// Takes the request and says nothing.
    Hang,
    /// Says a byte now and then, and never ends.
    Drip,
    /// Promises more than it says, and closes.
    Cut,
    /// Runs something else while the client waits, then plays the act.
    Meanwhile(Arc<dyn Fn() + Send + Sync>, Box<Act>),
}

impl Act {
    /// 200 with a JSON body.
    pub(crate) fn ok(body: &Value) -> Self {
        Self::Reply(200, Vec::new(), body.to_string())
    }

    /// Any status with an error as every provider words it.
    pub(crate) fn error(status: u16, message: &str) -> Self {
        let body = json!({"type": "error", "error": {"type": "some_error", "message": message}});
        Self::Reply(status, Vec::new(), body.to_string())
    }
}

/// What a server was sent.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    /// The path.
    pub(crate) path: String,
    /// The headers, their names in small letters.
    pub(crate) headers: Vec<(String, String)>,
    /// The body.
    pub(crate) body: Value,
}

impl Asked {
    /// The value of a header.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(one, _)| one == name);
        found.map(|(_, value)| value.as_str())
    }
}

/// The server.
pub(crate) struct ModelServer {
    port: u16,
    asked: Arc<Mutex<Vec<Asked>>>,
}

impl ModelServer {
    /// Starts one with its script.
    pub(crate) fn start(script: Vec<Act>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let asked = Arc::<Mutex<Vec<Asked>>>::default();
        let heard = Arc::clone(&asked);
        std::thread::spawn(move || {
            for (n, stream) in listener.incoming().flatten().enumerate() {
                let act = script[n.min(script.len() - 1)].clone();
                let heard = Arc::clone(&heard);
                std::thread::spawn(move || serve(stream, act, &heard));
            }
        });
        Self { port, asked }
    }

    /// Its address.
    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// What it was sent so far.
    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }
}

fn serve(mut stream: TcpStream, act: Act, heard: &Mutex<Vec<Asked>>) {
    let Some(asked) = request(&mut stream) else {
        return;
    };
    heard.lock().unwrap().push(asked);
    // The client may have gone: that is its right.
    play(&mut stream, act).ok();
}

fn play(stream: &mut TcpStream, act: Act) -> std::io::Result<()> {
    let head = |status: u16, length: usize| {
        format!(
            "HTTP/1.1 {status} X\r\ncontent-type: application/json\r\ncontent-length: {length}\r\nconnection: close\r\n"
        )
    };
    match act {
        Act::Reply(status, headers, body) => {
            let mut answer = head(status, body.len());
            for (name, value) in headers {
                answer.push_str(&format!("{name}: {value}\r\n"));
            }
            stream.write_all(format!("{answer}\r\n{body}").as_bytes())
        }
        Act::Hang => {
            // The client closes when its time is over, and that ends the reading.
            stream.set_read_timeout(Some(PATIENCE))?;
            stream.read(&mut [0]).map(drop)
        }
        Act::Drip => {
            stream.write_all(format!("{}\r\n", head(200, 100_000)).as_bytes())?;
            for _ in 0..PATIENCE.as_millis() / 100 {
                stream.write_all(b" ")?;
                stream.set_read_timeout(Some(Duration::from_millis(100)))?;
                if matches!(stream.read(&mut [0]), Ok(0)) {
                    break;
                }
            }
            Ok(())
        }
        Act::Cut => {
            stream.write_all(format!("{}\r\n{{\"content\":", head(200, 100_000)).as_bytes())
        }
        Act::Meanwhile(run, act) => {
            run();
            play(stream, *act)
        }
    }
}

/// Reads one request to the end of its body; none where it is not one.
fn request(stream: &mut TcpStream) -> Option<Asked> {
    stream.set_read_timeout(Some(PATIENCE)).ok()?;
    let mut bytes = Vec::new();
    let mut buffer = vec![0; 64 * 1024];
    loop {
        let read = stream.read(&mut buffer).ok().filter(|read| *read > 0)?;
        bytes.extend_from_slice(&buffer[..read]);
        let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") else {
            continue;
        };
        let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
        let headers: Vec<(String, String)> = head
            .lines()
            .skip(1)
            .filter_map(|line| line.split_once(": "))
            .map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()))
            .collect();
        let length = headers.iter().find(|(name, _)| name == "content-length");
        let length: usize = length
            .and_then(|(_, value)| value.parse().ok())
            .unwrap_or(0);
        if bytes.len() < end + 4 + length {
            continue;
        }
        return Some(Asked {
            path: head.split(' ').nth(1)?.to_owned(),
            headers,
            body: serde_json::from_slice(&bytes[end + 4..]).unwrap_or_default(),
        });
    }
}
