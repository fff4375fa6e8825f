//! Where units stand among the others of their section, file and role.

use crate::notes::{Notes, Role, UnitKind};

/// Where all units stand.
pub(super) struct Places {
    pub(super) of: Vec<Place>,
    /// Per section: how many units it has, its heading included.
    pub(super) sections: Vec<u32>,
    /// Per file: how many units it has, and of how many bytes.
    pub(super) in_file: Vec<u32>,
    pub(super) file_bytes: Vec<usize>,
    /// Per role: how many units have it, headings not counted.
    pub(super) of_role: [u32; Role::ALL.len()],
}

/// Where one unit stands.
pub(super) struct Place {
    /// Its section: what stands below one heading, without the headings below.
    pub(super) section: usize,
    /// How many units of the section stand before it.
    pub(super) in_section: u32,
    /// How many units of its role stand before it in the section, headings not counted.
    pub(super) role_in_section: u32,
    /// The same in the file, headings counted.
    pub(super) role_in_file: u32,
    /// How many headings of the file stand before it.
    pub(super) headings_before: u32,
    /// How many bytes of units stand before it in the file, its own included.
    pub(super) bytes: usize,
}

impl Places {
    pub(super) fn of(notes: &Notes) -> Places {
        let mut places = Places {
            of: Vec::with_capacity(notes.units.len()),
            sections: Vec::new(),
            in_file: vec![0; notes.files.len()],
            file_bytes: vec![0; notes.files.len()],
            of_role: [0; Role::ALL.len()],
        };
        let mut section_roles = [0; Role::ALL.len()];
        let mut file_roles = [0; Role::ALL.len()];
        let mut headings = 0;
        for unit in &notes.units {
            let is_heading = unit.kind == UnitKind::Heading;
            let is_new_file = places.in_file[unit.file] == 0;
            if is_new_file {
                (file_roles, headings) = ([0; Role::ALL.len()], 0);
            }
            if is_new_file || is_heading {
                places.sections.push(0);
                section_roles = [0; Role::ALL.len()];
            }
            let section = places.sections.len() - 1;
            let role = unit.role as usize;
            places.file_bytes[unit.file] += unit.text.len();
            places.of.push(Place {
                section,
                in_section: places.sections[section],
                role_in_section: section_roles[role],
                role_in_file: file_roles[role],
                headings_before: headings,
                bytes: places.file_bytes[unit.file],
            });
            places.sections[section] += 1;
            places.in_file[unit.file] += 1;
            file_roles[role] += 1;
            section_roles[role] += u32::from(!is_heading);
            places.of_role[role] += u32::from(!is_heading);
            headings += u32::from(is_heading);
        }
        places
    }
}
