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
// any more, it returns at the end of the part.
func (p *part) next(timer *timer) (due float64, startedNs int64, isOne bool) {
	place := p.taken.Add(1) - 1
	if place >= int64(len(p.dues)) {
		timer.waitUntil(p.endNs, p.awakeNs)
		return 0, 0, false
	}
	due = p.dues[place]
	timer.waitUntil(p.at+int64(math.Ceil(due)), p.awakeNs)
	startedNs = nowNs()
	return due, startedNs, startedNs < p.closeNs
}
