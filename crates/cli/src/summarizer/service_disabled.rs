//! Stands in for `service` where the feature `api` is off.

use std::time::Duration;

use super::Failure;

pub(super) struct Options<'a> {
    pub(super) url: &'a str,
    pub(super) model: &'a str,
    pub(super) api: &'a str,
    pub(super) timeout: Duration,
}

pub(super) struct Service;

impl Service {
    pub(super) fn new(options: Options<'_>) -> Service {
        // The fields are read by the real service only.
        let _ = (options.url, options.model, options.api, options.timeout);
        Service
    }

    pub(super) fn ask(&self, _task: &str, _text: &str) -> Result<String, Failure> {
        let reason = "this build cannot ask it; build with --features api";
        Err(Failure::Lasting(reason.to_owned()))
    }
}
