//! The files of a repository, by path, by directory and by the end of either.

use std::collections::HashMap;

use super::super::graph::SourceFile;

/// Looks files up; positions are those of the list it was made from.
pub(in super::super) struct Index<'a> {
    paths: Vec<&'a str>,
    by_path: HashMap<&'a str, usize>,
    by_name: HashMap<&'a str, Vec<usize>>,
    /// By the last two parts, since names such as `util.h` are many.
    by_tail: HashMap<&'a str, Vec<usize>>,
    by_directory: HashMap<&'a str, Vec<usize>>,
    by_directory_name: HashMap<&'a str, Vec<&'a str>>,
}

impl<'a> Index<'a> {
    pub(in super::super) fn new(files: &[SourceFile<'a>]) -> Index<'a> {
        let mut index = Index {
            paths: files.iter().map(|file| file.path).collect(),
            by_path: HashMap::with_capacity(files.len()),
            by_name: HashMap::with_capacity(files.len()),
            by_tail: HashMap::with_capacity(files.len()),
            by_directory: HashMap::new(),
            by_directory_name: HashMap::new(),
        };
        for (position, file) in files.iter().enumerate() {
            index.add(position, file.path);
        }
        for directories in index.by_directory_name.values_mut() {
            directories.sort_unstable();
            directories.dedup();
        }
        index
    }

    fn add(&mut self, position: usize, path: &'a str) {
        self.by_path.entry(path).or_insert(position);
        let (directory, name) = split(path);
        self.by_name.entry(name).or_default().push(position);
        if let Some(tail) = tail(path) {
            self.by_tail.entry(tail).or_default().push(position);
        }
        let members = self.by_directory.entry(directory).or_default();
        members.push(position);
        if members.len() == 1 {
            let (_, name) = split(directory);
            let directories = self.by_directory_name.entry(name).or_default();
            directories.push(directory);
        }
    }

    pub(super) fn paths(&self) -> &[&'a str] {
        &self.paths
    }

    pub(super) fn path(&self, position: usize) -> &'a str {
        self.paths.get(position).copied().unwrap_or_default()
    }

    /// Returns the file at a path.
    pub(super) fn file(&self, path: &str) -> Option<usize> {
        self.by_path.get(path).copied()
    }

    /// Returns the file at one of several paths, the first that exists.
    pub(super) fn first<P: AsRef<str>>(&self, paths: impl IntoIterator<Item = P>) -> Option<usize> {
        paths.into_iter().find_map(|path| self.file(path.as_ref()))
    }

    /// Returns the files right in a directory.
    pub(super) fn directory(&self, path: &str) -> &[usize] {
        self.by_directory.get(path).map_or(&[], Vec::as_slice)
    }

    /// Returns the files whose path is `suffix` or ends with `/suffix`.
    pub(super) fn ending<'s>(&'s self, suffix: &'s str) -> impl Iterator<Item = usize> + 's {
        let candidates = match tail(suffix) {
            Some(tail) => self.by_tail.get(tail),
            None => self.by_name.get(suffix),
        };
        let candidates = candidates.map_or(&[][..], Vec::as_slice).iter().copied();
        candidates.filter(move |position| ends_with(self.path(*position), suffix))
    }

    /// Returns the directories with files whose path is `suffix` or ends with `/suffix`.
    pub(super) fn directories_ending<'s>(
        &'s self,
        suffix: &'s str,
    ) -> impl Iterator<Item = &'a str> + 's {
        let (_, name) = split(suffix);
        let candidates = self.by_directory_name.get(name);
        let candidates = candidates.map_or(&[][..], Vec::as_slice).iter().copied();
        candidates.filter(move |directory| ends_with(directory, suffix))
    }
}

/// Splits a path into directory and name; the root is the empty directory.
pub(super) fn split(path: &str) -> (&str, &str) {
    path.rsplit_once('/').unwrap_or(("", path))
}

/// Returns the last two parts of a path that has as many.
fn tail(path: &str) -> Option<&str> {
    let (directory, _) = path.rsplit_once('/')?;
    let start = directory.rfind('/').map_or(0, |slash| slash + 1);
    path.get(start..)
}

/// Joins a directory and a path below it.
pub(super) fn join(directory: &str, path: &str) -> String {
    match (directory, path) {
        ("", path) => path.to_owned(),
        (directory, "") => directory.to_owned(),
        (directory, path) => format!("{directory}/{path}"),
    }
}

/// Joins a directory and a relative path, resolving `.` and `..`.
///
/// Returns `None` where that leaves the repository.
pub(super) fn join_relative(directory: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = directory.split('/').filter(|it| !it.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// Returns a directory and those above it, down to the root, the nearest first.
pub(super) fn ancestors(directory: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(directory), |directory| {
        (!directory.is_empty()).then(|| split(directory).0)
    })
}

/// Returns how many leading directories two paths share.
pub(super) fn shared(left: &str, right: &str) -> usize {
    let parts = left.split('/').zip(right.split('/'));
    parts.take_while(|(left, right)| left == right).count()
}

/// Returns the candidate that shares most directories with a file; ties go to the first.
pub(super) fn nearest<'p, T>(
    candidates: impl Iterator<Item = T>,
    path_of: impl Fn(&T) -> &'p str,
    path: &str,
) -> Option<T> {
    candidates.fold(None, |best: Option<T>, candidate| match best {
        Some(best) if shared(path_of(&best), path) >= shared(path_of(&candidate), path) => {
            Some(best)
        }
        _ => Some(candidate),
    })
}

fn ends_with(path: &str, suffix: &str) -> bool {
    let rest = path.strip_suffix(suffix);
    rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
}
