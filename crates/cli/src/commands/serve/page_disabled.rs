//! Stands in for `page` where the feature `server` is off.

use super::ServeArgs;
use crate::error::{RequestError, Result};
use crate::ui::Ui;

pub(super) fn serve(args: &ServeArgs, _: &mut Ui) -> Result<()> {
    // The fields are read by the real page only.
    let _ = (args.port, args.no_open);
    Err(RequestError::NoServer.into())
}
