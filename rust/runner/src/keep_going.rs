//! Units that are performed when they are due, whatever becomes of those before, and the log of them.

use std::fs::File;
use std::io::{self, Write};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::{Value as Json, json};

use crate::Failure;
use crate::arrivals::read_dues;
use crate::clock::now;
use crate::lines::KeepGoing;
use crate::samples::LONGEST_TEXT;

/// Whoever waits for a unit looks this often whether it is enough.
const GLANCE_NS: u64 = 50_000_000;
/// Walkers that hang are waited for until so long after the end.
const GRACE_NS: u64 = 100_000_000;

/// An order to keep going, under way. Its units are one queue for all walkers.
#[derive(Debug)]
pub struct Going {
    order: KeepGoing,
    /// When each unit is due, in ns after `at`.
    dues: Vec<u64>,
    taken: AtomicUsize,
    /// None: it has got its last line.
    log: Mutex<Option<File>>,
}

impl Going {
    pub fn new(order: KeepGoing) -> io::Result<Going> {
        let dues = read_dues(&order.due.file)?;
        let log = File::options().append(true).create(true).open(&order.log)?;
        Ok(Going { order, dues, taken: AtomicUsize::new(0), log: Mutex::new(Some(log)) })
    }

    /// The number of a walker's first command.
    pub fn first(&self, walker: usize) -> usize {
        self.order.first[walker]
    }

    /// Takes the next unit.
    pub fn take(&self) -> usize {
        self.taken.fetch_add(1, Ordering::Relaxed)
    }

    /// How long to sleep before another look at a unit that was taken; zero: it is due. None: it is not to begin, or there
    /// is no such unit.
    pub fn due_in(&self, unit: usize) -> Option<Duration> {
        let (due, now) = (self.order.due.at + self.dues.get(unit)?, now());
        let is_over = now >= self.order.until || self.order.enough.exists();
        (!is_over).then(|| Duration::from_nanos(due.saturating_sub(now).min(GLANCE_NS)))
    }

    /// How long walkers are waited for.
    pub fn left(&self) -> Duration {
        Duration::from_nanos((self.order.until + GRACE_NS).saturating_sub(now()))
    }

    pub fn began(&self, unit: usize, walker: usize) {
        self.note(&json!({"unit": unit, "walker": walker, "began": now()}));
    }

    pub fn ended(&self, unit: usize, walker: usize, ended: u64, replies: Result<Vec<Json>, Failure>) {
        self.note(&match replies {
            Ok(mut replies) => json!({"unit": unit, "walker": walker, "ended": ended, "reply": replies.remove(0)}),
            Err(failure) => {
                let text: String = failure.to_string().chars().take(LONGEST_TEXT).collect();
                json!({"unit": unit, "walker": walker, "ended": ended, "error": failure.class(), "text": text})
            }
        });
    }

    /// Writes the last line: walkers that hung until then have nothing to add.
    pub fn closed(&self) {
        let mut log = self.log.lock().expect("nobody panics here");
        write(log.as_mut(), &json!({"closed": now()}));
        *log = None;
    }

    fn note(&self, line: &Json) {
        write(self.log.lock().expect("nobody panics here").as_mut(), line);
    }
}

/// Writes a line at once, so that it is there when the process is killed.
fn write(log: Option<&mut File>, line: &Json) {
    if let Some(log) = log {
        log.write_all(format!("{line}\n").as_bytes()).expect("the log can be written");
    }
}
