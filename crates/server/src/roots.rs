//! What may be read: the directories that were given, and nothing else.
//!
//! A path of a request is resolved, links and all, before anything is opened,
//! and what it leads to must lie below a root. Whether something exists outside
//! is not told either.

use std::path::{Component, Path, PathBuf};

use loadline::repo::display_path;

use crate::error::ServerError;

/// The directories that are served.
#[derive(Clone, Debug)]
pub(crate) struct Roots(Vec<Root>);

/// One of them.
#[derive(Clone, Debug)]
struct Root {
    /// As it was given, made absolute.
    given: PathBuf,
    /// Without links.
    real: PathBuf,
}

/// Something below a root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// The root, without links.
    pub(crate) root: PathBuf,
    /// The path below it, without links; empty for the root itself.
    pub(crate) relative: PathBuf,
}

impl Place {
    /// Returns the whole path.
    pub(crate) fn absolute(&self) -> PathBuf {
        self.root.join(&self.relative)
    }

    /// Returns the path below the root as it is shown.
    pub(crate) fn shown(&self) -> String {
        if self.relative.as_os_str().is_empty() {
            ".".to_owned()
        } else {
            display_path(&self.relative)
        }
    }
}

/// Why a path of a request is not followed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Refusal {
    /// It leads out of what is served.
    #[error("{path:?} is outside the served directories; paths start at {root}")]
    Outside { path: String, root: String },
    /// Nothing is there.
    #[error("no such file or directory: {path:?}")]
    Missing { path: String },
    /// It is git's own.
    #[error("{path:?} belongs to git and is not served")]
    Git { path: String },
    /// It cannot be a path.
    #[error("invalid path {path:?}")]
    NoPath { path: String },
}

impl Roots {
    /// Takes directories that exist.
    pub(crate) fn new(paths: &[PathBuf]) -> Result<Roots, ServerError> {
        let root = |path: &PathBuf| {
            let failed = |source| ServerError::Root { path: path.clone(), source };
            let real = path.canonicalize().map_err(failed)?;
            let given = std::path::absolute(path).map_err(failed)?;
            if real.is_dir() {
                Ok(Root { given, real })
            } else {
                Err(ServerError::NoDirectory { path: path.clone() })
            }
        };
        let roots: Result<Vec<Root>, ServerError> = paths.iter().map(root).collect();
        roots.map(Roots)
    }

    /// Returns the roots, without links.
    pub(crate) fn real(&self) -> impl Iterator<Item = &Path> {
        self.0.iter().map(|root| root.real.as_path())
    }

    /// Returns every name that a root goes by.
    pub(crate) fn names(&self) -> Vec<&Path> {
        let mut names: Vec<&Path> = Vec::new();
        for root in &self.0 {
            for name in [&root.real, &root.given] {
                if !names.contains(&name.as_path()) {
                    names.push(name);
                }
            }
        }
        names
    }

    /// Finds what a path of a request means. Without one it is the first root.
    ///
    /// A relative path is looked for below each root in turn.
    pub(crate) fn find(&self, path: Option<&str>) -> Result<Place, Refusal> {
        let path = path.map_or("", str::trim);
        let path = path.strip_prefix("file://").unwrap_or(path);
        if path.contains('\0') || path.len() > 4_096 {
            let path = path.chars().take(40).collect();
            return Err(Refusal::NoPath { path });
        }
        let mut refusal = None;
        for root in &self.0 {
            match self.resolve(root, path) {
                Ok(place) => return Ok(place),
                // That it is missing below one root is less than that it leads out of another.
                Err(found) => match (&refusal, &found) {
                    (None, _) | (Some(Refusal::Missing { .. }), _) => refusal = Some(found),
                    _ => {}
                },
            }
        }
        let path = path.to_owned();
        Err(refusal.unwrap_or(Refusal::NoPath { path }))
    }

    /// Finds what a path means from one root.
    fn resolve(&self, root: &Root, path: &str) -> Result<Place, Refusal> {
        let outside =
            || Refusal::Outside { path: path.to_owned(), root: root.given.display().to_string() };
        let joined = root.real.join(path);
        let Ok(real) = joined.canonicalize() else {
            let within =
                [&root.real, &root.given].iter().any(|root| lexical(&joined).starts_with(root));
            let path = path.to_owned();
            return Err(if within { Refusal::Missing { path } } else { outside() });
        };
        let mut inside = self.0.iter().filter_map(|root| {
            let relative = real.strip_prefix(&root.real).ok()?;
            Some((root, relative.to_owned()))
        });
        let (root, relative) = inside.next().ok_or_else(outside)?;
        if relative.components().any(|part| part.as_os_str() == ".git") {
            let path = path.to_owned();
            return Err(Refusal::Git { path });
        }
        Ok(Place { root: root.real.clone(), relative })
    }
}

/// Resolves `.` and `..` without looking at the disk.
fn lexical(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                plain.pop();
            }
            Component::CurDir => {}
            part => plain.push(part),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;
    use loadline_testkit::Tree;

    fn tree() -> (Tree, Roots) {
        let tree = Tree::new(
            "
            //- /root/src/a.rs
            //- /root/.git/config
            //- /second/b.rs
            //- /outside/secret.txt
            ",
        );
        let roots = Roots::new(&[tree.path("root"), tree.path("second")]).unwrap();
        (tree, roots)
    }

    #[test]
    fn a_path_below_a_root_is_found_however_it_is_written() {
        let (tree, roots) = tree();
        let absolute = tree.path("root/src/a.rs");
        let url = format!("file://{}", absolute.display());
        for path in [
            "src/a.rs",
            "./src/a.rs",
            "src/../src/a.rs",
            " src/a.rs ",
            absolute.to_str().unwrap(),
            &url,
        ] {
            let place = roots.find(Some(path)).unwrap();
            assert_eq!(place.relative, Path::new("src/a.rs"), "{path}");
        }
        assert_eq!(roots.find(None).unwrap().shown(), ".");
        assert_eq!(roots.find(Some("b.rs")).unwrap().shown(), "b.rs");
    }

    #[test]
    fn a_path_that_leads_out_is_refused_whether_or_not_it_exists() {
        let (tree, roots) = tree();
        let secret = tree.path("outside/secret.txt");
        for path in [
            "../outside/secret.txt",
            "../outside/none.txt",
            "src/../../outside/secret.txt",
            "/etc/passwd",
            "/etc/none-at-all",
            secret.to_str().unwrap(),
            "..",
            "/",
        ] {
            let refusal = roots.find(Some(path)).unwrap_err();
            assert!(matches!(refusal, Refusal::Outside { .. }), "{path}: {refusal}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_link_that_leads_out_is_refused_and_one_within_is_resolved() {
        use std::os::unix::fs::symlink;
        let (tree, roots) = tree();
        symlink(tree.path("outside"), tree.path("root/way-out")).unwrap();
        symlink(tree.path("outside/secret.txt"), tree.path("root/x.txt")).unwrap();
        symlink("src/a.rs", tree.path("root/alias.rs")).unwrap();
        for path in ["way-out/secret.txt", "way-out", "x.txt"] {
            let refusal = roots.find(Some(path)).unwrap_err();
            assert!(matches!(refusal, Refusal::Outside { .. }), "{path}: {refusal}");
        }
        let place = roots.find(Some("alias.rs")).unwrap();
        assert_eq!(place.relative, Path::new("src/a.rs"));
    }

    #[test]
    fn odd_paths_have_their_own_refusal() {
        let (_tree, roots) = tree();
        let refusal = |path: &str| roots.find(Some(path)).unwrap_err();
        assert!(matches!(refusal("a\0b"), Refusal::NoPath { .. }));
        assert!(matches!(refusal(&"x".repeat(5_000)), Refusal::NoPath { .. }));
        assert!(matches!(refusal("none.rs"), Refusal::Missing { .. }));
        assert!(matches!(refusal(".git/config"), Refusal::Git { .. }));
        let file = Roots::new(&[PathBuf::from(file!())]);
        assert!(file.is_err());
    }
}
