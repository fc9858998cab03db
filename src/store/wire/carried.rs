//! What a card carries, in `census.json`, version 1. The trees themselves are entries of the card's tree.

use serde::{Deserialize, Serialize};

use super::census::each;
use crate::handoff::carried::{Carried, LeftOut};

/// What a card carries, as it is stored.
#[derive(Serialize, Deserialize)]
pub(super) struct CarriedV1 {
    files: usize,
    #[serde(default)]
    staged: usize,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    intended: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    left_out: Vec<LeftOutV1>,
    #[serde(default)]
    more_left_out: usize,
}

#[derive(Serialize, Deserialize)]
struct LeftOutV1 {
    path: String,
    why: String,
}

impl From<Carried> for CarriedV1 {
    fn from(carried: Carried) -> Self {
        Self {
            files: carried.files,
            staged: carried.staged,
            intended: carried.intended,
            left_out: each(carried.left_out, |one| LeftOutV1 {
                path: one.path,
                why: one.why,
            }),
            more_left_out: carried.more_left_out,
        }
    }
}

impl From<CarriedV1> for Carried {
    fn from(stored: CarriedV1) -> Self {
        Self {
            tree: String::new(),
            index: None,
            files: stored.files,
            staged: stored.staged,
            intended: stored.intended,
            left_out: each(stored.left_out, |one| LeftOut {
                path: one.path,
                why: one.why,
            }),
            more_left_out: stored.more_left_out,
        }
    }
}
