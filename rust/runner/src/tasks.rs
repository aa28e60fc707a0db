//! A library whose calls are futures: its walkers are tasks of tokio.

use std::future::Future;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use serde_json::Value as Json;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::Barrier;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::time::sleep;

use crate::arrivals::Part;
use crate::clock::now;
use crate::cold_start::{FirstReply, timed};
use crate::keep_going::Going;
use crate::lines::{Bare, CacheCounts, Echo, Scenario, Trial, Window};
use crate::reply::{Decoded, Replies, Reply};
use crate::samples::Samples;
use crate::timer::Timer;
use crate::walkers::{Done, Order, Prepared, Slice, Walkers};
use crate::workload::{Command, Commands, Walk};
use crate::{Failure, unsupported};

/// How a library connects. What it does not have is unsupported.
pub trait Asynchronous: Send + Sync + 'static {
    type Client: AsyncClient;

    fn connect(&self) -> impl Future<Output = Result<Self::Client, Failure>> + Send;

    /// A client with a cache of so many entries.
    fn cached(&self, _entries: usize) -> impl Future<Output = Result<Self::Client, Failure>> + Send {
        async { Err(unsupported("caching")) }
    }

    /// A client that borrows a connection for each command, of a pool in which `max_total` are open.
    fn pool(&self, _max_total: usize) -> impl Future<Output = Result<impl AsyncClient, Failure>> + Send {
        async { Err::<Self::Client, _>(unsupported("pool")) }
    }
}

/// A client, whose clones share its connection.
pub trait AsyncClient: Clone + Send + 'static {
    type Value: Decoded;

    /// Sends a command through the library's own method, and returns its reply.
    fn call(&mut self, command: Command<'_>) -> impl Future<Output = Result<Reply<Self::Value>, Failure>> + Send;

    /// Sends commands in one flush, and reads all replies.
    fn batch(
        &mut self,
        _commands: Commands<'_>,
    ) -> impl Future<Output = Result<Vec<Reply<Self::Value>>, Failure>> + Send {
        async { Err(unsupported("batching")) }
    }

    /// Sends them between MULTI and EXEC, in the trial's form.
    fn transaction(
        &mut self,
        _commands: Commands<'_>,
    ) -> impl Future<Output = Result<Vec<Reply<Self::Value>>, Failure>> + Send {
        async { Err(unsupported("transaction")) }
    }

    /// What the client's cache has done since it was made; None: it has none.
    fn counts(&self) -> Option<CacheCounts> {
        None
    }

    fn close(self) -> impl Future<Output = ()> + Send {
        async { drop(self) }
    }
}

/// Opens every connection that the trial uses, and starts its tasks.
pub fn connect<L: Asynchronous>(library: &Arc<L>, prepared: Prepared) -> Result<Walkers, Failure> {
    let (trial, runtime) = (prepared.trial.clone(), runtime(&prepared.trial)?);
    let (shape, depth) = (&trial.shape, trial.depth());
    let connected = |count: usize| -> Result<Vec<L::Client>, Failure> {
        (0..count).map(|_| runtime.block_on(library.connect())).collect()
    };
    match (trial.scenario, shape.window) {
        (Scenario::NewConnection, _) => {
            let none = Vec::<L::Client>::new();
            start(prepared, runtime, none, |_, _| NewConnection(library.clone()))
        }
        (Scenario::Pool, _) => {
            let pool = runtime.block_on(library.pool(shape.max_total.unwrap_or(1)))?;
            start(prepared, runtime, vec![pool], |pools, _| Single(pools[0].clone()))
        }
        (Scenario::Caching, _) => {
            let client = runtime.block_on(library.cached(shape.cache_entries.unwrap_or(1)))?;
            start(prepared, runtime, vec![client], |clients, _| Single(clients[0].clone()))
        }
        (Scenario::Pipelining, Some(Window::Burst)) => {
            let clients = connected(1)?;
            start(prepared, runtime, clients, |clients, _| Burst(vec![clients[0].clone(); depth]))
        }
        (Scenario::Batching, _) => {
            let clients = connected(trial.walkers())?;
            start(prepared, runtime, clients, |clients, walker| Batch(clients[walker].clone(), depth))
        }
        (Scenario::Transaction, _) => {
            let clients = connected(1)?;
            start(prepared, runtime, clients, |clients, _| Transaction(clients[0].clone(), depth))
        }
        (Scenario::Sync | Scenario::Threads | Scenario::Pipelining, _) => {
            let clients = connected(shape.connections.unwrap_or(1).min(trial.walkers()))?;
            start(prepared, runtime, clients, |clients, walker| Single(clients[walker % clients.len()].clone()))
        }
    }
}

/// Starts tokio, connects, and sends the workload's first command.
pub fn first_reply<L: Asynchronous>(library: &L, prepared: &Prepared) -> Result<FirstReply, Failure> {
    let mut walk = prepared.walk();
    let (runtime, create_ns) = timed(|| Ok(runtime(&prepared.trial)?))?;
    let (mut client, connect_ns) = timed(|| runtime.block_on(library.connect()))?;
    let (reply, first_ns) = timed(|| runtime.block_on(client.call(walk.next())))?;
    runtime.block_on(client.close());
    Ok(FirstReply { create_ns, connect_ns, first_ns, reply: reply.json() })
}

/// tokio as `#[tokio::main]` starts it: a thread a processor; or one thread in all.
fn runtime(trial: &Trial) -> io::Result<Runtime> {
    let is_single = trial.has("runtime", "current-thread");
    let mut builder = if is_single { Builder::new_current_thread() } else { Builder::new_multi_thread() };
    builder.enable_all().build()
}

fn start<C: AsyncClient, U: Unit>(
    prepared: Prepared,
    runtime: Runtime,
    clients: Vec<C>,
    unit: impl Fn(&[C], usize) -> U,
) -> Result<Walkers, Failure> {
    let is_open = prepared.trial.open;
    let mut walkers = Walkers::new(prepared, Some(runtime));
    let places = walkers.places();
    let runtime = walkers.runtime();
    let timer = if is_open { Some(runtime.block_on(async { Timer::new() })?) } else { None };
    let everyone = Arc::new(Barrier::new(places.len()));
    let begin = |(walker, walk, orders)| {
        runtime.spawn(live(walker, unit(&clients, walker), walk, orders, everyone.clone(), timer.clone()))
    };
    let tasks: Vec<_> = places.into_iter().map(begin).collect();
    if let Some(client) = clients.first().filter(|client| client.counts().is_some()).cloned() {
        walkers.counts = Some(Box::new(move || client.counts().unwrap_or_default()));
    }
    walkers.close = Some(Box::new(move |runtime: &Runtime, hangs: bool| {
        runtime.block_on(async {
            if !hangs {
                join_all(tasks).await;
            }
            for client in clients {
                client.close().await;
            }
        });
    }));
    Ok(walkers)
}

/// What one latency covers.
trait Unit: Send + 'static {
    type Replies: Replies;

    fn perform(&mut self, walk: &mut Walk) -> impl Future<Output = Result<Self::Replies, Failure>> + Send;
}

struct Single<C>(C);

impl<C: AsyncClient> Unit for Single<C> {
    type Replies = Reply<C::Value>;

    async fn perform(&mut self, walk: &mut Walk) -> Result<Self::Replies, Failure> {
        self.0.call(walk.next()).await
    }
}

/// A client for each command in flight.
struct Burst<C>(Vec<C>);

impl<C: AsyncClient> Unit for Burst<C> {
    type Replies = Vec<Reply<C::Value>>;

    async fn perform(&mut self, walk: &mut Walk) -> Result<Self::Replies, Failure> {
        let commands = walk.take(self.0.len());
        let mut issued = Vec::with_capacity(commands.len());
        for (client, command) in self.0.iter_mut().zip(commands) {
            issued.push(client.call(command));
        }
        // All of them end before one that failed is told: the next burst begins with nothing in flight.
        join_all(issued).await.into_iter().collect()
    }
}

struct Batch<C>(C, usize);

impl<C: AsyncClient> Unit for Batch<C> {
    type Replies = Vec<Reply<C::Value>>;

    async fn perform(&mut self, walk: &mut Walk) -> Result<Self::Replies, Failure> {
        self.0.batch(walk.take(self.1)).await
    }
}

struct Transaction<C>(C, usize);

impl<C: AsyncClient> Unit for Transaction<C> {
    type Replies = Vec<Reply<C::Value>>;

    async fn perform(&mut self, walk: &mut Walk) -> Result<Self::Replies, Failure> {
        self.0.transaction(walk.take(self.1)).await
    }
}

struct NewConnection<L>(Arc<L>);

impl<L: Asynchronous> Unit for NewConnection<L> {
    type Replies = Reply<<L::Client as AsyncClient>::Value>;

    async fn perform(&mut self, walk: &mut Walk) -> Result<Self::Replies, Failure> {
        let mut client = self.0.connect().await?;
        let reply = client.call(walk.next()).await;
        client.close().await;
        reply
    }
}

/// Carries out orders until there are no more.
async fn live<U: Unit>(
    walker: usize,
    mut unit: U,
    mut walk: Walk,
    mut orders: UnboundedReceiver<Order>,
    everyone: Arc<Barrier>,
    timer: Option<Timer>,
) {
    while let Some(order) = orders.recv().await {
        // Nobody may wait for an answer any more: then the trial is over.
        match order {
            Order::Echo(order, answer) => _ = answer.send(echo(&mut unit, &mut walk, order).await),
            Order::Work(slice, samples, answer) => {
                walk.go_to(slice.first[walker]);
                _ = answer.send(work(&mut unit, &mut walk, &slice, samples, &everyone, timer.as_ref()).await);
            }
            Order::KeepGoing(going, answer) => {
                walk.go_to(going.first(walker));
                keep_going(&mut unit, &mut walk, &going, walker).await;
                _ = answer.send(());
            }
            Order::Bare(order, answer) => _ = answer.send(perform_bare(&mut unit, &mut walk, order).await),
        }
    }
}

async fn echo<U: Unit>(unit: &mut U, walk: &mut Walk, order: Echo) -> Result<Vec<Json>, Failure> {
    let (mut replies, mut bytes) = (Vec::new(), 0);
    walk.go_to(order.first);
    while replies.len() < order.commands && bytes < order.bytes {
        for reply in unit.perform(walk).await?.json() {
            bytes += reply.to_string().len();
            replies.push(reply);
        }
    }
    Ok(replies)
}

async fn work<U: Unit>(
    unit: &mut U,
    walk: &mut Walk,
    slice: &Slice,
    mut samples: Samples,
    everyone: &Barrier,
    timer: Option<&Timer>,
) -> Done {
    let mut units = [0; 2];
    meet(slice, everyone).await;
    for part in 0..2 {
        match (&slice.arrivals, timer) {
            (Some(parts), Some(timer)) => perform_due(unit, walk, &mut samples, &parts[part], timer).await,
            _ if slice.durations_ns[part] == 0 => {}
            _ => perform(unit, walk, &mut samples, slice.end_ns()).await,
        }
        units[part] = samples.end_part(part == 1 && slice.keep);
        meet(slice, everyone).await;
    }
    Done { samples, units }
}

async fn meet(slice: &Slice, everyone: &Barrier) {
    slice.arrive();
    everyone.wait().await;
}

/// Performs units one after the other until the time is over; other tasks may take theirs from the same walk.
async fn perform<U: Unit>(unit: &mut U, walk: &mut Walk, samples: &mut Samples, end_ns: u64) {
    let mut then = now();
    loop {
        let ended = unit.perform(walk).await;
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
async fn perform_due<U: Unit>(unit: &mut U, walk: &mut Walk, samples: &mut Samples, part: &Part, timer: &Timer) {
    while let Some((due, start)) = timer.next(part).await {
        let ended = unit.perform(walk).await;
        let latency = (now() - start) as f64;
        samples.add_due(if ended.is_ok() { latency } else { -latency }, due.due(), due.lag(start));
        if let Err(failure) = ended {
            samples.fail(&failure);
        }
    }
}

/// Performs units when they are due, whatever becomes of them.
async fn keep_going<U: Unit>(unit: &mut U, walk: &mut Walk, going: &Going, walker: usize) {
    while let Some(number) = due_unit(going).await {
        going.began(number, walker);
        let ended = unit.perform(walk).await;
        going.ended(number, walker, now(), ended.map(|replies| replies.json()));
    }
}

/// Takes the next unit and waits until it is due; None: there is none, or it is enough.
async fn due_unit(going: &Going) -> Option<usize> {
    let number = going.take();
    loop {
        match going.due_in(number)? {
            Duration::ZERO => return Some(number),
            time => sleep(time).await,
        }
    }
}

/// Performs units as a user's own loop would: what `perform` is judged by.
async fn perform_bare<U: Unit>(unit: &mut U, walk: &mut Walk, order: Bare) -> Result<u64, Failure> {
    let (mut units, end_ns) = (0, now() + order.ns);
    walk.go_to(order.first);
    loop {
        unit.perform(walk).await?;
        units += 1;
        if now() >= end_ns {
            return Ok(units);
        }
    }
}
