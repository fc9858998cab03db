//! The journey of what other tools left behind: files told by their layout → drafts → cards on the chains of their
//! sessions, oldest first, each once.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::Context;

use crate::handoff::card::{Card, Draft, Frame, Provenance, Writer};
use crate::handoff::claim::{Section, Verdict};
use crate::handoff::decision::DecisionLog;
use crate::handoff::foreign::{self, Clock, Foreign, Layout};
use crate::handoff::redact::Redactor;
use crate::handoff::session::{Kind, SessionId, Trigger};
use crate::place::Place;
use crate::secrets;
use crate::store::Store;

/// The host that these tools serve.
const HOST: &str = "claude-code";
/// A larger file is no handoff, in bytes.
const FILE_BYTES_MAX: u64 = 1024 * 1024;
/// Folders are walked this deep.
const FOLDERS_DEEP_MAX: usize = 12;
/// So many files are looked at.
const FILES_MAX: usize = 20_000;

/// What came of one file.
#[derive(Debug)]
pub(crate) struct Arrival {
    /// The file, as it was found.
    pub(crate) path: PathBuf,
    /// What came of it.
    pub(crate) fate: Fate,
}

/// What comes of a file.
#[derive(Debug)]
pub(crate) enum Fate {
    /// It is a card now; in a dry run it would be.
    Imported(Entry),
    /// It is on its chain already.
    Known(Entry),
    /// It was left out, and why.
    Skipped(String),
}

/// A card that came from a file.
#[derive(Debug)]
pub(crate) struct Entry {
    /// What the file is.
    pub(crate) layout: Layout,
    /// The chain.
    pub(crate) session: SessionId,
    /// The file's moment, in seconds since 1970 UTC.
    pub(crate) at: i64,
    /// The goal, or what stands for one.
    pub(crate) goal: String,
    /// The card's commit in hex; none in a dry run and where it was known.
    pub(crate) card: Option<String>,
}

/// How an import is made.
pub(crate) struct Import<'i> {
    /// Store nothing.
    pub(crate) dry_run: bool,
    /// The environment's variables, for finding their values in text.
    pub(crate) variables: &'i [(String, String)],
}

/// A file that was read.
struct Read {
    path: PathBuf,
    foreign: Foreign,
    at: i64,
    redactions: BTreeMap<String, u32>,
}

/// Imports files, and the files in folders. What came of each is told in the order in which it was taken: what cannot be
/// read first, then by date.
pub(crate) fn run(
    place: &mut Place,
    paths: &[PathBuf],
    import: &Import<'_>,
) -> anyhow::Result<Vec<Arrival>> {
    let redactor = secrets::redactor(
        import.variables,
        place.census_repo(),
        &place.settings.redact,
    );
    let utc_offset = place.repo.env().utc_offset;
    let mut arrivals = Vec::new();
    let mut reads = Vec::new();
    for path in files(paths)? {
        match read(&path, &redactor, utc_offset) {
            Ok(one) => reads.push(one),
            Err(why) => arrivals.push(Arrival {
                path,
                fate: Fate::Skipped(why),
            }),
        }
    }
    reads.sort_by(|one, other| (one.at, &one.path).cmp(&(other.at, &other.path)));
    for one in reads {
        let path = one.path.clone();
        let fate = take(place, one, import.dry_run)
            .with_context(|| format!("cannot import `{}`", path.display()))?;
        arrivals.push(Arrival { path, fate });
    }
    Ok(arrivals)
}

/// Every file that is named, and every Markdown file under a folder that is, each once. Links in folders are not followed.
fn files(paths: &[PathBuf]) -> anyhow::Result<BTreeSet<PathBuf>> {
    let mut files = BTreeSet::new();
    for path in paths {
        let full = path
            .canonicalize()
            .with_context(|| format!("cannot read `{}`", path.display()))?;
        let mut waiting = vec![(full, 0)];
        while let Some((path, deep)) = waiting.pop() {
            if !path.is_dir() {
                files.insert(path);
                continue;
            }
            let entries = std::fs::read_dir(&path)
                .with_context(|| format!("cannot read `{}`", path.display()))?;
            for entry in entries.flatten() {
                let Ok(kind) = entry.file_type() else {
                    continue;
                };
                let below = entry.path();
                let is_markdown = below.extension().is_some_and(|end| end == "md");
                if kind.is_dir() && entry.file_name() != ".git" && deep < FOLDERS_DEEP_MAX {
                    waiting.push((below, deep + 1));
                } else if kind.is_file() && is_markdown && files.len() < FILES_MAX {
                    files.insert(below);
                }
            }
        }
    }
    Ok(files)
}

/// Reads one file; its secrets are gone before anything else is made of it.
fn read(path: &Path, redactor: &Redactor, utc_offset: i32) -> Result<Read, String> {
    let meta = path.metadata().map_err(|err| err.to_string())?;
    if meta.len() > FILE_BYTES_MAX {
        return Err(format!("larger than {FILE_BYTES_MAX} bytes"));
    }
    let bytes = std::fs::read(path).map_err(|err| err.to_string())?;
    let mut redactions = BTreeMap::new();
    let text = redactor.clean(&String::from_utf8_lossy(&bytes), &mut redactions);
    let written = meta.modified().ok();
    let written = written.and_then(|at| at.duration_since(std::time::UNIX_EPOCH).ok());
    let clock = Clock {
        written: written.map_or(0, |at| i64::try_from(at.as_secs()).unwrap_or(0)),
        utc_offset,
    };
    let foreign = foreign::read(path, &text, clock).ok_or("no layout that is known")?;
    Ok(Read {
        path: path.to_owned(),
        at: foreign.at.unwrap_or(clock.written),
        foreign,
        redactions,
    })
}

fn take(place: &mut Place, read: Read, dry_run: bool) -> anyhow::Result<Fate> {
    let state = place.state.clone();
    state.saving(|| take_now(place, read, dry_run))
}

fn take_now(place: &mut Place, read: Read, dry_run: bool) -> anyhow::Result<Fate> {
    let Read {
        mut foreign,
        at,
        redactions,
        ..
    } = read;
    let session = foreign
        .session
        .as_deref()
        .filter(|id| *id != SessionId::unknown().ref_name())
        .map_or_else(SessionId::unknown, SessionId::new);
    let tip = Store::new(&place.repo).tip(&session)?;
    if let Some(tip) = &tip {
        // The same choice is told by several files of a session.
        let log = tip.card.decisions.all();
        let decisions = &mut foreign.draft.decisions;
        decisions.retain(|one| log.iter().all(|old| old.what != one.what));
    }
    let mut entry = Entry {
        layout: foreign.layout,
        session: session.clone(),
        at,
        goal: goal(&foreign.draft),
        card: None,
    };
    let (card, moment) = if foreign.layout == Layout::Decisions {
        if foreign.draft.decisions.is_empty() {
            return Ok(Fate::Known(entry));
        }
        let newest = tip.as_ref().map_or(at, |tip| tip.at.max(at));
        let mut card = match tip {
            Some(tip) => tip.card,
            None => card(&session, &foreign, Draft::default(), redactions),
        };
        card.provenance.kind = Kind::Decision;
        card.provenance.trigger = Trigger::Manual;
        for decision in foreign.draft.decisions {
            card.decisions.add(decision);
        }
        (card, newest)
    } else {
        let card = card(&session, &foreign, foreign.draft.clone(), redactions);
        if Store::new(&place.repo).holds(&card)? {
            return Ok(Fate::Known(entry));
        }
        if tip.is_some_and(|tip| tip.at > at) {
            let why = format!("session {} has newer cards", session.short());
            return Ok(Fate::Skipped(why));
        }
        (card, at)
    };
    if !dry_run {
        place.repo.set_moment(moment);
        let store = Store::new(&place.repo).signing(place.settings.sign);
        entry.card = Some(store.append(&card, None)?.id);
    }
    Ok(Fate::Imported(entry))
}

/// A card of what a file says. Nobody has checked it when it was written, and what is there now says nothing about then.
fn card(
    session: &SessionId,
    foreign: &Foreign,
    draft: Draft,
    redactions: BTreeMap<String, u32>,
) -> Card {
    let frame = Frame {
        provenance: Provenance {
            session: session.clone(),
            host: HOST.to_owned(),
            kind: Kind::Card,
            trigger: foreign.trigger,
            instructions: None,
            transcript: None,
            cwd: foreign.cwd.clone(),
            repository: None,
            continues: None,
        },
        writer: Writer::Hand,
        decisions: DecisionLog::default(),
        subagents: Vec::new(),
        census: None,
        redactions,
    };
    Card::judge(draft, frame, |_, _| {
        Verdict::Unconfirmed(Some("imported".to_owned()))
    })
}

fn goal(draft: &Draft) -> String {
    let goal = draft.sections.of(Section::Goal).first();
    match (goal, draft.decisions.len()) {
        (Some(claim), _) => claim.text.clone(),
        (None, 1) => "1 decision".to_owned(),
        (None, n) => format!("{n} decisions"),
    }
}
