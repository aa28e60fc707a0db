//! The open loops: units start when they are due, however long the ones before them took.

use std::fs;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::clock::MARGIN_NS;
use crate::lines::Work;

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
    /// When each unit is due, in ns after `at`.
    dues: Vec<u64>,
    next: AtomicUsize,
}

impl Part {
    /// Reads the lead-in and the measured part; None: the loop is closed.
    pub fn read(work: &Work) -> io::Result<Option<[Part; 2]>> {
        let Some(given) = &work.arrivals else { return Ok(None) };
        let dues = read_dues(&given.file)?;
        let (lead_in, measured) = dues.split_at(given.lead_in);
        let part = |dues: &[u64], end_ns: u64| Part {
            at: given.at,
            end_ns: given.at + end_ns,
            close_ns: given.at + end_ns + given.drain_ns,
            awake_ns: given.awake_ns.unwrap_or(MARGIN_NS),
            dues: dues.to_vec(),
            next: AtomicUsize::new(0),
        };
        Ok(Some([part(lead_in, work.lead_in_ns), part(measured, work.lead_in_ns + work.ns)]))
    }

    /// Takes the next unit; None: there is none left.
    pub fn take(&self) -> Option<Due> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let time = self.at + self.dues.get(number)?;
        let before = number.checked_sub(1).map_or(0, |before| self.at + self.dues[before]);
        Some(Due { at: self.at, waking: before.max(self.waking(time)), time })
    }

    /// Returns until when whoever waits for this time sleeps.
    pub fn waking(&self, time: u64) -> u64 {
        time.saturating_sub(self.awake_ns)
    }

    /// Whether no unit may start any more.
    pub fn is_closed(&self, now: u64) -> bool {
        now >= self.close_ns
    }
}

/// Reads when units are due, in ns.
pub fn read_dues(file: &Path) -> io::Result<Vec<u64>> {
    let eight = |bytes: &[u8]| u64::from_le_bytes(bytes.try_into().expect("8 bytes"));
    Ok(fs::read(file)?.chunks_exact(8).map(eight).collect())
}

/// When a unit is due.
#[derive(Clone, Copy, Debug)]
pub struct Due {
    at: u64,
    /// Until when whoever waits for it sleeps, by the clock: before that, whoever has the unit before it is awake.
    pub waking: u64,
    /// By the clock.
    pub time: u64,
}

impl Due {
    /// In ns after the slice's `at`.
    pub fn due(&self) -> f64 {
        (self.time - self.at) as f64
    }

    /// How much later a unit starts than it was due, in ns.
    pub fn lag(&self, start: u64) -> f64 {
        (start - self.time) as f64
    }
}
