//! The server over standard input and output, one message per line.
//!
//! The streams are duplicates of the process's own: nobody else's lock or buffer
//! comes in between. What is not a message is answered with an error and otherwise passed
//! over, as are notifications before the first request: an agent that begins badly should
//! not lose its server.

use std::collections::HashSet;
use std::fs::File;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use rmcp::model::{ClientJsonRpcMessage, ClientNotification, JsonRpcMessage, RequestId};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::{RoleServer, ServiceExt};
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::runtime::Builder;

use crate::error::ServerError;
use crate::mcp::Mcp;
use crate::message::{LARGEST, Malformed, read};

/// Serves until standard input ends.
pub fn serve_stdio(mcp: Mcp) -> Result<(), ServerError> {
    let (input, output) = (standard_input()?, standard_output()?);
    let runtime = Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let input = tokio::fs::File::from_std(input);
        let output = tokio::fs::File::from_std(output);
        // Whoever goes away without a word had nothing to ask.
        if let Ok(running) = mcp.serve(Lines::new(input, output)).await {
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

/// One message per line.
///
/// `receive` may be dropped at any await: what was read until then stays in `line`.
struct Lines<R, W> {
    input: BufReader<R>,
    line: Vec<u8>,
    /// The rest of a line that was too long is being passed over.
    is_skipping: bool,
    /// A line ended that is still to be answered.
    malformed: Option<Malformed>,
    is_greeted: bool,
    output: Arc<tokio::sync::Mutex<W>>,
    /// Requests without an answer so far.
    open: Arc<Mutex<HashSet<RequestId>>>,
}

/// How the reading of a line ended.
enum Line {
    Whole,
    TooLong,
    End,
}

impl<R: AsyncRead + Send + Unpin, W: AsyncWrite + Send + Unpin + 'static> Lines<R, W> {
    fn new(input: R, output: W) -> Lines<R, W> {
        Lines {
            input: BufReader::new(input),
            line: Vec::new(),
            is_skipping: false,
            malformed: None,
            is_greeted: false,
            output: Arc::new(tokio::sync::Mutex::new(output)),
            open: Arc::default(),
        }
    }

    /// Reads up to the end of a line, but never keeps more than the largest message.
    async fn read_line(&mut self) -> Line {
        loop {
            let Ok(bytes) = self.input.fill_buf().await else {
                return Line::End;
            };
            if bytes.is_empty() {
                return Line::End;
            }
            let end = bytes.iter().position(|byte| *byte == b'\n');
            let taken = end.map_or(bytes.len(), |end| end + 1);
            let is_too_long = self.line.len() + taken > LARGEST;
            if !self.is_skipping && !is_too_long {
                self.line.extend_from_slice(&bytes[..taken]);
            }
            self.input.consume(taken);
            if self.is_skipping {
                self.is_skipping = end.is_none();
            } else if is_too_long {
                self.line.clear();
                self.is_skipping = end.is_none();
                return Line::TooLong;
            } else if end.is_some() {
                return Line::Whole;
            }
        }
    }

    /// Reads the message of a line, and remembers which requests are open.
    fn message(&mut self) -> Result<Option<ClientJsonRpcMessage>, Malformed> {
        let line = self.line.trim_ascii();
        if line.is_empty() {
            return Ok(None);
        }
        let message = read(line)?;
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        match &message {
            JsonRpcMessage::Request(request) => {
                if !open.insert(request.id.clone()) {
                    // An answer with this id would be taken for that of the other request.
                    let said = format!("a request with the id {} is not answered yet", request.id);
                    return Err(Malformed::invalid(said, None));
                }
                self.is_greeted = true;
            }
            JsonRpcMessage::Notification(notification) => {
                if let ClientNotification::CancelledNotification(it) = &notification.notification
                    && let Some(id) = &it.params.request_id
                {
                    open.remove(id);
                }
            }
            _ => {}
        }
        Ok(self.is_greeted.then_some(message))
    }
}

impl<R, W> Transport<RoleServer> for Lines<R, W>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let answered = match &item {
            JsonRpcMessage::Response(response) => Some(&response.id),
            JsonRpcMessage::Error(error) => error.id.as_ref(),
            _ => None,
        };
        if let Some(id) = answered {
            self.open.lock().unwrap_or_else(PoisonError::into_inner).remove(id);
        }
        let output = Arc::clone(&self.output);
        async move { write(&output, &item).await }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            if let Some(malformed) = self.malformed.take() {
                write(&self.output, &malformed.answer()).await.ok()?;
            }
            let message = match self.read_line().await {
                Line::End => return None,
                Line::TooLong => Err(Malformed::too_large()),
                Line::Whole => self.message(),
            };
            self.line.clear();
            match message {
                Ok(Some(message)) => return Some(message),
                Ok(None) => {}
                Err(malformed) => self.malformed = Some(malformed),
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.output.lock().await.flush().await
    }
}

/// Writes one line.
async fn write<W: AsyncWrite + Unpin>(
    output: &tokio::sync::Mutex<W>,
    item: &TxJsonRpcMessage<RoleServer>,
) -> io::Result<()> {
    let mut line = serde_json::to_vec(item)?;
    line.push(b'\n');
    let mut output = output.lock().await;
    output.write_all(&line).await?;
    output.flush().await
}
