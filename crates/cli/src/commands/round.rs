//! `loadline round`: what one round of an analysis hands to the next, and what it used.

pub(super) mod compress;
pub(super) mod usage;

group! {
    /// Hand results from one round of an analysis to the next, and report usage.
    RoundArgs, RoundCommand {
        Compress(compress::CompressArgs) => compress::run,
        Usage(usage::UsageArgs) => usage::run,
    }
}
