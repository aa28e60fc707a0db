//! CLOCK_MONOTONIC, which all processes share, in nanoseconds; and how a thread waits.

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::{TimeSpec, TimeVal, TimeValLike};
use nix::time::{ClockId, ClockNanosleepFlags, clock_gettime, clock_nanosleep};

use crate::lines::Moment;

/// A sleep usually ends so long before what it waits for: most sleepers wake later by less than that.
pub const MARGIN_NS: u64 = 20_000;
const SECOND_NS: u64 = 1_000_000_000;

#[inline]
pub fn now() -> u64 {
    let time = clock_gettime(ClockId::CLOCK_MONOTONIC).expect("Linux has this clock");
    time.tv_sec() as u64 * SECOND_NS + time.tv_nsec() as u64
}

/// The clock, and the CPU time of all threads since the process started.
pub fn moment() -> Moment {
    let usage = getrusage(UsageWho::RUSAGE_SELF).expect("Linux counts CPU time");
    let ns = |time: TimeVal| time.num_nanoseconds() as u64;
    [now(), ns(usage.user_time()), ns(usage.system_time())]
}

/// Returns at this time of the clock, or at once if that is over; it sleeps until `waking`, and then reads the clock.
pub fn sleep_until(waking: u64, time: u64) {
    while now() < waking {
        // A signal may interrupt it.
        let flags = ClockNanosleepFlags::TIMER_ABSTIME;
        let _ = clock_nanosleep(ClockId::CLOCK_MONOTONIC, flags, &timespec(waking));
    }
    while now() < time {
        std::hint::spin_loop();
    }
}

pub fn timespec(time: u64) -> TimeSpec {
    TimeSpec::new((time / SECOND_NS) as i64, (time % SECOND_NS) as i64)
}
