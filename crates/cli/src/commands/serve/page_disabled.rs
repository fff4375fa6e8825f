//! Stands in for `page` where the feature `server` is off.

use super::ServeArgs;
use crate::args::GlobalArgs;
use crate::error::{CommandError, RequestError};
use crate::ui::Ui;

pub(super) fn serve(args: &ServeArgs, _: &GlobalArgs, _: &mut Ui) -> Result<(), CommandError> {
    // The fields are read by the real page only.
    let _ = (args.port, args.no_open);
    Err(RequestError::NoServer.into())
}
