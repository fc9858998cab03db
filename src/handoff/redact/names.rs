//! Names that tell: what stands behind `API_KEY` is likely a secret.

/// What a name says of the value behind it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Telling {
    /// A password: words and digits count too.
    Password,
    /// A key or token: made by a machine, so a plain word is none.
    Key,
    /// An HTTP header that carries credentials: the whole line counts.
    Header,
}

/// Names are read from their end, at most so many bytes of them.
const NAME_BYTES_MAX: usize = 64;

/// A telling name ends with one of these, written without `_`, `-` and `.`.
#[rustfmt::skip]
const ENDS: &[(&str, Telling)] = &[
    ("password", Telling::Password), ("passwd", Telling::Password), ("passphrase", Telling::Password),
    ("passcode", Telling::Password), ("secret", Telling::Password),
    ("token", Telling::Key), ("apikey", Telling::Key), ("accesskey", Telling::Key), ("secretkey", Telling::Key),
    ("privatekey", Telling::Key), ("signingkey", Telling::Key), ("encryptionkey", Telling::Key),
    ("masterkey", Telling::Key), ("authkey", Telling::Key), ("accountkey", Telling::Key),
    ("sharedkey", Telling::Key), ("storagekey", Telling::Key), ("servicekey", Telling::Key),
    ("applicationkey", Telling::Key), ("appkey", Telling::Key), ("deploykey", Telling::Key),
    ("subscriptionkey", Telling::Key), ("webhookkey", Telling::Key), ("licensekey", Telling::Key),
    ("credential", Telling::Key), ("credentials", Telling::Key), ("secrethash", Telling::Key),
    ("secretvalue", Telling::Password), ("secretstring", Telling::Password), ("keybase", Telling::Key),
    ("secretbase", Telling::Key), ("amzsignature", Telling::Key),
    ("authorization", Telling::Header), ("cookie", Telling::Header),
];

/// A telling name is one of these, or ends with one of these as a word of its own.
#[rustfmt::skip]
const WORDS: &[(&str, Telling)] = &[
    ("pwd", Telling::Password), ("pass", Telling::Password), ("pw", Telling::Password), ("psk", Telling::Password),
    ("auth", Telling::Key), ("sig", Telling::Key), ("bearer", Telling::Key), ("jwt", Telling::Key), ("pat", Telling::Key),
];

/// Words behind a telling one that leave it telling. Not `id`: `private_key_id` names a key and is none.
const SUFFIXES: &[&str] = &[
    "prod", "dev", "stage", "staging", "test", "live", "base64", "b64", "old", "new", "default",
];

/// What `name` tells: an environment variable, a JSON or YAML key, a header, a flag, a program's variable.
pub(crate) fn telling(name: &str) -> Option<Telling> {
    let mut from = name.len().saturating_sub(NAME_BYTES_MAX);
    while !name.is_char_boundary(from) {
        from += 1;
    }
    let mut name = name[from..].trim_matches(|c: char| !c.is_alphanumeric());
    // `API_KEY_2`, `DB_PASSWORD_PROD`.
    while let Some((front, last)) = name.rsplit_once(['_', '-', '.']) {
        let goes_on = SUFFIXES.iter().any(|word| last.eq_ignore_ascii_case(word))
            || last.bytes().all(|byte| byte.is_ascii_digit());
        if !goes_on {
            break;
        }
        name = front;
    }
    let last = last_word(name);
    let mut buffer = [0; NAME_BYTES_MAX];
    let joined = joined(name, &mut buffer);
    let by_word = WORDS
        .iter()
        .find(|(word, _)| last.eq_ignore_ascii_case(word));
    let by_end = || {
        ENDS.iter()
            .find(|(end, _)| joined.ends_with(end.as_bytes()))
    };
    by_word
        .or_else(by_end)
        .map(|&(_, telling)| telling)
        .filter(|_| !joined.windows(6).any(|word| word == b"public"))
}

/// The letters and digits of a name in small letters, without the digits at its end. No memory is asked for: names are
/// looked at by the hundred.
fn joined<'b>(name: &str, buffer: &'b mut [u8; NAME_BYTES_MAX]) -> &'b [u8] {
    let mut length = 0;
    for byte in name.bytes().filter(u8::is_ascii_alphanumeric) {
        if let Some(place) = buffer.get_mut(length) {
            *place = byte.to_ascii_lowercase();
            length += 1;
        }
    }
    while length > 0 && buffer[length - 1].is_ascii_digit() {
        length -= 1;
    }
    &buffer[..length]
}

/// The last word of a name in snake, kebab or camel case.
fn last_word(name: &str) -> &str {
    let from = name.rfind(['_', '-', '.', ' ']).map_or(0, |at| at + 1);
    let word = &name[from..];
    let bytes = word.as_bytes();
    let hump = (1..bytes.len())
        .rev()
        .find(|&at| bytes[at].is_ascii_uppercase() && bytes[at - 1].is_ascii_lowercase());
    hump.map_or(word, |at| &word[at..])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(names: &[&str], expect: Option<Telling>) {
        for name in names {
            assert_eq!(telling(name), expect, "{name}");
        }
    }

    #[test]
    fn a_name_tells_by_its_end() {
        let passwords = [
            "password",
            "DB_PASSWORD",
            "dbPass",
            "PGPASSWORD",
            "client-secret",
            "pwd",
            "PASSWORD_2",
            "SMTP_PASS_PROD",
            "userPwd",
        ];
        check(&passwords, Some(Telling::Password));
        let keys = [
            "apiKey",
            "X-Api-Key",
            "AWS_SECRET_ACCESS_KEY",
            "AccountKey",
            "_authToken",
            "token",
            "private_key",
            "SECRET_KEY_BASE",
            "sig",
            "X-Amz-Signature",
        ];
        check(&keys, Some(Telling::Key));
        check(
            &["Authorization", "Set-Cookie", "Proxy-Authorization"],
            Some(Telling::Header),
        );
    }

    #[test]
    fn other_names_do_not_tell() {
        let names = [
            "",
            "compass",
            "max_tokens",
            "token_type",
            "password_file",
            "public_key",
            "key",
            "monkey",
            "author",
            "secretName",
            "bypass",
            "tokenizer",
            "design",
            "private_key_id",
            "é",
        ];
        check(&names, None);
    }
}
