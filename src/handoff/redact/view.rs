//! A text as a JSON parser, a shell or a URL would read it, and where each of its bytes came from.

/// A text nested in this many layers of escapes is read through all of them; a transcript in a transcript has three.
const LAYERS_MAX: usize = 4;
/// No text is read in more ways than this.
const READINGS_MAX: usize = 10;

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

    /// This view with one more layer of `coding` taken off; none when it holds no such escape.
    fn deeper(&self, coding: Coding) -> Option<Self> {
        let mut next = decoded(&self.text, coding)?;
        for place in &mut next.from {
            *place = self.from[*place];
        }
        Some(next)
    }
}

/// Reads the escape that a text begins with: its length, and the character it stands for (none for a continued line).
type Escape = fn(&[u8]) -> Option<(usize, Option<char>)>;

/// How a text may hold another one.
#[derive(Debug, Clone, Copy)]
pub(super) enum Coding {
    /// Of JSON, of programs' strings and of a shell's quotes.
    Backslash,
    /// Of URLs.
    Percent,
}

/// Every reading of `text` beside the text itself, by taking off layers of either coding in any order.
pub(super) fn readings(text: &[u8]) -> Vec<View> {
    const CODINGS: [Coding; 2] = [Coding::Backslash, Coding::Percent];
    let mut views: Vec<View> = CODINGS
        .into_iter()
        .filter_map(|coding| decoded(text, coding))
        .collect();
    let mut at = 0;
    let mut layer_end = views.len();
    for _ in 1..LAYERS_MAX {
        while at < layer_end && views.len() < READINGS_MAX {
            let deeper = CODINGS
                .into_iter()
                .filter_map(|coding| views[at].deeper(coding))
                .collect::<Vec<_>>();
            views.extend(deeper);
            at += 1;
        }
        layer_end = views.len();
    }
    views
}

/// `text` with one layer of `coding` taken off; none when it holds no such escape.
pub(super) fn decoded(text: &[u8], coding: Coding) -> Option<View> {
    let (mark, escape): (u8, Escape) = match coding {
        Coding::Backslash => (b'\\', backslash_escape),
        Coding::Percent => (b'%', percent_escape),
    };
    let first = memchr::memchr_iter(mark, text).find(|&at| escape(&text[at..]).is_some())?;
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

fn percent_escape(rest: &[u8]) -> Option<(usize, Option<char>)> {
    match *rest {
        [b'%', a, b, ..] => {
            let byte = hex(&[a, b]).filter(|&byte| byte < 0x80)?;
            Some((3, char::from_u32(byte)))
        }
        _ => None,
    }
}

fn backslash_escape(rest: &[u8]) -> Option<(usize, Option<char>)> {
    match *rest {
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
        [b'\\', a @ b'0'..=b'1', b @ b'0'..=b'7', c @ b'0'..=b'7', ..] => {
            let octal = (a - b'0') << 6 | (b - b'0') << 3 | (c - b'0');
            Some((4, Some(char::from(octal))))
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

    fn check(text: &str, coding: Coding, expect: Option<&str>) {
        let view = decoded(text.as_bytes(), coding);
        let read = view.map(|view| String::from_utf8(view.text).unwrap());
        assert_eq!(read.as_deref(), expect);
    }

    #[test]
    fn escapes_of_json_and_shell_are_read() {
        let backslash = |text, expect| check(text, Coding::Backslash, expect);
        backslash("plain text, 100 % plain", None);
        backslash(r"a\nb\tc\/d", Some("a\nb\tc/d"));
        backslash(r"\u0067hp \x67 \u{1F600} %2Fx", Some("ghp g 😀 %2Fx"));
        backslash(r"\147hp \777 \8", Some(r"ghp \777 \8"));
        backslash("one\\\ntwo", Some("onetwo"));
        backslash(r#"{\"a\":\\n}"#, Some("{\"a\":\\n}"));
        backslash(r"\ud83d\u00e9", Some(r"\ud83dé"));
    }

    #[test]
    fn escapes_of_urls_are_read() {
        check("a%2Fb%20c 5%", Coding::Percent, Some("a/b c 5%"));
        check("%c3%a9 and %", Coding::Percent, None);
    }

    #[test]
    fn a_place_in_a_deep_view_is_found_in_the_source() {
        let text = r#"x \\u0041%5Cu0042 y"#;
        let views = readings(text.as_bytes());
        let view = views.iter().find(|view| view.text == b"x AB y").unwrap();
        let (start, end) = view.source(2, 4);
        assert_eq!(&text[start..end], r"\\u0041%5Cu0042");
    }
}
