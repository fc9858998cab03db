//! Random dirt: whatever a few edits make of a small repository comes back on the other machine.

use proptest::prelude::*;

use super::ground::{
    apply, at_one_commit, carried_over, index, link, picture, remove, set_runs, status,
};
use crate::support::sound::assert_sound;
use crate::support::world::World;

/// Few names, so that files, folders and links meet.
const NAMES: [&str; 7] = ["a", "b", "c/d", "c/e", "f/g/h", "f/i", "c"];

/// One thing that a person does.
#[derive(Debug, Clone)]
enum Deed {
    Write(usize, u8),
    Link(usize, u8),
    Runs(usize, bool),
    Remove(usize),
    Stage(usize),
    StageAll,
    Unstage(usize),
    Intend(usize),
}

fn deed() -> impl Strategy<Value = Deed> {
    let name = 0..NAMES.len();
    prop_oneof![
        4 => (name.clone(), any::<u8>()).prop_map(|(name, content)| Deed::Write(name, content)),
        1 => (name.clone(), any::<u8>()).prop_map(|(name, content)| Deed::Link(name, content)),
        1 => (name.clone(), any::<bool>()).prop_map(|(name, runs)| Deed::Runs(name, runs)),
        2 => name.clone().prop_map(Deed::Remove),
        3 => name.clone().prop_map(Deed::Stage),
        1 => Just(Deed::StageAll),
        1 => name.clone().prop_map(Deed::Unstage),
        1 => name.prop_map(Deed::Intend),
    ]
}

/// Does it where it can be done.
fn act(world: &World, deed: &Deed) {
    let path = |name: usize| world.dir().join(NAMES[name]);
    let room = |name: usize| {
        let mut above = std::path::Path::new(NAMES[name]).ancestors().skip(1);
        let blocked = above.any(|dir| {
            let meta = world.dir().join(dir).symlink_metadata();
            meta.is_ok_and(|meta| !meta.is_dir())
        });
        let meta = path(name).symlink_metadata();
        if meta.as_ref().is_ok_and(|meta| !meta.is_file()) {
            remove(world, NAMES[name]);
        }
        !blocked
    };
    match deed {
        Deed::Write(name, content) if room(*name) => {
            world.write(NAMES[*name], format!("{content}\r\nend\n"));
        }
        Deed::Link(name, content) if room(*name) => {
            std::fs::create_dir_all(path(*name).parent().unwrap()).unwrap();
            link(world, &format!("to{content}"), NAMES[*name]);
        }
        Deed::Runs(name, runs)
            if path(*name)
                .symlink_metadata()
                .is_ok_and(|meta| meta.is_file()) =>
        {
            set_runs(world, NAMES[*name], *runs);
        }
        Deed::Remove(name) if path(*name).symlink_metadata().is_ok() => remove(world, NAMES[*name]),
        Deed::Stage(name) => drop(world.try_git(&["add", "--all", "--", NAMES[*name]])),
        Deed::StageAll => drop(world.git(&["add", "--all"])),
        Deed::Unstage(name) => drop(world.try_git(&["reset", "--quiet", "--", NAMES[*name]])),
        Deed::Intend(name) => drop(world.try_git(&["add", "--intent-to-add", "--", NAMES[*name]])),
        _ => {}
    }
}

/// What git calls the empty blob.
const EMPTY_BLOB: &str = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391";

/// A path that was only announced (`add --intent-to-add`) and whose file is gone again: there is nothing of it to carry, so
/// it does not come back. A committed empty file that was deleted looks the same.
fn is_announced_and_gone(line: &str) -> bool {
    line.starts_with("1 .D ") && line.matches(EMPTY_BLOB).count() == 2
}

/// The index, but for the mode of what was only announced: that is as the file was then, and when it comes back as it is.
fn index_of_content(world: &World) -> String {
    let status = status(world);
    let announced = |path: &str| {
        let mut lines = status.lines().filter(|line| line.starts_with("1 .A "));
        lines.any(|line| line.ends_with(&format!(" {path}")))
    };
    let lines = index(world);
    let lines = lines.lines().map(|line| match line.split_once('\t') {
        Some((facts, path)) if announced(path) => {
            let (tag, rest) = facts.split_once(' ').unwrap();
            format!("{tag} {}\t{path}", rest.split_once(' ').unwrap().1)
        }
        _ => line.to_owned(),
    });
    lines.collect::<Vec<_>>().join("\n")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn any_dirt_comes_back(
        first in proptest::collection::vec(deed(), 1..8),
        then in proptest::collection::vec(deed(), 1..12)
    ) {
        let mut clones = at_one_commit(|world| first.iter().for_each(|deed| act(world, deed)));
        let world = clones.on("repo");
        then.iter().for_each(|deed| act(world, deed));
        if status(world).is_empty() || status(world).lines().any(is_announced_and_gone) {
            return Ok(());
        }
        carried_over(&mut clones);
        apply(&mut clones, &["--index"]).ok();
        let world = clones.on("repo");
        let there = (picture(world.dir()), status(world), index_of_content(world));
        let world = clones.on("other");
        let here = (picture(world.dir()), status(world), index_of_content(world));
        prop_assert_eq!(here, there);
        assert_sound(world);
    }
}
