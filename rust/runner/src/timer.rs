//! How an event loop waits: one timer of the kernel for all tasks. tokio's own timers have whole milliseconds.

use std::io;
use std::os::fd::{AsFd, AsRawFd, RawFd};
use std::sync::Arc;

use nix::sys::timerfd::{ClockId, Expiration, TimerFd, TimerFlags, TimerSetTimeFlags};
use tokio::io::unix::AsyncFd;
use tokio::sync::Mutex;
use tokio::task::yield_now;

use crate::arrivals::{Due, Part};
use crate::clock::{now, timespec};

/// Of the tasks that are idle, one waits until its unit is due, and the others for their turn.
#[derive(Clone)]
pub struct Timer(Arc<Mutex<AsyncFd<Kernels>>>);

impl Timer {
    /// Must be called in the runtime.
    pub fn new() -> io::Result<Timer> {
        let flags = TimerFlags::TFD_NONBLOCK | TimerFlags::TFD_CLOEXEC;
        let timer = Kernels(TimerFd::new(ClockId::CLOCK_MONOTONIC, flags)?);
        // SAFETY: it owns its descriptor, which is the same and open for as long as it lives.
        let timer = unsafe { AsyncFd::register(timer) }?;
        Ok(Timer(Arc::new(Mutex::new(timer))))
    }

    /// Takes the next unit and waits until it is due; None: there is none that may start.
    pub async fn next(&self, part: &Part) -> Option<(Due, u64)> {
        let turn = self.0.lock().await;
        let unit = part.take()?;
        sleep_until(&turn, unit.waking, unit.time).await;
        let start = now();
        (!part.is_closed(start)).then_some((unit, start))
    }
}

/// The kernel's timer, as tokio waits for it.
struct Kernels(TimerFd);

impl AsRawFd for Kernels {
    fn as_raw_fd(&self) -> RawFd {
        self.0.as_fd().as_raw_fd()
    }
}

/// Returns at this time of the clock, after a sleep until `waking`; others have their turn between two readings of it.
async fn sleep_until(timer: &AsyncFd<Kernels>, waking: u64, time: u64) {
    if now() < waking {
        let once = Expiration::OneShot(timespec(waking));
        timer.get_ref().0.set(once, TimerSetTimeFlags::TFD_TIMER_ABSTIME).expect("the time is valid");
        while now() < waking {
            let mut ready = timer.readable().await.expect("the runtime runs");
            // Reading makes it wait for the next expiry.
            let _ = ready.try_io(|timer| timer.get_ref().0.wait().map_err(io::Error::from));
        }
    }
    while now() < time {
        yield_now().await;
    }
}
