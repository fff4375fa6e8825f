//! Stands in for `serve` where the feature `server` is off.

use super::{McpArgs, Prepared};
use crate::error::{RequestError, Result};
use crate::ui::Ui;

pub(super) fn serve(args: &McpArgs, prepared: Prepared, _: &mut Ui) -> Result<()> {
    // The fields are read by the real server only.
    let _ = (&args.roots, &args.http, prepared);
    Err(RequestError::NoServer.into())
}
