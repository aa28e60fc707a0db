//! The open loops: units start when they are due, however long the ones before them took.

use std::fs;
use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::clock::MARGIN_NS;
use crate::lines::{Trial, Work};

/// The lead-in or the measured part of a slice. Its units are one queue: whoever is idle takes the next one, waits until
/// it is due, and performs it.
#[derive(Debug)]
pub struct Part {
    at: u64,
    pub end_ns: u64,
    /// A unit that has not started by then never does.
    close_ns: u64,
    /// How long before a unit is due whoever waits for it reads the clock, at most.
    awake_ns: u64,
    /// When each of this process's units is due, in ns after `at`.
    dues: Vec<f64>,
    next: AtomicUsize,
}

impl Part {
    /// Reads the lead-in and the measured part of this process's units; None: the loop is closed.
    pub fn read(work: &Work, trial: &Trial) -> io::Result<Option<[Part; 2]>> {
        let Some(given) = &work.arrivals else { return Ok(None) };
        let bytes = fs::read(&given.file)?;
        let every = bytes.chunks_exact(8).map(|eight| f64::from_le_bytes(eight.try_into().expect("8 bytes")));
        let own: Vec<f64> = every.skip(trial.part).step_by(trial.parts).collect();
        let begin = own.partition_point(|&due| due < work.lead_in_ns as f64);
        let part = |dues: &[f64], end_ns: u64| Part {
            at: given.at,
            end_ns: given.at + end_ns,
            close_ns: given.at + end_ns + given.drain_ns,
            awake_ns: given.awake_ns.unwrap_or(MARGIN_NS),
            dues: dues.to_vec(),
            next: AtomicUsize::new(0),
        };
        Ok(Some([part(&own[..begin], work.lead_in_ns), part(&own[begin..], work.lead_in_ns + work.ns)]))
    }

    /// Takes the next unit; None: there is none left.
    pub fn take(&self) -> Option<Due> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let due = *self.dues.get(number)?;
        let time = self.time(due);
        let before = number.checked_sub(1).map_or(0, |before| self.time(self.dues[before]));
        Some(Due { due, at: self.at, waking: before.max(self.waking(time)), time })
    }

    /// Returns until when whoever waits for this time sleeps.
    pub fn waking(&self, time: u64) -> u64 {
        time.saturating_sub(self.awake_ns)
    }

    /// No unit starts early: a part of a nanosecond counts as a whole one.
    fn time(&self, due: f64) -> u64 {
        self.at + due.ceil() as u64
    }

    /// Whether no unit may start any more.
    pub fn is_closed(&self, now: u64) -> bool {
        now >= self.close_ns
    }
}

/// When a unit is due.
#[derive(Clone, Copy, Debug)]
pub struct Due {
    /// In ns after the slice's `at`.
    pub due: f64,
    at: u64,
    /// Until when whoever waits for it sleeps, by the clock: before that, whoever has the unit before it is awake.
    pub waking: u64,
    /// By the clock.
    pub time: u64,
}

impl Due {
    /// How much later a unit starts than it was due, in ns.
    pub fn lag(&self, start: u64) -> f64 {
        (start - self.at) as f64 - self.due
    }
}
