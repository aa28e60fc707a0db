package runner

import (
	"os"
	"runtime"
	"syscall"
	"time"
	"unsafe"
)

const (
	clockMonotonic = 1
	timerAbsolute  = 1

	secondNs = int64(time.Second)

	// Whoever waits for a unit sleeps until so long before it is due, and reads the clock from then on.
	marginNs = 20_000

	readings = 20
)

// The same moment by CLOCK_MONOTONIC and by Go's own clock, which is that clock from the process's start, and is read
// without a system call. Of several readings of both, that of the shortest time counts.
var beganAtNs, began = together(readings)

func together(times int) (int64, time.Time) {
	var (
		bestNs     int64
		best       time.Time
		shortestNs int64 = secondNs
	)
	for range times {
		beforeNs := monotonicNs()
		now := time.Now()
		tookNs := monotonicNs() - beforeNs
		if tookNs < shortestNs {
			bestNs, best, shortestNs = beforeNs+tookNs/2, now, tookNs
		}
	}
	return bestNs, best
}

// nowNs returns CLOCK_MONOTONIC, in ns.
func nowNs() int64 {
	return beganAtNs + int64(time.Since(began))
}

func monotonicNs() int64 {
	var now syscall.Timespec
	if _, _, failure := syscall.RawSyscall(
		syscall.SYS_CLOCK_GETTIME, clockMonotonic, uintptr(unsafe.Pointer(&now)), 0,
	); failure != 0 {
		panic(os.NewSyscallError("clock_gettime", failure))
	}
	return now.Nano()
}

// A moment is CLOCK_MONOTONIC, and the user and system CPU time of this process, in ns.
type moment [3]int64

func currentMoment() moment {
	var usage syscall.Rusage
	at := nowNs()
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(os.NewSyscallError("getrusage", err))
	}
	return moment{at, usage.Utime.Nano(), usage.Stime.Nano()}
}

// A timer lets one goroutine sleep as exactly as the kernel can: it is a timerfd, which Go's network poller waits for.
// time.Sleep ends on whole milliseconds where nothing else runs.
type timer struct {
	file       *os.File
	descriptor uintptr
	// Interval and expiry, each as seconds and nanoseconds.
	setting [4]int64
	expired [8]byte
}

func newTimer() (*timer, error) {
	descriptor, _, failure := syscall.RawSyscall(
		syscall.SYS_TIMERFD_CREATE, clockMonotonic, syscall.O_NONBLOCK|syscall.O_CLOEXEC, 0,
	)
	if failure != 0 {
		return nil, os.NewSyscallError("timerfd_create", failure)
	}
	return &timer{file: os.NewFile(descriptor, "timer"), descriptor: descriptor}, nil
}

// waitUntil sleeps until a moment, and then reads the clock until a later one.
func (t *timer) waitUntil(asleepUntilNs, untilNs int64) {
	if nowNs() < asleepUntilNs {
		t.sleepUntil(asleepUntilNs)
	}
	for nowNs() < untilNs {
		// Others have their turn between two readings.
		runtime.Gosched()
	}
}

func (t *timer) sleepUntil(atNs int64) {
	t.setting[2], t.setting[3] = atNs/secondNs, atNs%secondNs
	if _, _, failure := syscall.RawSyscall6(
		syscall.SYS_TIMERFD_SETTIME, t.descriptor, timerAbsolute, uintptr(unsafe.Pointer(&t.setting)), 0, 0, 0,
	); failure != 0 {
		panic(os.NewSyscallError("timerfd_settime", failure))
	}
	if _, err := t.file.Read(t.expired[:]); err != nil {
		panic(err)
	}
}

func (t *timer) close() error {
	return t.file.Close()
}
