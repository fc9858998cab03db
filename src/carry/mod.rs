//! The uncommitted work that travels with a card: gathered into trees beside it, and brought back into a work tree.
//!
//! A carried tree is HEAD's tree with the paths that differ, so that it costs what is dirty. Files are read once, as git
//! would store them (line endings, encodings, the person's own clean filters), looked through for secrets, and only then
//! written as blobs: nothing that is found to be secret becomes an object, even when it changes while it is read. The
//! person's index and work tree are only read.

mod gather;
mod index;
mod merge;
mod plan;
mod write;

pub(crate) use gather::{Ground, Store, gather};
pub(crate) use index::{IndexPlan, plan_index, put_index};
pub(crate) use merge::{index_tree, merge};
pub(crate) use plan::{Plan, plan};
pub(crate) use write::write;
