//! Stands in for `http` where the feature `api` is off.

use std::time::Duration;

use serde_json::Value;

pub(crate) struct Service(&'static str);

pub(crate) type Answer = (u16, Result<Vec<u8>, String>);

impl Service {
    pub(crate) fn new(name: &'static str, _address: String, _timeout: Duration) -> Service {
        Service(name)
    }

    pub(crate) fn check(&self) -> Result<(), String> {
        Err(format!("this build cannot ask {}; build with --features api", self.0))
    }

    pub(crate) fn post(&self, _: &[(&str, &str)], _: &Value, _: u64) -> Result<Answer, String> {
        Err(self.check().err().unwrap_or_default())
    }
}
