//! What can be wrong with a request to pack beyond what the library finds.

use std::path::PathBuf;

use loadline::{Diagnose, Fault};

/// Why a pack is refused.
#[derive(Debug, thiserror::Error)]
pub(super) enum Refusal {
    #[error("--open {:?}: no such file", path.display().to_string())]
    NoOpenFile { path: PathBuf, nearest: Option<PathBuf> },
    #[error("no such file or directory: {:?}", path.display().to_string())]
    NotHere { path: PathBuf },
    #[error("--files-from {}: none of the files listed exists", list.display())]
    NothingListed { list: PathBuf },
    #[error("cannot fetch {url}: {reason}")]
    NoRemote { url: String, reason: String },
    #[error("--since-pack {id}: no such pack of this directory is remembered")]
    NoEarlierPack { id: String },
    #[error("--pick needs a terminal")]
    NoPicker,
    #[error("--split needs a file to write to, in markdown")]
    NotSplit,
    #[error("--split {most}: a part needs at least {smallest} tokens")]
    SplitTooSmall { most: u64, smallest: u64 },
    #[error(
        "the header, the log and the instructions need {needed} tokens; the budget is {budget}"
    )]
    AroundOverBudget { needed: u64, budget: u64 },
}

impl Diagnose for Refusal {
    fn code(&self) -> &'static str {
        match self {
            Refusal::NoOpenFile { .. } => "LL-CLI-034",
            Refusal::NotHere { .. } => "LL-CTX-004",
            Refusal::NoRemote { .. } => "LL-CLI-035",
            Refusal::NoPicker => "LL-CLI-036",
            Refusal::NotSplit => "LL-CLI-037",
            Refusal::NothingListed { .. } => "LL-CLI-038",
            Refusal::SplitTooSmall { .. } => "LL-CLI-039",
            Refusal::NoEarlierPack { .. } => "LL-CLI-040",
            Refusal::AroundOverBudget { .. } => "LL-CTX-003",
        }
    }

    fn fault(&self) -> Fault {
        match self {
            Refusal::NoRemote { .. } | Refusal::NotHere { .. } => Fault::Operation,
            _ => Fault::Usage,
        }
    }

    fn hint(&self) -> Option<String> {
        Some(match self {
            Refusal::NoOpenFile { nearest: Some(nearest), .. } => {
                format!("did you mean {}?", nearest.display())
            }
            Refusal::NoOpenFile { .. } => {
                "check the spelling; paths start at the current directory".to_owned()
            }
            Refusal::NotHere { .. } => {
                "check the spelling; for a repository on GitHub add --remote".to_owned()
            }
            Refusal::NothingListed { .. } => {
                "list one path per line, from the current directory".to_owned()
            }
            Refusal::NoRemote { .. } => {
                "check the address, the name after @ and your access to it".to_owned()
            }
            Refusal::NoEarlierPack { .. } => {
                "use the id that `loadline pack` printed at its end, or last".to_owned()
            }
            Refusal::NoPicker => "run it in a terminal, or choose with --include GLOB".to_owned(),
            Refusal::NotSplit => {
                "add -o FILE, and leave out --json, --format and --template".to_owned()
            }
            Refusal::SplitTooSmall { smallest, .. } => format!("use --split {smallest} or more"),
            Refusal::AroundOverBudget { needed, .. } => format!("raise --budget above {needed}"),
        })
    }
}
