//! Every recorded payload of every measured host, through the built program.

use std::path::Path;

use serde_json::Value;

use super::stage::HOSTS;
use crate::support::world::World;

#[test]
fn every_recorded_payload_is_answered_and_none_blocks() {
    let mut seen = 0;
    for host in HOSTS {
        let versions = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("fixtures")
            .join(host);
        for version in std::fs::read_dir(versions).unwrap() {
            let version = version.unwrap().path();
            let transcript = std::fs::read_dir(version.join("transcripts")).unwrap();
            let mut transcript: Vec<_> = transcript
                .map(|entry| entry.unwrap().path())
                .filter(|p| p.is_file())
                .collect();
            transcript.sort();
            let world = World::new();
            let mut payloads: Vec<_> = std::fs::read_dir(version.join("payloads"))
                .unwrap()
                .map(|e| e.unwrap().path())
                .collect();
            payloads.sort();
            for path in payloads {
                let Ok(Value::Object(mut payload)) =
                    serde_json::from_slice(&std::fs::read(&path).unwrap())
                else {
                    continue;
                };
                payload.insert(
                    "cwd".into(),
                    Value::String(world.dir().to_string_lossy().into_owned()),
                );
                if payload.contains_key("transcript_path") {
                    payload.insert(
                        "transcript_path".into(),
                        Value::String(transcript[0].to_string_lossy().into_owned()),
                    );
                }
                let ran = world.hook(host, &Value::Object(payload.clone()).to_string());
                assert_eq!(ran.code, Some(0), "{}: {ran:?}", path.display());
                let event = payload
                    .get("hook_event_name")
                    .and_then(Value::as_str)
                    .unwrap_or_default();
                if !ran.stdout.is_empty() && event != "PreCompact" {
                    let answer: Value = serde_json::from_str(&ran.stdout).unwrap();
                    assert_eq!(
                        answer["hookSpecificOutput"]["hookEventName"],
                        event,
                        "{}",
                        path.display()
                    );
                }
                if payload.contains_key("agent_id") {
                    assert_eq!(ran.stdout, "", "{}", path.display());
                }
                seen += 1;
            }
        }
    }
    assert!(seen > 40, "{seen} payloads");
}
