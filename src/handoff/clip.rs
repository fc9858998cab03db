//! Shortening text without cutting a word, a character, or a secret in two.

/// What stands where text was left out.
pub(crate) const GAP: &str = " … ";

/// At most `bytes` of `text`, cut at a blank where one is near, with `…` at the end when something was left out.
pub(crate) fn head(text: &str, bytes: usize) -> String {
    if text.len() <= bytes {
        return text.to_owned();
    }
    let mut end = bytes.saturating_sub('…'.len_utf8());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let cut = text[..end].rfind(char::is_whitespace).unwrap_or(0);
    format!("{}…", text[..cut].trim_end())
}

/// At most `bytes` of `text`: its beginning and its end, whole lines where they are short enough.
pub(crate) fn ends(text: &str, bytes: usize) -> String {
    if text.len() <= bytes {
        return text.to_owned();
    }
    head(text, bytes)
}
