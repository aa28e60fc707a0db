package runner

import "sync/atomic"

// A walk is a walker's way through the workload, which has no end.
type walk struct {
	// How many commands the workload has, and a unit takes.
	count, perUnit int
	// Where it begins in a walk that begins with command 0.
	offset int
	// The next command.
	at int
	// The same of a walk that the places of a sliding window share.
	isShared bool
	shared   atomic.Int64
}

// newWalk returns that of walker `number` of `walkers`.
func newWalk(count, perUnit, number, walkers int, isShared bool) *walk {
	return &walk{count: count, perUnit: perUnit % count, offset: number * count / walkers, isShared: isShared}
}

// goTo goes to the walker's first command, where that of the first walker is number `first`.
func (w *walk) goTo(first int) {
	w.at = (first + w.offset) % w.count
	w.shared.Store(int64(w.at))
}

// take returns the number of the next unit's first command.
func (w *walk) take() int {
	if w.isShared {
		return int((w.shared.Add(1) - 1) % int64(w.count))
	}
	first := w.at
	if w.at += w.perUnit; w.at >= w.count {
		w.at -= w.count
	}
	return first
}
