//! A text as a JSON parser, a shell or a URL would read it, and where each of its bytes came from.

/// A text nested in this many layers of escapes is read through all of them; a transcript in a transcript has three.
pub(super) const LAYERS_MAX: usize = 4;

/// A decoded text.
#[derive(Debug)]
pub(super) struct View {
    /// The decoded bytes; always whole UTF-8 where the source was.
    pub(super) text: Vec<u8>,
    /// For each decoded byte, and for the end, where it began in the source.
    from: Vec<usize>,
}

impl View {
    /// The place in the source of a range in this view.
    pub(super) fn source(&self, start: usize, end: usize) -> (usize, usize) {
        (self.from[start], self.from[end])
    }

    /// This view decoded once more; none when it holds no escape.
    pub(super) fn deeper(&self) -> Option<Self> {
        let mut next = decoded(&self.text)?;
        for place in &mut next.from {
            *place = self.from[*place];
        }
        Some(next)
    }
}

/// `text` with one layer of escapes taken off; none when it holds no escape.
pub(super) fn decoded(text: &[u8]) -> Option<View> {
    let first = first_escape(text)?;
    let mut view = View {
        text: text[..first].to_vec(),
        from: (0..first).collect(),
    };
    let mut at = first;
    while at < text.len() {
        if let Some((length, character)) = escape(&text[at..]) {
            let mut buffer = [0; 4];
            let bytes = character.map_or(&b""[..], |character| {
                character.encode_utf8(&mut buffer).as_bytes()
            });
            view.text.extend_from_slice(bytes);
            view.from.extend(bytes.iter().map(|_| at));
            at += length;
        } else {
            view.text.push(text[at]);
            view.from.push(at);
            at += 1;
        }
    }
    view.from.push(text.len());
    Some(view)
}

fn first_escape(text: &[u8]) -> Option<usize> {
    memchr::memchr2_iter(b'\\', b'%', text).find(|&at| escape(&text[at..]).is_some())
}

/// The escape that `rest` begins with: its length, and the character it stands for (none for a continued line).
fn escape(rest: &[u8]) -> Option<(usize, Option<char>)> {
    match *rest {
        [b'%', a, b, ..] => {
            let byte = hex(&[a, b])?;
            (byte < 0x80).then_some(())?;
            Some((3, char::from_u32(byte)))
        }
        [b'\\', b'\r', b'\n', ..] => Some((3, None)),
        [b'\\', b'\n', ..] => Some((2, None)),
        [b'\\', b'n', ..] => Some((2, Some('\n'))),
        [b'\\', b'r', ..] => Some((2, Some('\r'))),
        [b'\\', b't', ..] => Some((2, Some('\t'))),
        [b'\\', b'u', b'{', ..] => {
            let close = rest.iter().take(10).position(|&byte| byte == b'}')?;
            let character = char::from_u32(hex(&rest[3..close])?)?;
            Some((close + 1, Some(character)))
        }
        [b'\\', b'u', a, b, c, d, ..] => {
            let character = char::from_u32(hex(&[a, b, c, d])?)?;
            Some((6, Some(character)))
        }
        [b'\\', b'x', a, b, ..] => {
            let character = char::from_u32(hex(&[a, b])?)?;
            Some((4, Some(character)))
        }
        [b'\\', mark, ..] if mark.is_ascii_punctuation() => Some((2, Some(char::from(mark)))),
        _ => None,
    }
}

fn hex(digits: &[u8]) -> Option<u32> {
    digits
        .iter()
        .try_fold(0_u32, |value, &digit| {
            let digit = char::from(digit).to_digit(16)?;
            value.checked_mul(16)?.checked_add(digit)
        })
        .filter(|_| !digits.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expect: Option<&str>) {
        let view = decoded(text.as_bytes());
        let read = view.map(|view| String::from_utf8(view.text).unwrap());
        assert_eq!(read.as_deref(), expect);
    }

    #[test]
    fn escapes_of_json_shell_and_url_are_read() {
        check("plain text, 100 % plain", None);
        check(r"a\nb\tc\/d", Some("a\nb\tc/d"));
        check(r"\u0067hp \x67 \u{1F600} %2Fx", Some("ghp g 😀 /x"));
        check("one\\\ntwo", Some("onetwo"));
        check(r#"{\"a\":\\n}"#, Some("{\"a\":\\n}"));
        check(r"\ud83d\u00e9", Some(r"\ud83dé"));
        check("%c3%a9 and %", None);
    }

    #[test]
    fn a_place_in_a_deep_view_is_found_in_the_source() {
        let text = r#"x \\u0041\\u0042 y"#;
        let view = decoded(text.as_bytes()).unwrap().deeper().unwrap();
        assert_eq!(view.text, b"x AB y");
        let (start, end) = view.source(2, 4);
        assert_eq!(&text[start..end], r"\\u0041\\u0042");
    }
}
