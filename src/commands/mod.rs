//! One file a verb: it parses, calls, and prints. What a verb decides is decided on a floor below.

use std::path::PathBuf;
use std::time::Duration;

use crate::deadline::Deadline;
use crate::error::{Failure, Kind};
use crate::handoff::card::Stored;
use crate::handoff::session::SessionId;
use crate::pick::{self, Asker, Picked, Reach};
use crate::place::{Make, Place};
use crate::restore::{self, Now};
use crate::settings::Env;
use crate::store::Store;
use crate::ui::{Ink, Line, Look, Ui};

mod audit;
mod decide;
mod decisions;
mod demo;
mod doctor;
mod fetch;
mod forget;
pub(crate) mod hook;
mod import;
mod init;
mod input;
mod json;
mod list;
mod log;
mod prune;
mod push;
mod resume;
mod save;
mod show;
mod shown;
mod stats;
mod status;
pub(crate) mod statusline;
mod verify;

/// How long a person may wait for the repository to be looked at.
const PATIENCE: Duration = Duration::from_secs(20);
/// How long a person may wait for a remote.
const TRANSFER_TIME_MAX: Duration = Duration::from_secs(10 * 60);

/// Every verb of the command line; the doc comment is its help.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Verb {
    /// Show the card that would be given back, and how fresh it is
    Status(status::Args),
    /// Write a card now
    Save(save::Args),
    /// Print what an agent needs to go on from a card
    Resume(resume::Args),
    /// Show the cards of a session, newest first
    Log(log::Args),
    /// Show one card as it was written and as it stands now
    Show(show::Args),
    /// List the sessions that have cards
    List(list::Args),
    /// Judge a card against the repository as it is now
    Verify(verify::Args),
    /// Record a decision, or take one back
    Decide(decide::Args),
    /// List the decisions of a session, newest first
    Decisions(decisions::Args),
    /// Send our cards to a remote
    Push(push::Args),
    /// Bring the cards of a remote here, beside ours
    Fetch(fetch::Args),
    /// Fetch, and take what is trusted into our own chains
    Pull(fetch::Args),
    /// Look for secrets in what is stored
    Audit(audit::Args),
    /// Take a card, a session or a text out of every chain
    Forget(forget::Args),
    /// Drop old sessions whole
    Prune(prune::Args),
    /// Play the main job on a recorded conversation
    Demo(demo::Args),
    /// Sum up what the hooks saved and gave, by day and by session
    Stats(stats::Args),
    /// Print one line for a host's status line, from its status JSON
    Statusline(statusline::Args),
    /// Take in the handoffs that other tools left behind
    Import(import::Args),
    /// Wire the hooks of a host, or take them out
    Init(init::Args),
    /// Say whether the hooks are wired and run, and what mends them
    Doctor(doctor::Args),
}

impl Verb {
    /// The verb that goes without saying.
    pub(crate) fn status(exit_code: bool, json: bool) -> Self {
        Self::Status(status::Args::new(exit_code, json))
    }
}

/// How a verb ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    /// Done, or the answer is yes.
    Yes,
    /// The answer is no, and it has been said.
    No,
}

/// What every verb works with.
pub(crate) struct Context<'u> {
    /// What the environment says.
    env: Env,
    /// The folder to work in, after every `-C`.
    dir: PathBuf,
    /// The printer.
    ui: &'u mut Ui,
}

impl<'u> Context<'u> {
    /// Each of `dirs` is seen from the one before, as git does.
    pub(crate) fn new(env: Env, dirs: &[PathBuf], ui: &'u mut Ui) -> Self {
        let dir = dirs
            .iter()
            .fold(env.cwd.clone(), |dir, next| dir.join(next));
        Self { env, dir, ui }
    }

    /// Where the cards of the current folder are. From here on the answer looks as git's config says.
    fn place(&mut self, make: Make) -> anyhow::Result<Place> {
        let place = Place::find(&self.env, &self.dir, make)?.ok_or_else(|| {
            Failure::fatal("not in a git repository, and no card was kept outside of one")
                .hint("`git segue save` keeps one here")
        })?;
        self.ui.set_look(|look| {
            let config = |key| place.repo.config(key);
            look.color = config("color.segue").or_else(|| config("color.ui"));
            look.color_pager = config("color.pager");
            look.pager = Look::choose_pager(
                config("pager.segue"),
                self.env.git_pager.clone(),
                config("core.pager"),
                self.env.pager.clone(),
            );
        });
        Ok(place)
    }

    /// Who asks, from which work tree.
    fn asker(&self, place: &Place, reach: Reach) -> Asker {
        Asker {
            session: self.env.session.as_deref().map(SessionId::new),
            root: place.root(&self.dir),
            reach,
        }
    }

    /// The card that is meant, in this session or work tree.
    fn card(&self, place: &Place, spec: Option<&str>) -> anyhow::Result<Picked> {
        pick::card(place, spec, &self.asker(place, Reach::Worktree))
    }

    /// Says which card was taken where a session asks for its own and has none.
    fn remark(&mut self, remark: Option<String>) {
        if let Some(remark) = remark.filter(|_| self.env.session.is_some()) {
            self.ui
                .say(&Line::new().ink(Ink::Faint, format!("taking {remark}")));
        }
    }

    /// The newest card that was fetched, for when none is here: what goes without saying to this caller.
    fn fetched(&self, place: &Place) -> anyhow::Result<Option<Stored>> {
        let is_agent = self.env.session.is_some();
        let unknown = SessionId::unknown();
        let index = place.state.tips_index();
        Store::new(&place.repo)
            .newest_fetched(&index, |tip| !is_agent || tip.session != unknown.ref_name())
    }

    /// A card seen from now.
    fn look(&self, place: &Place, stored: &Stored) -> Now {
        let deadline = Deadline::after(PATIENCE);
        restore::look(place, stored, self.env.git.now, deadline)
    }
}

/// That there is none is an answer, too.
fn if_any<T>(found: anyhow::Result<T>) -> anyhow::Result<Option<T>> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(err) if is_no(&err) => Ok(None),
        Err(err) => Err(err),
    }
}

/// Whether an error says that there is none.
fn is_no(err: &anyhow::Error) -> bool {
    let failure = err.downcast_ref::<Failure>();
    failure.is_some_and(|one| one.kind == Kind::No)
}

/// Runs one verb.
pub(crate) fn run(verb: &Verb, cx: &mut Context<'_>) -> anyhow::Result<Ending> {
    match verb {
        Verb::Status(args) => status::run(args, cx),
        Verb::Save(args) => save::run(args, cx),
        Verb::Resume(args) => resume::run(args, cx),
        Verb::Log(args) => log::run(args, cx),
        Verb::Show(args) => show::run(args, cx),
        Verb::List(args) => list::run(args, cx),
        Verb::Verify(args) => verify::run(args, cx),
        Verb::Decide(args) => decide::run(args, cx),
        Verb::Decisions(args) => decisions::run(args, cx),
        Verb::Push(args) => push::run(args, cx),
        Verb::Fetch(args) => fetch::run(args, cx, fetch::Then::Keep),
        Verb::Pull(args) => fetch::run(args, cx, fetch::Then::TakeIn),
        Verb::Audit(args) => audit::run(args, cx),
        Verb::Forget(args) => forget::run(args, cx),
        Verb::Prune(args) => prune::run(args, cx),
        Verb::Demo(args) => demo::run(args, cx),
        Verb::Stats(args) => stats::run(args, cx),
        Verb::Statusline(args) => {
            statusline::run(args, &cx.env, &cx.dir);
            Ok(Ending::Yes)
        }
        Verb::Import(args) => import::run(args, cx),
        Verb::Init(args) => init::run(args, cx),
        Verb::Doctor(args) => doctor::run(args, cx),
    }
}

/// What the environment says about colour and pager.
pub(crate) fn look(env: &Env) -> Look {
    Look {
        no_color: env.no_color,
        behind_pager: env.behind_pager,
        dumb: env.term.as_deref().is_none_or(|term| term == "dumb"),
        pager: Look::choose_pager(None, env.git_pager.clone(), None, env.pager.clone()),
        // Quit where it fits on one screen, keep colours, leave it standing: git's own choice.
        pager_env: if env.less {
            Vec::new()
        } else {
            vec![("LESS", "FRX")]
        },
        ..Look::default()
    }
}
