//! `pack --pick`: choose files in a tree that shows what they cost.
//!
//! Drawn on standard error, so that the pack itself can go to a pipe.

mod tree;

use std::io::{self, IsTerminal, Stderr};
use std::path::PathBuf;

use loadline::pack::ScoredFile;
use loadline::tokens::Tokens;
use ratatui::Frame;
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::event::{self, Event, KeyCode, KeyEventKind, KeyModifiers};
use ratatui::crossterm::execute;
use ratatui::crossterm::terminal::{
    EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use ratatui::layout::{Constraint, Layout};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Gauge, List, ListItem, ListState, Paragraph};

use crate::error::{RequestError, Result};
use crate::ui::{escape_control, plural, thousands};
use tree::{Mark, Tree};

const KEYS: &str = "space toggle   → ← open, close   a all   n none   enter pack   q quit";

/// Lets a person choose; empty where they leave without a choice.
pub(super) fn pick(files: &[ScoredFile], budget: Option<Tokens>) -> Result<Vec<PathBuf>> {
    if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
        return Err(RequestError::NoPicker.into());
    }
    let paths = files.iter().map(|file| (file.path.as_str(), file.tokens.get()));
    let mut tree = Tree::new(paths);
    let mut screen = Screen::open()?;
    let done = screen.run(&mut tree, budget.map(Tokens::get))?;
    drop(screen);
    Ok(tree.chosen().filter(|_| done).map(PathBuf::from).collect())
}

/// The terminal while it belongs to the picker.
struct Screen {
    terminal: Terminal<CrosstermBackend<Stderr>>,
    list: ListState,
}

impl Screen {
    fn open() -> io::Result<Screen> {
        enable_raw_mode()?;
        execute!(io::stderr(), EnterAlternateScreen)?;
        let terminal = Terminal::new(CrosstermBackend::new(io::stderr()))?;
        Ok(Screen { terminal, list: ListState::default().with_selected(Some(0)) })
    }

    /// Draws and listens until the choice is made; tells whether it was.
    fn run(&mut self, tree: &mut Tree, budget: Option<u64>) -> io::Result<bool> {
        loop {
            let list = &mut self.list;
            self.terminal.draw(|frame| draw(frame, tree, list, budget))?;
            let Event::Key(key) = event::read()? else {
                continue;
            };
            if key.kind == KeyEventKind::Release {
                continue;
            }
            let at = self.list.selected().unwrap_or(0).min(tree.rows().len().saturating_sub(1));
            match key.code {
                KeyCode::Char('c') if key.modifiers.contains(KeyModifiers::CONTROL) => {
                    return Ok(false);
                }
                KeyCode::Char('q') | KeyCode::Esc => return Ok(false),
                KeyCode::Enter => return Ok(true),
                KeyCode::Char(' ') => tree.toggle(at),
                KeyCode::Char('a') => tree.set_all(true),
                KeyCode::Char('n') => tree.set_all(false),
                KeyCode::Right | KeyCode::Char('l') => tree.open(at, true),
                KeyCode::Left | KeyCode::Char('h') => {
                    self.list.select(Some(tree.close(at)));
                }
                KeyCode::Up | KeyCode::Char('k') => self.list.select(Some(at.saturating_sub(1))),
                KeyCode::Down | KeyCode::Char('j') => self.list.select(Some(at + 1)),
                KeyCode::PageUp => self.list.select(Some(at.saturating_sub(10))),
                KeyCode::PageDown => self.list.select(Some(at + 10)),
                KeyCode::Home => self.list.select(Some(0)),
                KeyCode::End => self.list.select(Some(usize::MAX)),
                _ => {}
            }
        }
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        // Where even that fails, there is nothing left to try.
        let _ = disable_raw_mode();
        let _ = execute!(io::stderr(), LeaveAlternateScreen);
    }
}

fn draw(frame: &mut Frame<'_>, tree: &Tree, list: &mut ListState, budget: Option<u64>) {
    let areas =
        Layout::vertical([Constraint::Min(1), Constraint::Length(1), Constraint::Length(1)]);
    let [body, bar, keys] = areas.areas(frame.area());
    let width = usize::from(body.width);
    let rows = tree.rows();
    let items = rows.iter().map(|row| {
        let mark = match row.mark {
            Mark::All => "[x] ",
            Mark::Some => "[-] ",
            Mark::None => "[ ] ",
        };
        let fold = match (row.is_directory, row.is_open) {
            (true, true) => "▾ ",
            (true, false) => "▸ ",
            (false, _) => "  ",
        };
        let (indent, name) = ("  ".repeat(row.depth), escape_control(row.name));
        let slash = if row.is_directory { "/" } else { "" };
        let name = format!("{mark}{indent}{fold}{name}{slash}");
        let tokens = thousands(row.tokens);
        let used = Line::raw(&*name).width() + tokens.len();
        let gap = " ".repeat(width.saturating_sub(used + 1).max(1));
        let style = match row.mark {
            Mark::None => Style::new().fg(Color::DarkGray),
            _ if row.is_directory => Style::new().fg(Color::Cyan),
            _ => Style::new(),
        };
        let count = Span::styled(tokens, Style::new().fg(Color::Yellow));
        ListItem::new(Line::from(vec![Span::styled(name, style), Span::raw(gap), count]))
    });
    let selected = Style::new().fg(Color::Reset).add_modifier(Modifier::REVERSED);
    frame.render_stateful_widget(List::new(items).highlight_style(selected), body, list);
    frame.render_widget(budget_bar(tree, budget), bar);
    frame.render_widget(Paragraph::new(KEYS).style(Style::new().fg(Color::DarkGray)), keys);
}

/// How much of the budget the choice takes.
fn budget_bar(tree: &Tree, budget: Option<u64>) -> Gauge<'static> {
    let (files, tokens) = tree.totals();
    let files = plural(files as u64, "file");
    let Some(budget) = budget.filter(|budget| *budget > 0) else {
        return Gauge::default().label(format!("{files}, {} tokens", thousands(tokens)));
    };
    let of = format!("{} of {} tokens", thousands(tokens), thousands(budget));
    let (color, words) = if tokens > budget {
        (Color::Red, "; some files will be shortened")
    } else {
        (Color::Green, "")
    };
    let ratio = (tokens as f64 / budget as f64).clamp(0.0, 1.0);
    let label = format!("{files}, {of}{words}");
    Gauge::default().ratio(ratio).label(label).gauge_style(Style::new().fg(color))
}
