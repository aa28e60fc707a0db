//! What is recorded of units: latencies, and failures by class.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::Failure;
use crate::lines;

const LEAST: usize = 1 << 10;
pub const LONGEST_TEXT: usize = 500;

/// Those of one thread or task. What does not fit is counted; a part that is not kept is overwritten by the next.
#[derive(Debug)]
pub struct Samples {
    latencies: Vec<f64>,
    /// Of an open loop; else without room.
    dues: Vec<f64>,
    lags: Vec<f64>,
    /// Where the next unit goes.
    index: usize,
    /// Where the part began.
    begin: usize,
    /// Units of the part that have a place but failed: those of an open loop.
    failed: usize,
    /// How many of each kept slice are stored.
    counts: Vec<usize>,
    dropped: usize,
    /// Of the slice.
    pub errors: BTreeMap<String, u64>,
    pub first_error: Option<String>,
}

impl Samples {
    pub fn new(size: usize, is_open: bool) -> Samples {
        // All of it is written here, so no slice pays for a page fault.
        let column = |size: usize| vec![1.0; size];
        let (size, of_open) = (size.max(LEAST), if is_open { size.max(LEAST) } else { 0 });
        Samples {
            latencies: column(size),
            dues: column(of_open),
            lags: column(of_open),
            index: 0,
            begin: 0,
            failed: 0,
            counts: Vec::new(),
            dropped: 0,
            errors: BTreeMap::new(),
            first_error: None,
        }
    }

    #[inline]
    pub fn add(&mut self, latency_ns: u64) {
        if let Some(place) = self.latencies.get_mut(self.index) {
            *place = latency_ns as f64;
        }
        self.index += 1;
    }

    /// Adds a unit of an open loop; its latency is negative if it failed.
    pub fn add_due(&mut self, latency_ns: f64, due_ns: f64, lag_ns: f64) {
        if self.index < self.dues.len() {
            self.latencies[self.index] = latency_ns;
            self.dues[self.index] = due_ns;
            self.lags[self.index] = lag_ns;
        }
        self.index += 1;
        self.failed += usize::from(latency_ns < 0.0);
    }

    pub fn fail(&mut self, failure: &Failure) {
        *self.errors.entry(failure.class().to_string()).or_default() += 1;
        self.first_error.get_or_insert_with(|| failure.to_string().chars().take(LONGEST_TEXT).collect());
    }

    /// Keeps or forgets the latencies of the part that has just ended; returns how many units were completed in it.
    pub fn end_part(&mut self, keep: bool) -> usize {
        let units = self.index - self.begin - self.failed;
        if keep {
            let kept = self.index.min(self.latencies.len()).saturating_sub(self.begin);
            self.counts.push(kept);
            self.dropped += self.index - self.begin - kept;
            self.begin += kept;
        }
        (self.index, self.failed) = (self.begin, 0);
        units
    }

    fn column(&self, column: &[f64], slice: usize) -> Vec<f64> {
        let begin: usize = self.counts[..slice].iter().sum();
        column.get(begin..begin + self.counts[slice]).unwrap_or_default().to_vec()
    }
}

/// Returns what is kept of all threads or tasks, slice by slice, and empties their storage.
pub fn hand_over(every: &mut [Samples], is_open: bool) -> lines::Samples {
    let slices = 0..every[0].counts.len();
    let encoded = |column: fn(&Samples) -> &[f64]| {
        let of_slice = |slice| every.iter().flat_map(move |one| one.column(column(one), slice));
        STANDARD.encode(slices.clone().flat_map(of_slice).flat_map(f64::to_le_bytes).collect::<Vec<u8>>())
    };
    let taken = lines::Samples {
        latencies: encoded(|one| &one.latencies),
        counts: slices.clone().map(|slice| every.iter().map(|one| one.counts[slice]).sum()).collect(),
        dropped: every.iter().map(|one| one.dropped).sum(),
        due: is_open.then(|| encoded(|one| &one.dues)),
        lags: is_open.then(|| encoded(|one| &one.lags)),
    };
    for one in every {
        one.counts.clear();
        (one.index, one.begin, one.dropped) = (0, 0, 0);
    }
    taken
}
