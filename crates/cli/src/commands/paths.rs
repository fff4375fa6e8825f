//! Where a command looks: the root of a repository, and which parts of it.
//!
//! Whatever is typed, and wherever one stands, paths are written from the root of the
//! repository: a diff or an edit applies there.

use std::io::Read;
use std::path::{Component, Path, PathBuf};

use loadline::Remark;
use loadline::pack::PackError;
use loadline::repo::{RepoError, WalkOptions, display_path};

use super::remote::Remote;
use crate::error::{CommandError, RequestError, Result};
use crate::ui::Ui;

/// Where to look.
#[derive(Clone, Debug, Default, clap::Args)]
pub(super) struct PathArgs {
    /// Files and directories [default: the current directory], or the address of a
    /// repository, with @REF for a branch, tag or commit; paths in the output are from
    /// the root of the repository.
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Use only the files listed in FILE, one per line or separated by NUL; - means
    /// standard input.
    #[arg(long, value_name = "FILE")]
    files_from: Option<PathBuf>,
    /// Take a PATH such as owner/name[@ref] as a repository on GitHub; the address of a
    /// repository needs no flag.
    #[arg(long)]
    remote: bool,
}

/// A root, and which parts of it were asked for.
#[derive(Debug, Default)]
pub(super) struct Located {
    /// The root of the repository, as short as it can be written from here.
    pub(super) root: PathBuf,
    /// The parts, from the root; empty means all of it.
    pub(super) within: Vec<PathBuf>,
    /// Files that were typed one by one, from the root.
    named: Vec<PathBuf>,
    /// What globs may be relative to, besides the root: where one stands, and what was typed.
    bases: Vec<PathBuf>,
}

impl PathArgs {
    /// Finds the root of what was typed.
    pub(super) fn locate(&self, ui: &mut Ui) -> Result<Located> {
        let here = std::env::current_dir().unwrap_or_default();
        let mut typed: Vec<PathBuf> = match (&self.paths[..], &self.files_from) {
            ([], None) => vec![PathBuf::from(".")],
            (paths, _) => paths.to_vec(),
        };
        for path in &mut typed {
            if let Some(remote) = Remote::parse(path, self.remote) {
                *path = remote.fetch(ui)?;
            }
        }
        // A pipe from the shell and the like have no place among other files.
        if let [path] = &typed[..]
            && std::fs::metadata(path).is_ok_and(|it| !it.is_file() && !it.is_dir())
        {
            return Ok(Located { root: path.clone(), ..Located::default() });
        }
        let mut absolute = Vec::new();
        for path in &typed {
            let found = path.canonicalize();
            absolute.push(found.map_err(|_| missing(path.clone()))?);
        }
        let listed = self.listed(ui)?;
        let all: Vec<PathBuf> = absolute.iter().chain(&listed).cloned().collect();
        let root = root_of(&all, &here);
        let below = |path: &PathBuf| path.strip_prefix(&root).ok().map(Path::to_owned);
        let files = absolute.iter().filter(|path| path.is_file());
        let directories = absolute.iter().filter(|path| path.is_dir());
        let bases =
            directories.chain([&here]).filter_map(below).filter(|base| *base != Path::new(""));
        let within: Vec<PathBuf> = all.iter().filter_map(below).collect();
        let is_all = within.iter().any(|path| path.as_os_str().is_empty());
        Ok(Located {
            within: if is_all { Vec::new() } else { within },
            named: files.filter_map(below).collect(),
            bases: bases.collect(),
            root: written_from(&here, &root),
        })
    }

    /// The files of the list; one that does not exist costs a remark.
    fn listed(&self, ui: &mut Ui) -> Result<Vec<PathBuf>> {
        let Some(list) = &self.files_from else {
            return Ok(Vec::new());
        };
        let mut bytes = Vec::new();
        let read = if list.as_os_str() == "-" {
            std::io::stdin().lock().read_to_end(&mut bytes).map(|_| ())
        } else {
            std::fs::read(list).map(|read| bytes = read)
        };
        read.map_err(|error| CommandError::at("read", list, error))?;
        let text = String::from_utf8_lossy(&bytes);
        let end = if text.contains('\0') { '\0' } else { '\n' };
        let names = text.split(end).map(|name| name.trim_end_matches('\r'));
        let mut files = Vec::new();
        for name in names.filter(|name| !name.trim().is_empty()) {
            match Path::new(name).canonicalize() {
                Ok(file) => files.push(file),
                Err(_) => ui.remarks([Remark::new(name, "listed, but there is no such file")]),
            }
        }
        if files.is_empty() {
            return Err(RequestError::NothingListed { list: list.clone() }.into());
        }
        Ok(files)
    }
}

impl Located {
    /// Restricts a walk to what was asked for.
    pub(super) fn restrict(&self, walk: &mut WalkOptions) {
        walk.within = self.within.clone();
        walk.named.extend(self.named.iter().cloned());
        for base in &self.bases {
            let moved: Vec<PathBuf> = walk.named.iter().map(|name| base.join(name)).collect();
            walk.named.extend(moved);
        }
    }

    /// What a glob may mean: from the root, from here, or from a directory that was typed.
    ///
    /// A glob without a slash matches anywhere as it is.
    pub(super) fn meanings(&self, glob: &str) -> Vec<String> {
        let (not, plain) = match glob.strip_prefix('!') {
            Some(plain) => ("!", plain),
            None => ("", glob),
        };
        let plain = plain.strip_prefix("./").unwrap_or(plain);
        let mut meanings = vec![format!("{not}{plain}")];
        if plain.trim_end_matches('/').contains('/') && !plain.starts_with('/') {
            let escape = |base: &PathBuf| display_path(base).replace(['*', '?', '[', '{'], "?");
            let bases = self.bases.iter().map(escape);
            meanings.extend(bases.map(|base| format!("{not}/{base}/{plain}")));
        }
        meanings
    }
}

fn missing(path: PathBuf) -> CommandError {
    if let Some((owner, name)) = path.to_str().and_then(|typed| typed.split_once('/'))
        && !name.is_empty()
        && !name.contains('/')
        && !owner.is_empty()
        && !Path::new(owner).exists()
    {
        return RequestError::NotHere { path }.into();
    }
    PackError::from(RepoError::Missing(path)).into()
}

/// The root of the repository around a directory, or the directory itself.
pub(super) fn root_around(path: &Path) -> PathBuf {
    let Ok(absolute) = path.canonicalize() else {
        return path.to_owned();
    };
    let here = std::env::current_dir().unwrap_or_default();
    written_from(&here, &root_of(&[absolute], &here))
}

/// The root of all paths: their repository, or else the directory that holds them.
fn root_of(paths: &[PathBuf], here: &Path) -> PathBuf {
    let holds = |root: &Path| paths.iter().all(|path| path.starts_with(root));
    let repository = |path: &PathBuf| {
        let mut above = path.ancestors();
        above.find(|it| it.join(".git").exists()).map(Path::to_owned)
    };
    let first = paths.first().cloned().unwrap_or_else(|| here.to_owned());
    if let Some(root) = repository(&first).filter(|root| holds(root)) {
        return root;
    }
    match paths {
        [path] if path.is_dir() => path.clone(),
        [_] => first.parent().unwrap_or(&first).to_owned(),
        _ if holds(here) => here.to_owned(),
        _ => first.ancestors().find(|it| holds(it)).unwrap_or(&first).to_owned(),
    }
}

/// A path as one would type it here.
fn written_from(here: &Path, path: &Path) -> PathBuf {
    let here = here.canonicalize().unwrap_or_else(|_| here.to_owned());
    match path.strip_prefix(&here) {
        Ok(below) if below.as_os_str().is_empty() => PathBuf::from("."),
        Ok(below) => below.to_owned(),
        Err(_) => match here.strip_prefix(path) {
            Ok(up) => up.components().map(|_| Component::ParentDir).collect(),
            Err(_) => path.to_owned(),
        },
    }
}

/// Takes lists of globs apart: `*.rs,docs/*`, but not `*.{rs,md}`.
pub(super) fn globs(typed: &[String]) -> Vec<String> {
    let mut globs = Vec::new();
    for list in typed {
        let (mut depth, mut glob) = (0_u32, String::new());
        for letter in list.chars() {
            match letter {
                '{' | '[' => depth += 1,
                '}' | ']' => depth = depth.saturating_sub(1),
                ',' if depth == 0 => {
                    globs.push(std::mem::take(&mut glob));
                    continue;
                }
                _ => {}
            }
            glob.push(letter);
        }
        globs.push(glob);
    }
    globs.retain(|glob| !glob.trim().is_empty());
    globs
}
