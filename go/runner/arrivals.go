package runner

import (
	"encoding/binary"
	"math"
	"os"
	"sort"
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
	// When each of this process's units is due, in ns since `at`, in order.
	dues  []float64
	taken atomic.Int64
}

// readArrivals returns the lead-in and the measured part of the units of process `number` of `parts`.
func readArrivals(order *work, number, parts int) ([]*part, error) {
	bytes, err := os.ReadFile(order.Arrivals.File)
	if err != nil {
		return nil, err
	}
	dues := make([]float64, 0, len(bytes)/8/parts+1)
	for k := number; k < len(bytes)/8; k += parts {
		dues = append(dues, math.Float64frombits(binary.LittleEndian.Uint64(bytes[8*k:])))
	}
	begin := sort.SearchFloat64s(dues, float64(order.LeadInNs))
	leadIn := order.Arrivals.part(dues[:begin], order.LeadInNs)
	return []*part{leadIn, order.Arrivals.part(dues[begin:], order.LeadInNs+order.Ns)}, nil
}

// part returns the part with these units, which ends so long after `at`.
func (a *arrivals) part(dues []float64, endNs int64) *part {
	made := &part{at: a.At, endNs: a.At + endNs, closeNs: a.At + endNs + a.DrainNs, awakeNs: marginNs, dues: dues}
	if a.AwakeNs != nil {
		made.awakeNs = *a.AwakeNs
	}
	return made
}

// next takes the next unit and waits until it is due; returns when that is, and when it starts. Where no unit may start
// any more, there is none: whoever comes first then waits for the end of the part, and the others for him.
func (p *part) next(timer *timer) (due float64, startedNs int64, isOne bool) {
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

// dueNs returns when unit `number` is due; behind the last one, when the part ends. No unit starts early.
func (p *part) dueNs(number int) int64 {
	if number == len(p.dues) {
		return p.endNs
	}
	return p.at + int64(math.Ceil(p.dues[number]))
}

// asleepUntilNs returns until when whoever waits for unit `number` sleeps: the clock is read for one unit at a time.
func (p *part) asleepUntilNs(number int) int64 {
	asleepUntilNs := p.dueNs(number) - p.awakeNs
	if number > 0 {
		return max(asleepUntilNs, p.dueNs(number-1))
	}
	return asleepUntilNs
}
