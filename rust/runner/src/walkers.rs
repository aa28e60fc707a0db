//! What threads and tasks have in common: the orders that each is given, and how they go from part to part together.
//!
//! A walker is a thread's or task's way through the workload; the places of a sliding window are tasks that share one.
//! Threads and tasks live as long as the trial, and wait for orders between slices.

use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::thread::JoinHandle;

use futures_util::future::join_all;
use serde_json::Value as Json;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::oneshot;
use tokio::time::timeout;

use crate::Failure;
use crate::arrivals::Part;
use crate::clock;
use crate::keep_going::Going;
use crate::lines::{self, Bare, CacheCounts, Echo, KeepGoing, Moment, Trial, Work, Worked};
use crate::samples::{Samples, hand_over};
use crate::workload::{Walk, Workload};

/// What a thread or task is to do, and where its answer goes.
pub enum Order {
    /// Performs units and returns the replies.
    Echo(Echo, oneshot::Sender<Result<Vec<Json>, Failure>>),
    Work(Arc<Slice>, Samples, oneshot::Sender<Done>),
    /// Performs units whatever becomes of them.
    KeepGoing(Arc<Going>, oneshot::Sender<()>),
    /// Performs units as a user's own loop would.
    Bare(Bare, oneshot::Sender<Result<u64, Failure>>),
}

/// What a thread or task did in a slice.
pub struct Done {
    pub samples: Samples,
    /// Completed in the lead-in, and in the measured part.
    pub units: [usize; 2],
}

/// A slice, which all threads or tasks work for at the same time.
pub struct Slice {
    /// The number of each walker's first command.
    pub first: Vec<usize>,
    pub durations_ns: [u64; 2],
    pub keep: bool,
    pub arrivals: Option<[Part; 2]>,
    workers: usize,
    arrived: AtomicUsize,
    moments: Mutex<Vec<Moment>>,
    end_ns: AtomicU64,
}

impl Slice {
    fn new(work: &Work, arrivals: Option<[Part; 2]>, workers: usize) -> Slice {
        Slice {
            first: work.first.clone(),
            durations_ns: [work.lead_in_ns, work.ns],
            keep: work.keep,
            arrivals,
            workers,
            arrived: AtomicUsize::new(0),
            moments: Mutex::new(Vec::with_capacity(3)),
            end_ns: AtomicU64::new(0),
        }
    }

    /// Is called by each before it waits for the others. The last one notes the moment at which all go on: no hand-over
    /// to another thread lies between two moments.
    pub fn arrive(&self) {
        if self.arrived.fetch_add(1, Ordering::AcqRel) + 1 < self.workers {
            return;
        }
        self.arrived.store(0, Ordering::Release);
        let mut moments = self.moments.lock().expect("nobody panics here");
        if let (Some(parts), Some(ended)) = (&self.arrivals, moments.len().checked_sub(1)) {
            // The last units may be done long before their part is over.
            let end_ns = parts[ended].end_ns;
            clock::sleep_until(parts[ended].waking(end_ns), end_ns);
        }
        let moment = clock::moment();
        self.end_ns.store(moment[0] + self.durations_ns.get(moments.len()).copied().unwrap_or(0), Ordering::Release);
        moments.push(moment);
    }

    /// When the part under way is over.
    pub fn end_ns(&self) -> u64 {
        self.end_ns.load(Ordering::Acquire)
    }
}

/// What a trial has before it connects: every command, and storage for latencies, whose memory has been touched.
pub struct Prepared {
    pub trial: Trial,
    workload: Arc<Workload>,
    /// Of each thread or task.
    samples: Vec<Samples>,
}

impl Prepared {
    pub fn new(trial: Trial) -> Result<Prepared, Failure> {
        let workload = Arc::new(Workload::read(&trial.workload)?);
        let workers = trial.walkers() * trial.places();
        let samples = (0..workers).map(|_| Samples::new(trial.samples / workers, trial.open)).collect();
        Ok(Prepared { trial, workload, samples })
    }

    /// A walk that begins with the workload's first command.
    pub fn walk(&self) -> Walk {
        Walk::new(&self.workload, false)
    }
}

/// Closes what tasks share, after their end unless some of them hang.
type Close = Box<dyn FnOnce(&Runtime, bool)>;

/// The threads or tasks of a trial.
pub struct Walkers {
    trial: Trial,
    workload: Arc<Workload>,
    workers: Vec<UnboundedSender<Order>>,
    samples: Vec<Samples>,
    threads: Vec<JoinHandle<()>>,
    /// Where there are tasks.
    runtime: Option<Runtime>,
    pub close: Option<Close>,
    /// What the local cache has done since it was made.
    pub counts: Option<Box<dyn Fn() -> CacheCounts>>,
    counted: CacheCounts,
    /// If it was told to keep going.
    going: Option<Arc<Going>>,
    /// Whether some of the walkers never came back from that.
    hangs: bool,
}

impl Walkers {
    pub fn new(prepared: Prepared, runtime: Option<Runtime>) -> Walkers {
        let Prepared { trial, workload, samples } = prepared;
        Walkers {
            trial,
            workload,
            workers: Vec::new(),
            samples,
            threads: Vec::new(),
            runtime,
            close: None,
            counts: None,
            counted: CacheCounts::default(),
            going: None,
            hangs: false,
        }
    }

    /// Every walker's walk, and where a new thread or task of it gets its orders.
    pub fn places(&mut self) -> Vec<(usize, Walk, UnboundedReceiver<Order>)> {
        let (walkers, places) = (self.trial.walkers(), self.trial.places());
        let mut made = Vec::new();
        for walker in 0..walkers {
            let walk = Walk::new(&self.workload, places > 1);
            for _ in 0..places {
                let (sender, orders) = unbounded_channel();
                self.workers.push(sender);
                made.push((walker, walk.clone(), orders));
            }
        }
        made
    }

    pub fn add_thread(&mut self, thread: JoinHandle<()>) {
        self.threads.push(thread);
    }

    pub fn runtime(&self) -> &Runtime {
        self.runtime.as_ref().expect("it has tasks")
    }

    /// Lets the first walker perform units from the beginning; returns the replies.
    pub fn echo(&mut self, order: Echo) -> Result<Vec<Json>, Failure> {
        let replies = self.wait(ask(&self.workers[0], |answer| Order::Echo(order, answer)));
        self.count_cache();
        replies
    }

    /// Works for one slice.
    pub fn work(&mut self, order: &Work) -> Result<Worked, Failure> {
        let arrivals = Part::read(order)?;
        let slice = Arc::new(Slice::new(order, arrivals, self.workers.len()));
        let give = |(worker, samples)| ask(worker, |answer| Order::Work(slice.clone(), samples, answer));
        let answers: Vec<_> = self.workers.iter().zip(self.samples.drain(..)).map(give).collect();
        let done: Vec<Done> = answers.into_iter().map(|answer| self.wait(answer)).collect();
        let units = |part: usize| -> Vec<usize> {
            done.chunks(self.trial.places()).map(|places| places.iter().map(|one| one.units[part]).sum()).collect()
        };
        let (lead_in, measured) = (units(0), units(1));
        self.samples = done.into_iter().map(|one| one.samples).collect();
        let moments = slice.moments.lock().expect("nobody panics there");
        let mut worked = Worked {
            started: moments[0],
            measured_from: moments[1],
            ended: moments[2],
            lead_in,
            measured,
            errors: Default::default(),
            first_error: None,
            cache: self.count_cache(),
        };
        for samples in &mut self.samples {
            for (class, count) in std::mem::take(&mut samples.errors) {
                *worked.errors.entry(class).or_default() += count;
            }
            let first = samples.first_error.take();
            worked.first_error = worked.first_error.or(first);
        }
        Ok(worked)
    }

    /// Lets walkers perform units until there are no more or it is enough; whoever hangs is left behind.
    pub fn keep_going(&mut self, order: KeepGoing) -> Result<(), Failure> {
        let going = Arc::new(Going::new(order)?);
        let give = |worker| ask(worker, |answer| Order::KeepGoing(going.clone(), answer));
        let answers: Vec<_> = self.workers.iter().map(give).collect();
        let waited = async { timeout(going.left(), join_all(answers)).await };
        let ended = match &self.runtime {
            Some(runtime) => runtime.block_on(waited),
            None => Builder::new_current_thread().enable_time().build()?.block_on(waited),
        };
        self.hangs = ended.is_err();
        self.going = Some(going);
        Ok(())
    }

    pub fn bare(&mut self, order: Bare) -> Result<lines::Answer, Failure> {
        if self.workers.len() > 1 {
            return Err(Failure::Unsupported("the bare loop has one walker".to_string()));
        }
        let started = clock::moment();
        let units = self.wait(ask(&self.workers[0], |answer| Order::Bare(order, answer)))?;
        Ok(lines::Answer::Bared { units, started, ended: clock::moment() })
    }

    pub fn samples(&mut self) -> lines::Samples {
        hand_over(&mut self.samples, self.trial.open)
    }

    /// Ends threads and tasks, and closes every connection.
    pub fn close(mut self) {
        self.workers.clear();
        // Those that hang end with the process.
        for thread in self.threads.into_iter().filter(|_| !self.hangs) {
            // One that panicked has ended the process.
            let _ = thread.join();
        }
        self.counts = None;
        if let (Some(runtime), Some(close)) = (&self.runtime, self.close) {
            close(runtime, self.hangs);
        }
        if let Some(going) = self.going {
            going.closed();
        }
    }

    /// What the local cache did since the last time; null without one.
    fn count_cache(&mut self) -> Option<CacheCounts> {
        let now = self.counts.as_ref()?();
        let since = now.since(self.counted);
        self.counted = now;
        Some(since)
    }

    fn wait<T>(&self, answer: oneshot::Receiver<T>) -> T {
        let answer = match &self.runtime {
            Some(runtime) => runtime.block_on(answer),
            None => answer.blocking_recv(),
        };
        answer.expect("a thread or task that panics ends the process")
    }
}

fn ask<T>(worker: &UnboundedSender<Order>, order: impl FnOnce(oneshot::Sender<T>) -> Order) -> oneshot::Receiver<T> {
    let (sender, answer) = oneshot::channel();
    // Where it has ended, nobody answers.
    let _ = worker.send(order(sender));
    answer
}
