//! Fixtures and sealed worlds for tests.
//!
//! Depends on no crate of the workspace, so every one of them can use it in
//! its tests. What goes wrong here is a mistake in a test, so it panics.

mod tree;
mod world;

pub use tree::Tree;
pub use world::{Run, World};
