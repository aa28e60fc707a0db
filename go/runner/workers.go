package runner

// Workers are the goroutines of a trial: every place has one, which waits at a barrier between them; a single one is the
// main goroutine.
type workers struct {
	places   []*place
	walkers  int
	failures failures
	// All places, and the main goroutine.
	outer *barrier
	// All places.
	inner  *barrier
	isOver bool

	// Of the slice under way.
	order   *work
	parts   []*part
	moments []moment
	endNs   int64
	// The units of each place in the lead-in and in the measured part.
	units [2][]int
}

func startWorkers(places []*place, walkers int) *workers {
	count := len(places)
	w := &workers{places: places, walkers: walkers, outer: newBarrier(count+1, func() {})}
	w.inner = newBarrier(count, w.advance)
	w.units = [2][]int{make([]int, count), make([]int, count)}
	for i, place := range places {
		place.failures = &w.failures
		if count > 1 {
			go w.live(i)
		}
	}
	return w
}

func (w *workers) live(i int) {
	defer endProcess()
	for {
		w.outer.await()
		if w.isOver {
			return
		}
		w.perform(i)
		w.outer.await()
	}
}

// close ends the goroutines, which wait for the next slice.
func (w *workers) close() {
	if len(w.places) > 1 {
		w.isOver = true
		w.outer.await()
	}
}

// worked is the answer to an order for a slice.
type worked struct {
	Started      moment         `json:"started"`
	MeasuredFrom moment         `json:"measured_from"`
	Ended        moment         `json:"ended"`
	LeadIn       []int          `json:"lead_in"`
	Measured     []int          `json:"measured"`
	Errors       map[string]int `json:"errors"`
	FirstError   *string        `json:"first_error"`
	Cache        *CacheCounts   `json:"cache"`
}

// work lets every place work for one slice; the units are due as the parts say, if there are any.
func (w *workers) work(order *work, parts []*part) worked {
	w.order, w.parts, w.moments = order, parts, nil
	w.failures.errors, w.failures.first = map[string]int{}, nil
	for _, place := range w.places {
		place.walk.goTo(order.First[place.walker])
	}
	if len(w.places) == 1 {
		w.perform(0)
	} else {
		w.outer.await()
		w.outer.await()
	}
	return worked{
		Started: w.moments[0], MeasuredFrom: w.moments[1], Ended: w.moments[2],
		LeadIn: w.ofWalkers(w.units[0]), Measured: w.ofWalkers(w.units[1]),
		Errors: w.failures.errors, FirstError: w.failures.first,
	}
}

// perform performs both parts of a slice.
func (w *workers) perform(i int) {
	place, durations := w.places[i], [2]int64{w.order.LeadInNs, w.order.Ns}
	w.inner.await()
	for part, ns := range durations {
		if w.parts != nil {
			place.performDue(w.parts[part])
		} else if ns > 0 {
			place.perform(w.endNs)
		}
		w.units[part][i] = place.samples.endPart(part == 1 && w.order.Keep)
		w.inner.await()
	}
}

// advance notes the moment between two parts, and until when the next one lasts.
func (w *workers) advance() {
	now := currentMoment()
	w.moments = append(w.moments, now)
	w.endNs = now[0] + w.order.LeadInNs
	if len(w.moments) > 1 {
		w.endNs = now[0] + w.order.Ns
	}
}

// ofWalkers returns the units of each walker.
func (w *workers) ofWalkers(units []int) []int {
	sums := make([]int, w.walkers)
	for i, place := range w.places {
		sums[place.walker] += units[i]
	}
	return sums
}
