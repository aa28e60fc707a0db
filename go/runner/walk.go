package runner

import "sync/atomic"

// A walk is a walker's way through the workload, which has no end.
type walk struct {
	// How many commands the workload has, and a unit takes.
	count, perUnit int
	// The next command.
	at int
	// The same of a walk that the places of a sliding window share.
	isShared bool
	shared   atomic.Int64
}

func newWalk(count, perUnit int, isShared bool) *walk {
	return &walk{count: count, perUnit: perUnit % count, isShared: isShared}
}

// goTo goes to the command of this number.
func (w *walk) goTo(first int) {
	w.at = first
	w.shared.Store(int64(first))
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
