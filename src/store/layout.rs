//! Every string of the stored format: ref names, tree entries, the commit's message.
//!
//! A card is a commit. Its tree holds what the card says, and nothing that changes from call to call; why and as what
//! it was written (kind, trigger) stands in the message alone. So two saves of the same content have the same tree,
//! whatever event asked for them, and an event that a host fires three times leaves one card.

use crate::handoff::card::Card;
use crate::handoff::session::{Kind, Trigger};
use crate::handoff::tally;

/// The tips of our own chains: `refs/segue/<session>`.
pub(crate) const REFS: &str = "refs/segue/";
/// What fetches brought: `refs/segue-remotes/<remote>/<session>`.
pub(crate) const REMOTE_REFS: &str = "refs/segue-remotes/";
/// The notes that say at which commits cards were written.
pub(crate) const NOTES_REF: &str = "refs/notes/segue";
/// The notes that fetches brought: `refs/notes/segue-remotes/<remote>/segue`.
pub(super) const REMOTE_NOTES: &str = "refs/notes/segue-remotes/";

/// The card, versioned; what we read.
pub(crate) const CARD_JSON: &str = "card.json";
/// The card for people and agents; written, never read.
pub(crate) const CARD_MD: &str = "card.md";
/// The repository when the card was written; not there outside of one.
pub(crate) const CENSUS_JSON: &str = "census.json";
/// The chain's decisions, oldest first.
pub(crate) const DECISIONS_MD: &str = "decisions.md";
/// A summary in prose, where the writer made one.
pub(crate) const SUMMARY_MD: &str = "summary.md";

/// The work tree as a tree, where the card carries it.
pub(crate) const WORKTREE: &str = "worktree";
/// The index as a tree, where the card carries one that differs from HEAD.
pub(crate) const INDEX: &str = "index";

/// Everything in a card's tree that this version writes.
pub(super) const FILES: [&str; 7] = [
    CARD_JSON,
    CARD_MD,
    CENSUS_JSON,
    DECISIONS_MD,
    SUMMARY_MD,
    WORKTREE,
    INDEX,
];

/// The session's ref name.
pub(crate) const SESSION: &str = "Segue-Session";
/// The host's name.
pub(crate) const HOST: &str = "Segue-Host";
/// What the commit is.
pub(crate) const KIND: &str = "Segue-Kind";
/// Why it was written.
pub(crate) const TRIGGER: &str = "Segue-Trigger";
/// The commit that HEAD was.
pub(crate) const HEAD: &str = "Segue-Head";
/// The branch that was checked out.
pub(crate) const BRANCH: &str = "Segue-Branch";
/// `rules`, `hand`, or the model's name.
pub(crate) const WRITER: &str = "Segue-Writer";
/// How many claims that can be looked at were confirmed, unconfirmed, refuted: `3 confirmed, 1 refuted`.
pub(crate) const VERDICTS: &str = "Segue-Verdicts";
/// The session and the card that this chain goes on from, with a blank between them.
pub(crate) const CONTINUES: &str = "Segue-Continues";

/// How wide a subject may be, in columns of a terminal.
const SUBJECT_COLUMNS_MAX: usize = 60;

/// The ref of a session's chain.
pub(super) fn ref_name(session: &str) -> String {
    format!("{REFS}{session}")
}

/// The ref of a session that was fetched from a remote.
pub(crate) fn remote_ref_name(remote: &str, session: &str) -> String {
    format!("{REMOTE_REFS}{remote}/{session}")
}

/// The ref of the notes that were fetched from a remote: below its name, so that no remote's refspec covers another's.
pub(crate) fn remote_notes_ref(remote: &str) -> String {
    format!("refs/notes/segue-remotes/{remote}/segue")
}

/// What a fetch from a remote asks for; a part that the remote does not have fails nothing.
pub(crate) fn fetch_specs(remote: &str) -> [String; 2] {
    [
        format!("+{REFS}*:{}", remote_ref_name(remote, "*")),
        format!("+{NOTES_REF}*:{}*", remote_notes_ref(remote)),
    ]
}

/// A commit's message: the goal, and the trailers.
pub(super) fn message(card: &Card) -> String {
    let from = &card.provenance;
    let census = card.census.as_ref();
    let continues = from
        .continues
        .as_ref()
        .map(|on| format!("{} {}", on.session.ref_name(), on.card));
    let verdicts = tally::of(card).to_string();
    let trailers = [
        (SESSION, Some(from.session.ref_name())),
        (HOST, Some(from.host.as_str())),
        (KIND, Some(from.kind.as_str())),
        (TRIGGER, Some(from.trigger.as_str())),
        (HEAD, census.and_then(|one| one.head.as_deref())),
        (BRANCH, census.and_then(|one| one.branch.as_deref())),
        (WRITER, Some(card.writer.name())),
        (VERDICTS, Some(verdicts.as_str())),
        (CONTINUES, continues.as_deref()),
    ];
    let mut message = subject(card.goal()) + "\n";
    message.push_str(&render_trailers(
        trailers
            .into_iter()
            .filter_map(|(key, value)| Some((key, value?))),
    ));
    message
}

/// A line of the note on the commit that a card was written at.
pub(super) fn note_line(card: &Card, id: &str) -> String {
    format!(
        "{id} {} {} {}",
        card.provenance.session.short(),
        card.provenance.trigger.as_str(),
        subject(card.goal())
    )
}

/// A text as one line without control characters, cut at [`SUBJECT_COLUMNS_MAX`].
pub(super) fn subject(text: &str) -> String {
    let line = one_line(text);
    if line.is_empty() {
        return "(no goal)".to_owned();
    }
    if line.chars().map(columns).sum::<usize>() <= SUBJECT_COLUMNS_MAX {
        return line;
    }
    let mut cut = String::new();
    // One column is the mark's.
    let mut left = SUBJECT_COLUMNS_MAX - 1;
    for c in line.chars() {
        match left.checked_sub(columns(c)) {
            Some(rest) => left = rest,
            None => break,
        }
        cut.push(c);
    }
    format!("{}…", cut.trim_end())
}

/// Trailers as git writes them: a blank line, then one `Key: value` a line; a value of nothing is left out.
fn render_trailers<'t>(trailers: impl Iterator<Item = (&'t str, &'t str)>) -> String {
    let lines = trailers
        .map(|(key, value)| (key, one_line(value)))
        .filter(|(_, value)| !value.is_empty())
        .map(|(key, value)| format!("{key}: {value}\n"));
    std::iter::once("\n".to_owned()).chain(lines).collect()
}

/// The trailers of a message, in order. Total: a message without any has none.
pub(super) fn trailers(message: &str) -> Vec<(String, String)> {
    let last = message.trim_end().rsplit("\n\n").next().unwrap_or_default();
    if last.len() == message.trim_end().len() {
        return Vec::new();
    }
    last.lines()
        .filter_map(|line| line.split_once(": "))
        .filter(|(key, _)| key.starts_with("Segue-"))
        .map(|(key, value)| (key.to_owned(), value.trim().to_owned()))
        .collect()
}

/// The value of one trailer.
pub(super) fn trailer<'t>(trailers: &'t [(String, String)], key: &str) -> Option<&'t str> {
    let found = trailers.iter().find(|(name, _)| name == key);
    found.map(|(_, value)| value.as_str())
}

/// What a commit is and why it was written; a kind or trigger that this version does not know counts as a real card
/// written by hand, which is never replaced.
pub(super) fn kind_and_trigger(trailers: &[(String, String)]) -> (Kind, Trigger) {
    (
        trailer(trailers, KIND)
            .and_then(Kind::parse)
            .unwrap_or(Kind::Card),
        trailer(trailers, TRIGGER)
            .and_then(Trigger::parse)
            .unwrap_or(Trigger::Manual),
    )
}

/// A text in one line: every run of blanks and control characters is one blank, invisible marks are gone.
fn one_line(text: &str) -> String {
    let shown: String = text
        .chars()
        .filter(|c| !is_invisible(*c))
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    shown.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Marks that turn the direction of a line around or hide in it.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

/// How many columns a terminal gives a character: two for those of East Asia and for pictures.
fn columns(c: char) -> usize {
    let wide = matches!(c,
        '\u{1100}'..='\u{115f}' | '\u{2e80}'..='\u{a4cf}' | '\u{ac00}'..='\u{d7a3}' | '\u{f900}'..='\u{faff}'
        | '\u{fe30}'..='\u{fe6f}' | '\u{ff00}'..='\u{ff60}' | '\u{ffe0}'..='\u{ffe6}' | '\u{1f300}'..='\u{1faff}'
        | '\u{20000}'..='\u{3fffd}');
    if wide { 2 } else { 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_subject_is_one_plain_line_of_at_most_sixty_columns() {
        for (text, expect) in [
            ("Add\ta\nflag", "Add a flag".to_owned()),
            ("\u{202e}\u{1b}[31mred", "[31mred".to_owned()),
            (" \n ", "(no goal)".to_owned()),
            (&"a".repeat(60), "a".repeat(60)),
            (&"a".repeat(61), "a".repeat(59) + "…"),
            (&"木".repeat(31), "木".repeat(29) + "…"),
        ] {
            assert_eq!(subject(text), expect);
        }
    }

    #[test]
    fn trailers_are_read_from_the_last_paragraph_alone() {
        let message = "Segue-Kind: not this\n\nSegue-Kind: card\nSegue-Head: 12\nnoise\n";
        let read = trailers(message);
        assert_eq!(trailer(&read, KIND), Some("card"));
        assert_eq!(trailer(&read, HEAD), Some("12"));
        assert_eq!(read.len(), 2);
        assert_eq!(trailers("Segue-Kind: card"), []);
        assert_eq!(trailers(""), []);
    }

    #[test]
    fn an_unknown_kind_is_never_replaced() {
        let newer = trailers("x\n\nSegue-Kind: epic\nSegue-Trigger: moon\n");
        assert_eq!(kind_and_trigger(&newer), (Kind::Card, Trigger::Manual));
    }

    proptest::proptest! {
        #[test]
        fn trailers_come_back_as_one_line_each(values in proptest::collection::vec(".*", 0..4)) {
            let keys = [SESSION, HOST, HEAD, BRANCH];
            let given: Vec<_> = keys.into_iter().zip(values.iter().map(String::as_str)).collect();
            let message = "subject\n".to_owned() + &render_trailers(given.iter().copied());
            let expect: Vec<_> = given
                .iter()
                .map(|(key, value)| ((*key).to_owned(), one_line(value)))
                .filter(|(_, value)| !value.is_empty())
                .collect();
            proptest::prop_assert_eq!(trailers(&message), expect);
        }

        #[test]
        fn any_message_is_read(text in "(.|\n)*") {
            trailers(&text);
        }
    }
}
