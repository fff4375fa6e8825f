//! The server over standard input and output, one message per line.
//!
//! The streams are duplicates of the process's own: nobody else's lock or buffer
//! comes in between. What a client says before it greets is passed over, since
//! an agent that begins badly should not lose its server.

use std::fs::File;
use std::io;

use rmcp::model::ClientJsonRpcMessage;
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::{RoleServer, ServiceExt};
use tokio::runtime::Builder;

use crate::error::ServerError;
use crate::mcp::Mcp;

/// Bytes of the longest message that is read.
const LONGEST: usize = 4 << 20;

/// Serves until standard input ends.
pub fn serve_stdio(mcp: Mcp) -> Result<(), ServerError> {
    let (input, output) = (standard_input()?, standard_output()?);
    let runtime = Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let input = tokio::fs::File::from_std(input);
        let output = tokio::fs::File::from_std(output);
        let lines = AsyncRwTransport::new_server(input, output).with_max_line_length(LONGEST);
        let patient = Patient { lines, is_greeted: false };
        // Whoever goes away without a word had nothing to ask.
        if let Ok(running) = mcp.serve(patient).await {
            let _ = running.waiting().await;
        }
    });
    // A thread that still reads, or works for nobody, need not be waited for.
    runtime.shutdown_background();
    Ok(())
}

#[cfg(unix)]
fn standard_input() -> io::Result<File> {
    use std::os::fd::AsFd;
    Ok(io::stdin().as_fd().try_clone_to_owned()?.into())
}

#[cfg(unix)]
fn standard_output() -> io::Result<File> {
    use std::os::fd::AsFd;
    Ok(io::stdout().as_fd().try_clone_to_owned()?.into())
}

#[cfg(windows)]
fn standard_input() -> io::Result<File> {
    use std::os::windows::io::AsHandle;
    Ok(io::stdin().as_handle().try_clone_to_owned()?.into())
}

#[cfg(windows)]
fn standard_output() -> io::Result<File> {
    use std::os::windows::io::AsHandle;
    Ok(io::stdout().as_handle().try_clone_to_owned()?.into())
}

/// Lines, of which those before the first request are passed over unless they are one.
struct Patient<T> {
    lines: T,
    is_greeted: bool,
}

impl<T: Transport<RoleServer>> Transport<RoleServer> for Patient<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), T::Error>> + Send + 'static {
        self.lines.send(item)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            let message = self.lines.receive().await?;
            self.is_greeted |= matches!(message, ClientJsonRpcMessage::Request(_));
            if self.is_greeted {
                return Some(message);
            }
        }
    }

    async fn close(&mut self) -> Result<(), T::Error> {
        self.lines.close().await
    }
}
