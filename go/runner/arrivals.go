package runner

import (
	"encoding/binary"
	"os"
	"sync/atomic"
)

// A part is the lead-in or the measured part of a slice of an open loop. Its units are one queue: whoever is idle takes
// the next.
type part struct {
	at    int64
	endNs int64
	// A unit that has not started by then never does.
	closeNs int64
	awakeNs int64
	// When each unit is due, in ns since `at`, in order.
	dues  []int64
	taken atomic.Int64
}

// readArrivals returns the lead-in and the measured part of a slice.
func readArrivals(order *work) ([]*part, error) {
	arrivals := order.Arrivals
	dues, err := readDues(arrivals.File)
	if err != nil {
		return nil, err
	}
	leadIn, measured := dues[:arrivals.LeadIn], dues[arrivals.LeadIn:]
	return []*part{arrivals.part(leadIn, order.LeadInNs), arrivals.part(measured, order.LeadInNs+order.Ns)}, nil
}

// readDues returns when units are due, in ns.
func readDues(file string) ([]int64, error) {
	bytes, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	dues := make([]int64, len(bytes)/8)
	for unit := range dues {
		dues[unit] = int64(binary.LittleEndian.Uint64(bytes[8*unit:]))
	}
	return dues, nil
}

// part returns the part with these units, which ends so long after `at`.
func (a *arrivals) part(dues []int64, endNs int64) *part {
	made := &part{at: a.At, endNs: a.At + endNs, closeNs: a.At + endNs + a.DrainNs, awakeNs: marginNs, dues: dues}
	if a.AwakeNs != nil {
		made.awakeNs = *a.AwakeNs
	}
	return made
}

// next takes the next unit and waits until it is due; returns when that is, in ns since `at`, and when it starts. Where no
// unit may start any more, there is none: whoever comes first then waits for the end of the part, and the others for him.
func (p *part) next(timer *timer) (due, startedNs int64, isOne bool) {
	number := int(p.taken.Add(1) - 1)
	if number > len(p.dues) {
		return 0, 0, false
	}
	timer.waitUntil(p.asleepUntilNs(number), p.dueNs(number))
	if number == len(p.dues) {
		return 0, 0, false
	}
	startedNs = nowNs()
	return p.dues[number], startedNs, startedNs < p.closeNs
}

// dueNs returns when unit `number` is due; behind the last one, when the part ends.
func (p *part) dueNs(number int) int64 {
	if number == len(p.dues) {
		return p.endNs
	}
	return p.at + p.dues[number]
}

// asleepUntilNs returns until when whoever waits for unit `number` sleeps: the clock is read for one unit at a time.
func (p *part) asleepUntilNs(number int) int64 {
	asleepUntilNs := p.dueNs(number) - p.awakeNs
	if number > 0 {
		return max(asleepUntilNs, p.dueNs(number-1))
	}
	return asleepUntilNs
}
