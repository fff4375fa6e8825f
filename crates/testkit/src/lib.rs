//! Fixtures and sealed worlds for tests.
