//! Errors that keep a server from starting.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;

use loadline::{Diagnose, Diagnosis};

/// Why a server does not start, or stops.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServerError {
    /// What is to be served is not there.
    #[error("cannot serve {}: {source}", path.display())]
    Root {
        /// The directory that was given.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// What is to be served is not a directory.
    #[error("cannot serve {}: not a directory", path.display())]
    NoDirectory {
        /// The path that was given.
        path: PathBuf,
    },
    /// Whoever can reach the address could read the files.
    #[error("{address} can be reached from other machines")]
    NotLoopback {
        /// The address that was given.
        address: SocketAddr,
    },
    /// The address cannot be listened on.
    #[error("cannot listen on {address}: {source}")]
    Listen {
        /// The address that was given.
        address: SocketAddr,
        /// Why not.
        source: io::Error,
    },
    /// Whoever can reach the address could read the page.
    #[error("the token is empty")]
    NoToken,
    /// The token that requests must bring is empty, so that none could be told from another.
    #[error("the token is empty")]
    EmptyToken,
    /// The token cannot be a part of an address.
    #[error("the token has characters other than letters, digits, - and _")]
    OddToken,
    /// The system refuses what every server needs.
    #[error("cannot serve: {0}")]
    Io(#[from] io::Error),
}

impl Diagnose for ServerError {
    fn diagnosis(&self) -> Diagnosis {
        match self {
            ServerError::Root { .. } | ServerError::NoDirectory { .. } => {
                Diagnosis::usage("LL-SRV-001").hint("give directories that exist")
            }
            ServerError::NotLoopback { address } => {
                let port = address.port();
                Diagnosis::usage("LL-SRV-002").hint(format!("use 127.0.0.1:{port} or [::1]:{port}"))
            }
            ServerError::Listen { .. } => {
                Diagnosis::operation("LL-SRV-003").hint("port 0 picks a free port")
            }
            ServerError::Io(_) => Diagnosis::operation("LL-SRV-004"),
            ServerError::NoToken | ServerError::OddToken => Diagnosis::usage("LL-SRV-005")
                .hint("unset LOADLINE_SERVE_TOKEN to have a new one made each time"),
            ServerError::EmptyToken => Diagnosis::usage("LL-SRV-005")
                .hint("unset LOADLINE_MCP_TOKEN to serve without a token"),
        }
    }
}
