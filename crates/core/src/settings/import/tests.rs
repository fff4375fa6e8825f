//! The tables of imports lead to keys that exist.

use super::*;

#[test]
fn every_row_leads_to_a_known_key() {
    for format in ImportFormat::ALL {
        for (pattern, target) in format.rows() {
            if let Target::Key(key, _) = target {
                let path = crate::settings::key::KeyPath::dotted(key);
                assert!(crate::settings::key::find_key(&path).is_some(), "{pattern}");
            }
        }
    }
}
