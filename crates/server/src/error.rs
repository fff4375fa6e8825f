//! Errors that keep a server from starting.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;

use loadline::{Diagnose, Fault};

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
    fn fault(&self) -> Fault {
        match self {
            ServerError::Listen { .. } | ServerError::Io(_) => Fault::Operation,
            _ => Fault::Usage,
        }
    }

    fn code(&self) -> &'static str {
        match self {
            ServerError::Root { .. } | ServerError::NoDirectory { .. } => "LL-SRV-001",
            ServerError::NotLoopback { .. } => "LL-SRV-002",
            ServerError::Listen { .. } => "LL-SRV-003",
            ServerError::Io(_) => "LL-SRV-004",
            ServerError::NoToken | ServerError::EmptyToken | ServerError::OddToken => "LL-SRV-005",
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            ServerError::Root { .. } | ServerError::NoDirectory { .. } => {
                Some("give directories that exist".to_owned())
            }
            ServerError::NotLoopback { address } => {
                let port = address.port();
                Some(format!("use 127.0.0.1:{port} or [::1]:{port}"))
            }
            ServerError::Listen { .. } => Some("port 0 picks a free port".to_owned()),
            ServerError::NoToken | ServerError::OddToken => {
                Some("unset LOADLINE_SERVE_TOKEN to have a new one made each time".to_owned())
            }
            ServerError::EmptyToken => {
                Some("unset LOADLINE_MCP_TOKEN to serve without a token".to_owned())
            }
            ServerError::Io(_) => None,
        }
    }
}
