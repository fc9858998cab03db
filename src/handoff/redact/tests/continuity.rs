use super::*;

/// Recorded work of other people; beside the repository where there is any.
const CASES: &str = "../shared/continuity/cases";
/// One alarm in so many cards is one too many.
const CARDS_PER_ALARM: usize = 100;
/// A card, in bytes.
const CARD_BYTES: usize = 6_000;

fn unzipped(path: &std::path::Path) -> String {
    let packed = std::fs::read(path).unwrap();
    let size: [u8; 4] = packed[packed.len() - 4..].try_into().unwrap();
    let mut text = vec![0; u32::from_le_bytes(size) as usize];
    // 16 and the window's 15 bits: a gzip header.
    let config = zlib_rs::InflateConfig { window_bits: 31 };
    let (text, code) = zlib_rs::decompress_slice(&mut text, &packed, config);
    assert_eq!(code, zlib_rs::ReturnCode::Ok);
    String::from_utf8_lossy(text).into_owned()
}

fn texts(value: &serde_json::Value, found: &mut Vec<String>) {
    match value {
        serde_json::Value::String(text) => found.push(text.clone()),
        serde_json::Value::Array(values) => values.iter().for_each(|value| texts(value, found)),
        serde_json::Value::Object(fields) => {
            fields.values().for_each(|value| texts(value, found));
        }
        _ => {}
    }
}

#[test]
fn recorded_work_raises_at_most_one_alarm_in_100_cards() {
    let Ok(cases) = std::fs::read_dir(format!("{}/{CASES}", env!("CARGO_MANIFEST_DIR"))) else {
        println!("no recorded cases here");
        return;
    };
    let mut said = Vec::new();
    for case in cases {
        let lines = unzipped(&case.unwrap().path().join("transcript.jsonl.gz"));
        for value in lines
            .lines()
            .filter_map(|line| serde_json::from_str(line).ok())
        {
            texts(&value, &mut said);
        }
    }
    said.sort();
    said.dedup();
    let redactor = Redactor::default();
    let alarms: usize = said.iter().map(|text| redactor.places(text).len()).sum();
    let cards = said.iter().map(String::len).sum::<usize>() / CARD_BYTES;
    println!("{alarms} alarms in {cards} cards");
    assert!(alarms * CARDS_PER_ALARM <= cards);
}
