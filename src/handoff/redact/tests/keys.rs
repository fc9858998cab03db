use proptest::prelude::*;

use super::{clean, survives};
use crate::handoff::clip;

/// A block of made-up lines under `label`; the label is put together here, so that no scanner takes this file for a key.
fn block(label: &str, lines: &[String], line_end: &str) -> String {
    let mut block = format!("-----{} {label}-----{line_end}", "BEGIN");
    for line in lines {
        block.push_str(line);
        block.push_str(line_end);
    }
    format!("{block}-----{} {label}-----{line_end}", "END")
}

fn check(text: &str, lines: &[String]) -> Result<(), TestCaseError> {
    let cleaned = clean(text);
    for line in lines {
        prop_assert!(!survives(&cleaned, line), "{text:?} became {cleaned:?}");
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_line_of_a_key_survives_whole_or_cut(
        label in "((RSA|EC|OPENSSH|ENCRYPTED) )?PRIVATE KEY|PGP PRIVATE KEY BLOCK",
        mut lines in proptest::collection::vec("[A-Za-z0-9+/]{64}", 1..24),
        last in "[A-Za-z0-9+/]{12,63}=?",
        front in "([a-z]{1,8}[ \n]){0,12}",
        back in "([a-z]{1,8}[ \n]){0,12}",
        bytes in 0_usize..2_500,
        skipped in 0_usize..30,
    ) {
        lines.push(last);
        let key = block(&label, &lines, "\n");
        let text = format!("{front}{key}{back}");
        check(&text, &lines)?;
        check(&clip::head(&text, bytes), &lines)?;
        check(&clip::ends(&text, bytes), &lines)?;
        check(&clip::one_line(&text, bytes), &lines)?;
        check(&text.replace('\n', "\r\n"), &lines)?;

        let json = serde_json::to_string(&text).unwrap();
        check(&json, &lines)?;
        check(&clip::ends(&json, bytes), &lines)?;
        check(&serde_json::to_string(&json).unwrap(), &lines)?;
        check(&json.replace('/', "\\/"), &lines)?;

        let cut: Vec<&str> = key.lines().skip(skipped.min(lines.len())).collect();
        check(&format!("{}\n{back}", cut.join("\n")), &lines)?;
        let numbered: Vec<String> = key.lines().enumerate().map(|(n, line)| format!("{:6}→{line}", n + 1)).collect();
        check(&numbered.join("\n"), &lines)?;
        let indented: Vec<String> = key.lines().map(|line| format!("  > {line}")).collect();
        check(&indented[skipped.min(lines.len())..].join("\n"), &lines)?;
        let source: Vec<String> = key.lines().map(|line| format!("    \"{line}\\n\" +")).collect();
        check(&source.join("\n"), &lines)?;
    }
}

#[test]
fn what_surrounds_a_key_stays() {
    let lines = ["Ab3/".repeat(16), "Cd4+".repeat(16)];
    let whole = format!("before\n{}after it\n", block("PRIVATE KEY", &lines, "\n"));
    assert_eq!(clean(&whole), "before\n[redacted:private-key]\nafter it\n");
    let cut = &whole[..whole.rfind("\n-----").unwrap()];
    assert_eq!(clean(cut), "before\n[redacted:private-key]");
    let short = [lines[0].clone(), "x2/QTlWmU+4WA1".to_owned()];
    let whole = block("PRIVATE KEY", &short, "\n");
    for end in ["-----END PRIVATE…", " … and so on", "…", ""] {
        let cut = format!("{}{end}", &whole[..whole.find("-----END").unwrap()]);
        let cleaned = clean(&cut);
        assert!(!cleaned.contains(&short[1]), "{cleaned}");
    }
    let public = block("PUBLIC KEY", &lines, "\n");
    assert_eq!(clean(&public), public);
}
