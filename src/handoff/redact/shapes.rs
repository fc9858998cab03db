//! Tokens that tell their kind by their own shape: a table that anyone can extend.

use super::Found;

/// Bytes that a token's body consists of.
type Alphabet = fn(u8) -> bool;

/// One shape: a prefix no word begins with, and a body behind it. The body is taken as far as its alphabet goes, so that
/// what is glued to a token goes with it; nothing is asked of what stands before it.
#[derive(Debug)]
pub(super) struct Shape {
    /// What stands in `[redacted:<kind>]`.
    pub(super) kind: &'static str,
    /// The telling bytes, at least two.
    pub(super) prefix: &'static str,
    /// How many bytes before the prefix belong to the token.
    pub(super) lead: usize,
    /// What the body consists of.
    pub(super) body: Alphabet,
    /// The shortest body in bytes. Well under the issuer's length where the prefix is rare: a host may have cut the token.
    pub(super) min: usize,
    /// What else the body must be, so that words and placeholders stay.
    pub(super) check: fn(&[u8]) -> bool,
}

const fn shape(
    kind: &'static str,
    prefix: &'static str,
    body: Alphabet,
    min: usize,
    check: fn(&[u8]) -> bool,
) -> Shape {
    Shape {
        kind,
        prefix,
        lead: 0,
        body,
        min,
        check,
    }
}

/// The known shapes. Of two that begin at the same byte the earlier one counts.
#[rustfmt::skip]
pub(super) const SHAPES: &[Shape] = &[
    shape("aws-key-id", "AKIA", upper, 16, varied),
    shape("aws-key-id", "ASIA", upper, 16, varied),
    shape("aws-key-id", "ABIA", upper, 16, varied),
    shape("aws-key-id", "ACCA", upper, 16, varied),
    shape("google-api-key", "AIza", dashed, 30, varied),
    shape("google-oauth", "ya29.", dotted, 20, varied),
    shape("google-oauth", "GOCSPX-", dashed, 20, varied),
    shape("google-oauth", "1//0", dashed, 30, mixed),
    Shape { kind: "azure-client-secret", prefix: "Q~", lead: 4, body: azure, min: 28, check: varied },
    shape("github-token", "ghp_", alnum, 16, varied),
    shape("github-token", "gho_", alnum, 16, varied),
    shape("github-token", "ghu_", alnum, 16, varied),
    shape("github-token", "ghs_", dotted, 16, varied),
    shape("github-token", "ghr_", alnum, 16, varied),
    shape("github-token", "github_pat_", dashed, 20, varied),
    shape("gitlab-token", "glpat-", dotted, 16, varied),
    shape("gitlab-token", "gldt-", dotted, 16, varied),
    shape("gitlab-token", "glrt-", dotted, 16, varied),
    shape("gitlab-token", "glrtr-", dotted, 16, varied),
    shape("gitlab-token", "glcbt-", dotted, 16, varied),
    shape("gitlab-token", "glptt-", dotted, 16, varied),
    shape("gitlab-token", "glft-", dotted, 16, varied),
    shape("gitlab-token", "glimt-", dotted, 16, varied),
    shape("gitlab-token", "glagent-", dotted, 16, varied),
    shape("gitlab-token", "glsoat-", dotted, 16, varied),
    shape("gitlab-token", "glffct-", dotted, 16, varied),
    shape("gitlab-token", "gloas-", dotted, 16, varied),
    shape("gitlab-token", "GR1348941", dashed, 16, varied),
    shape("slack-token", "xoxb-", dashed, 10, mixed),
    shape("slack-token", "xoxp-", dashed, 10, mixed),
    shape("slack-token", "xoxa-", dashed, 10, mixed),
    shape("slack-token", "xoxr-", dashed, 10, mixed),
    shape("slack-token", "xoxs-", dashed, 10, mixed),
    shape("slack-token", "xoxo-", dashed, 10, mixed),
    shape("slack-token", "xoxc-", dashed, 10, mixed),
    shape("slack-token", "xoxd-", base64_or_percent, 10, mixed),
    shape("slack-token", "xoxe-", dashed, 10, mixed),
    shape("slack-token", "xoxe.", dotted, 10, mixed),
    shape("slack-token", "xapp-", dashed, 10, mixed),
    shape("slack-webhook", "hooks.slack.com/services/", base64, 20, mixed),
    shape("slack-webhook", "hooks.slack.com/workflows/", base64, 20, mixed),
    shape("slack-webhook", "hooks.slack.com/triggers/", base64, 20, mixed),
    shape("discord-webhook", "discord.com/api/webhooks/", path, 20, mixed),
    shape("discord-webhook", "discordapp.com/api/webhooks/", path, 20, mixed),
    shape("stripe-key", "sk_live_", alnum, 10, varied),
    shape("stripe-key", "sk_test_", alnum, 10, mixed),
    shape("stripe-key", "rk_live_", alnum, 10, varied),
    shape("stripe-key", "rk_test_", alnum, 10, mixed),
    shape("stripe-key", "whsec_", base64, 20, mixed),
    shape("npm-token", "npm_", alnum, 24, varied),
    shape("pypi-token", "pypi-AgE", dashed, 16, varied),
    shape("anthropic-key", "sk-ant-", dashed, 16, mixed),
    shape("openai-key", "sk-proj-", dashed, 16, mixed),
    shape("openai-key", "sk-svcacct-", dashed, 16, mixed),
    shape("openai-key", "sk-admin-", dashed, 16, mixed),
    shape("openrouter-key", "sk-or-v1-", alnum, 16, mixed),
    shape("openai-key", "sk-", alnum, 20, mixed),
    shape("huggingface-token", "hf_", alnum, 24, cased),
    shape("huggingface-token", "api_org_", alnum, 24, cased),
    shape("twilio-key", "SK", lower_hex, 32, mixed),
    shape("sendgrid-key", "SG.", dotted, 30, mixed),
    shape("jwt", "eyJ", dotted, 24, two_parts),
    shape("private-key", "b3BlbnNzaC1rZXktdjE", base64, 16, mixed),
    shape("age-key", "AGE-SECRET-KEY-1", upper, 20, varied),
    shape("digitalocean-token", "dop_v1_", lower_hex, 20, mixed),
    shape("digitalocean-token", "doo_v1_", lower_hex, 20, mixed),
    shape("digitalocean-token", "dor_v1_", lower_hex, 20, mixed),
    shape("docker-token", "dckr_pat_", dashed, 16, mixed),
    shape("databricks-token", "dapi", lower_hex, 32, mixed),
    shape("shopify-token", "shpat_", hex, 24, mixed),
    shape("shopify-token", "shpss_", hex, 24, mixed),
    shape("shopify-token", "shpca_", hex, 24, mixed),
    shape("shopify-token", "shppa_", hex, 24, mixed),
    shape("square-token", "sq0atp-", dashed, 16, mixed),
    shape("square-token", "sq0csp-", dashed, 16, mixed),
    shape("linear-key", "lin_api_", alnum, 20, mixed),
    shape("notion-token", "ntn_", alnum, 30, mixed),
    shape("notion-token", "secret_", alnum, 40, mixed),
    shape("postman-key", "PMAK-", dashed, 30, mixed),
    shape("vault-token", "hvs.", dashed, 20, mixed),
    shape("vault-token", "hvb.", dashed, 20, mixed),
    shape("grafana-token", "glsa_", dashed, 24, mixed),
    shape("newrelic-key", "NRAK-", upper, 20, mixed),
    shape("rubygems-key", "rubygems_", lower_hex, 24, mixed),
    shape("tailscale-key", "tskey-", dashed, 16, mixed),
    shape("groq-key", "gsk_", alnum, 24, mixed),
    shape("xai-key", "xai-", alnum, 40, mixed),
    shape("replicate-token", "r8_", alnum, 30, mixed),
    shape("perplexity-key", "pplx-", alnum, 24, mixed),
    shape("atlassian-token", "ATATT3", azure, 24, mixed),
    shape("supabase-token", "sbp_", lower_hex, 24, mixed),
    shape("planetscale-token", "pscale_tkn_", dotted, 20, mixed),
    shape("planetscale-token", "pscale_pw_", dotted, 20, mixed),
    shape("sentry-token", "sntrys_", base64, 24, mixed),
    shape("sentry-token", "sntryu_", lower_hex, 24, mixed),
    shape("figma-token", "figd_", dashed, 20, mixed),
    shape("fly-token", "fm2_", base64, 30, mixed),
];

fn alnum(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
}

fn upper(byte: u8) -> bool {
    byte.is_ascii_uppercase() || byte.is_ascii_digit()
}

fn hex(byte: u8) -> bool {
    byte.is_ascii_hexdigit()
}

fn lower_hex(byte: u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'a'..=b'f')
}

fn dashed(byte: u8) -> bool {
    alnum(byte) || matches!(byte, b'-' | b'_')
}

fn dotted(byte: u8) -> bool {
    dashed(byte) || byte == b'.'
}

fn azure(byte: u8) -> bool {
    dotted(byte) || matches!(byte, b'~' | b'=')
}

fn base64(byte: u8) -> bool {
    alnum(byte) || matches!(byte, b'+' | b'/' | b'=' | b'-' | b'_')
}

fn base64_or_percent(byte: u8) -> bool {
    base64(byte) || byte == b'%'
}

fn path(byte: u8) -> bool {
    dotted(byte) || byte == b'/'
}

/// Not `xxxxxxxx` or `00000000`.
fn varied(body: &[u8]) -> bool {
    const KINDS_MIN: usize = 6;
    let mut seen = [false; 256];
    let mut kinds = 0;
    for &byte in body {
        kinds += usize::from(!seen[usize::from(byte)]);
        seen[usize::from(byte)] = true;
    }
    kinds >= KINDS_MIN
}

/// Letters and digits: not `your-key-goes-here`.
fn mixed(body: &[u8]) -> bool {
    varied(body) && body.iter().any(u8::is_ascii_digit) && body.iter().any(u8::is_ascii_alphabetic)
}

/// Small letters and capitals: not the words of an identifier.
fn cased(body: &[u8]) -> bool {
    varied(body)
        && body.iter().any(u8::is_ascii_lowercase)
        && body.iter().filter(|byte| byte.is_ascii_uppercase()).count() >= 4
}

/// A header and something signed; a header alone tells nothing.
fn two_parts(body: &[u8]) -> bool {
    const PART_BYTES_MIN: usize = 8;
    let mut parts = body.split(|&byte| byte == b'.');
    let long = |part: Option<&[u8]>| part.is_some_and(|part| part.len() >= PART_BYTES_MIN);
    long(parts.next()) && long(parts.next()) && mixed(body)
}

/// No token is longer: servers take no header beyond it. What repeats a prefix for megabytes is not read to its end each time.
const BODY_BYTES_MAX: usize = 8 * 1024;

/// One bit for each pair of bytes that begins a prefix: the one test that nearly every byte of a text has to pass.
static PAIRS: [u64; 1024] = pairs();

const fn pairs() -> [u64; 1024] {
    let mut bits = [0; 1024];
    let mut at = 0;
    while at < SHAPES.len() {
        let prefix = SHAPES[at].prefix.as_bytes();
        let pair = (prefix[0] as usize) << 8 | prefix[1] as usize;
        bits[pair / 64] |= 1 << (pair % 64);
        at += 1;
    }
    bits
}

/// Adds each token of a known shape in `text`.
pub(super) fn find(text: &[u8], found: &mut Vec<Found>) {
    for (at, pair) in text.windows(2).enumerate() {
        let pair = usize::from(pair[0]) << 8 | usize::from(pair[1]);
        if PAIRS[pair / 64] >> (pair % 64) & 1 == 1 {
            // Also inside a token that was found: something before it may have begun like another.
            found.extend(SHAPES.iter().find_map(|shape| token(shape, text, at)));
        }
    }
}

fn token(shape: &Shape, text: &[u8], at: usize) -> Option<Found> {
    let rest = text[at..].strip_prefix(shape.prefix.as_bytes())?;
    let start = at.checked_sub(shape.lead)?;
    let length = rest
        .iter()
        .take(BODY_BYTES_MAX)
        .position(|&byte| !(shape.body)(byte))
        .unwrap_or(rest.len().min(BODY_BYTES_MAX));
    let body = &rest[..length];
    // The sentence's own full stop is no part of the token.
    let body = body.strip_suffix(b".").unwrap_or(body);
    let fits = body.len() >= shape.min
        && text[start..at].iter().all(|&byte| (shape.body)(byte))
        && (shape.check)(body);
    fits.then(|| Found {
        start,
        end: at + shape.prefix.len() + body.len(),
        kind: shape.kind,
    })
}
