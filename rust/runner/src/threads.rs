//! A library whose calls block: its walkers are threads of the system, each with a connection of its own.

use std::sync::{Arc, Barrier};
use std::thread;
use std::time::Duration;

use serde_json::Value as Json;
use tokio::sync::mpsc::UnboundedReceiver;

use crate::arrivals::Part;
use crate::clock::{now, sleep_until};
use crate::cold_start::{FirstReply, timed};
use crate::keep_going::Going;
use crate::lines::{Bare, Echo, Scenario};
use crate::reply::{Decoded, Replies, Reply};
use crate::samples::Samples;
use crate::walkers::{Done, Order, Prepared, Slice, Walkers};
use crate::workload::{Command, Commands, Walk};
use crate::{Failure, unsupported};

/// How a library connects. What it does not have is unsupported.
pub trait Blocking: Send + Sync + 'static {
    type Client: Client;

    fn connect(&self) -> Result<Self::Client, Failure>;

    /// A client that borrows a connection for each command, of a pool in which `max_total` are open.
    fn pool(&self, _max_total: usize) -> Result<impl Client + Clone, Failure> {
        Err::<Unpooled<Self::Client>, _>(unsupported("pool"))
    }
}

/// A connection, or what borrows one; it closes when it is dropped.
pub trait Client: Send + 'static {
    type Value: Decoded;

    /// Sends a command through the library's own method, and waits for its reply.
    fn call(&mut self, command: Command<'_>) -> Result<Reply<Self::Value>, Failure>;

    /// Sends commands in one flush, and reads all replies.
    fn batch(&mut self, _commands: Commands<'_>) -> Result<Vec<Reply<Self::Value>>, Failure> {
        Err(unsupported("batching"))
    }

    /// Sends them between MULTI and EXEC.
    fn transaction(&mut self, _commands: Commands<'_>) -> Result<Vec<Reply<Self::Value>>, Failure> {
        Err(unsupported("transaction"))
    }
}

/// Opens every connection that the trial uses, and starts its threads.
pub fn connect<L: Blocking>(library: &Arc<L>, prepared: Prepared) -> Result<Walkers, Failure> {
    let depth = prepared.trial.depth();
    match prepared.trial.scenario {
        Scenario::Sync => start(prepared, || Ok(Single(library.connect()?))),
        Scenario::Batching => start(prepared, || Ok(Batch(library.connect()?, depth))),
        Scenario::Transaction => start(prepared, || Ok(Transaction(library.connect()?, depth))),
        Scenario::NewConnection => start(prepared, || Ok(NewConnection(library.clone()))),
        Scenario::Pool => {
            let pool = library.pool(prepared.trial.shape.max_total.unwrap_or(1))?;
            start(prepared, || Ok(Single(pool.clone())))
        }
        Scenario::Threads | Scenario::Pipelining | Scenario::Caching => {
            Err(Failure::Unsupported("an API that blocks has none of these scenarios".to_string()))
        }
    }
}

/// Connects and sends the workload's first command, with no thread but this one.
pub fn first_reply<L: Blocking>(library: &L, prepared: &Prepared) -> Result<FirstReply, Failure> {
    let mut walk = prepared.walk();
    let (mut client, connect_ns) = timed(|| library.connect())?;
    let (reply, first_ns) = timed(|| client.call(walk.next()))?;
    Ok(FirstReply { create_ns: 0, connect_ns, first_ns, reply: reply.json() })
}

fn start<U: Unit>(prepared: Prepared, unit: impl Fn() -> Result<U, Failure>) -> Result<Walkers, Failure> {
    let mut walkers = Walkers::new(prepared, None);
    let places = walkers.places();
    let everyone = Arc::new(Barrier::new(places.len()));
    for (walker, walk, orders) in places {
        let (unit, everyone) = (unit()?, everyone.clone());
        walkers.add_thread(thread::spawn(move || live(walker, unit, walk, orders, &everyone)));
    }
    Ok(walkers)
}

/// What one latency covers.
trait Unit: Send + 'static {
    type Replies: Replies;

    fn perform(&mut self, walk: &mut Walk) -> Result<Self::Replies, Failure>;
}

struct Single<C>(C);

impl<C: Client> Unit for Single<C> {
    type Replies = Reply<C::Value>;

    fn perform(&mut self, walk: &mut Walk) -> Result<Self::Replies, Failure> {
        self.0.call(walk.next())
    }
}

struct Batch<C>(C, usize);

impl<C: Client> Unit for Batch<C> {
    type Replies = Vec<Reply<C::Value>>;

    fn perform(&mut self, walk: &mut Walk) -> Result<Self::Replies, Failure> {
        self.0.batch(walk.take(self.1))
    }
}

struct Transaction<C>(C, usize);

impl<C: Client> Unit for Transaction<C> {
    type Replies = Vec<Reply<C::Value>>;

    fn perform(&mut self, walk: &mut Walk) -> Result<Self::Replies, Failure> {
        self.0.transaction(walk.take(self.1))
    }
}

struct NewConnection<L>(Arc<L>);

impl<L: Blocking> Unit for NewConnection<L> {
    type Replies = Reply<<L::Client as Client>::Value>;

    fn perform(&mut self, walk: &mut Walk) -> Result<Self::Replies, Failure> {
        self.0.connect()?.call(walk.next())
    }
}

/// Carries out orders until there are no more.
fn live<U: Unit>(walker: usize, mut unit: U, mut walk: Walk, mut orders: UnboundedReceiver<Order>, everyone: &Barrier) {
    while let Some(order) = orders.blocking_recv() {
        // Nobody may wait for an answer any more: then the trial is over.
        match order {
            Order::Echo(order, answer) => _ = answer.send(echo(&mut unit, &mut walk, order)),
            Order::Work(slice, samples, answer) => {
                walk.go_to(slice.first[walker]);
                _ = answer.send(work(&mut unit, &mut walk, &slice, samples, everyone));
            }
            Order::KeepGoing(going, answer) => {
                walk.go_to(going.first(walker));
                keep_going(&mut unit, &mut walk, &going, walker);
                _ = answer.send(());
            }
            Order::Bare(order, answer) => _ = answer.send(perform_bare(&mut unit, &mut walk, order)),
        }
    }
}

fn echo<U: Unit>(unit: &mut U, walk: &mut Walk, order: Echo) -> Result<Vec<Json>, Failure> {
    let (mut replies, mut bytes) = (Vec::new(), 0);
    walk.go_to(order.first);
    while replies.len() < order.commands && bytes < order.bytes {
        for reply in unit.perform(walk)?.json() {
            bytes += reply.to_string().len();
            replies.push(reply);
        }
    }
    Ok(replies)
}

fn work<U: Unit>(unit: &mut U, walk: &mut Walk, slice: &Slice, mut samples: Samples, everyone: &Barrier) -> Done {
    let mut units = [0; 2];
    let meet = || {
        slice.arrive();
        everyone.wait();
    };
    meet();
    for part in 0..2 {
        match &slice.arrivals {
            Some(parts) => perform_due(unit, walk, &mut samples, &parts[part]),
            None if slice.durations_ns[part] == 0 => {}
            None => perform(unit, walk, &mut samples, slice.end_ns()),
        }
        units[part] = samples.end_part(part == 1 && slice.keep);
        meet();
    }
    Done { samples, units }
}

/// Performs units one after the other until the time is over: the client is charged for every nanosecond in here. One
/// reading of the clock ends a unit, starts the next, and decides whether there is one.
fn perform<U: Unit>(unit: &mut U, walk: &mut Walk, samples: &mut Samples, end_ns: u64) {
    let mut then = now();
    loop {
        let ended = unit.perform(walk);
        let now = now();
        match ended {
            Ok(_) => samples.add(now - then),
            Err(failure) => samples.fail(&failure),
        }
        if now >= end_ns {
            return;
        }
        then = now;
    }
}

/// Performs units, each when it is due, until there are no more or the part is closed.
fn perform_due<U: Unit>(unit: &mut U, walk: &mut Walk, samples: &mut Samples, part: &Part) {
    while let Some(due) = part.take() {
        sleep_until(due.waking, due.time);
        let start = now();
        if part.is_closed(start) {
            return;
        }
        let ended = unit.perform(walk);
        let latency = (now() - start) as f64;
        samples.add_due(if ended.is_ok() { latency } else { -latency }, due.due(), due.lag(start));
        if let Err(failure) = ended {
            samples.fail(&failure);
        }
    }
}

/// Performs units when they are due, whatever becomes of them.
fn keep_going<U: Unit>(unit: &mut U, walk: &mut Walk, going: &Going, walker: usize) {
    while let Some(number) = due_unit(going) {
        going.began(number, walker);
        let ended = unit.perform(walk);
        going.ended(number, walker, now(), ended.map(|replies| replies.json()));
    }
}

/// Takes the next unit and waits until it is due; None: there is none, or it is enough.
fn due_unit(going: &Going) -> Option<usize> {
    let number = going.take();
    loop {
        match going.due_in(number)? {
            Duration::ZERO => return Some(number),
            time => thread::sleep(time),
        }
    }
}

/// Performs units as a user's own loop would: what `perform` is judged by.
fn perform_bare<U: Unit>(unit: &mut U, walk: &mut Walk, order: Bare) -> Result<u64, Failure> {
    let (mut units, end_ns) = (0, now() + order.ns);
    walk.go_to(order.first);
    loop {
        unit.perform(walk)?;
        units += 1;
        if now() >= end_ns {
            return Ok(units);
        }
    }
}

/// Of a library that has no pool.
struct Unpooled<C>(std::marker::PhantomData<fn() -> C>);

impl<C> Clone for Unpooled<C> {
    fn clone(&self) -> Self {
        Unpooled(self.0)
    }
}

impl<C: Client> Client for Unpooled<C> {
    type Value = C::Value;

    fn call(&mut self, _command: Command<'_>) -> Result<Reply<C::Value>, Failure> {
        Err(unsupported("pool"))
    }
}
