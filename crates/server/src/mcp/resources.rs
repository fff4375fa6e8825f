//! Resources: packs that were kept, and what was cut from sessions.

use loadline::session::{RecallTarget, recall_handles};
use loadline::tokens::Tokens;
use rmcp::model::{Resource, ResourceContents, ResourceTemplate};

use super::State;
use super::answer::ToolError;
use super::arguments::MOST_TOKENS;
use super::job::Job;
use super::page::Block;

const PACK: &str = "loadline://pack/";
const RECALL: &str = "loadline://recall/";

/// Cut pieces of the newest session that are listed.
const LISTED: usize = 50;

/// The address of a pack.
pub(super) fn pack_uri(handle: &str) -> String {
    format!("{PACK}{handle}")
}

/// The handle in an address of ours.
pub(super) fn handle_of(text: &str) -> Option<&str> {
    let text = text.trim();
    text.strip_prefix(PACK).or(text.strip_prefix(RECALL))
}

/// Describes the addresses that can be read.
pub(super) fn templates() -> Vec<ResourceTemplate> {
    vec![
        ResourceTemplate::new(format!("{PACK}{{handle}}"), "pack")
            .with_description("A pack that was too large for an answer.")
            .with_mime_type("text/markdown"),
        ResourceTemplate::new(format!("{RECALL}{{handle}}"), "recall")
            .with_description("Content cut from a session, by handle or handle:turn.")
            .with_mime_type("text/plain"),
    ]
}

/// Lists the packs of this server, and what was cut from the newest session.
pub(super) fn list(state: &State) -> Vec<Resource> {
    let packs = state.packs().into_iter().map(|pack| {
        Resource::new(pack_uri(&pack.handle), format!("pack {}", pack.handle))
            .with_description(pack.about)
            .with_mime_type("text/markdown")
            .with_size(pack.size)
    });
    let cut = cut_pieces(state).into_iter().map(|handle| {
        Resource::new(format!("{RECALL}{handle}"), format!("recall {handle}"))
            .with_description("Content cut from the newest session of this project.")
            .with_mime_type("text/plain")
    });
    packs.chain(cut).collect()
}

/// The handles that the newest session names, those that are still kept.
fn cut_pieces(state: &State) -> Vec<String> {
    let newest = state.sessions().into_iter().next();
    let Some((log, archive)) = newest.zip(state.options.archive.as_ref()) else {
        return Vec::new();
    };
    let bytes = log.read().unwrap_or_default();
    let handles = recall_handles(&bytes).into_iter();
    let kept = handles.filter(|handle| archive.find(handle).is_ok());
    kept.take(LISTED).collect()
}

/// Reads a resource: a pack whole, as large as it was asked for; what was cut up
/// to the most that an answer may cost.
pub(super) fn read(job: &Job, uri: &str) -> Result<ResourceContents, ToolError> {
    let unknown = || ToolError(format!("unknown resource {uri:?}"));
    let handle = handle_of(uri).ok_or_else(unknown)?;
    let target: RecallTarget = handle.parse().map_err(|_| unknown())?;
    let text = super::tools::recalled(job, &target)?;
    if uri.trim().starts_with(PACK) {
        return Ok(ResourceContents::text(text, uri).with_mime_type("text/markdown"));
    }
    let total = Some(text.lines().count());
    let block = Block { title: handle.to_owned(), first: Some(1), total, text, ..Block::default() };
    let page = job.page(vec![block], Vec::new(), None, Tokens::new(MOST_TOKENS))?;
    Ok(ResourceContents::text(page.text, uri))
}
