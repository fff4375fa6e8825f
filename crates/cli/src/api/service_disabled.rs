//! Stands in for `service` where the feature `api` is off.

use super::ApiOptions;

pub(super) struct Service;

impl Service {
    pub(super) fn new(options: &ApiOptions) -> Service {
        // The fields are read by the real service only.
        let _ = (&options.url, &options.timeout, &options.key);
        Service
    }

    pub(super) fn input_tokens(&self, _text: &str) -> Result<u64, String> {
        Err("this build cannot ask the service; build with --features api".to_owned())
    }
}
