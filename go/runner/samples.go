package runner

import (
	"fmt"
	"reflect"
	"sync"
	"unsafe"
)

// The least room for the latencies of a goroutine.
const leastSamples = 1 << 10

// Samples are one goroutine's: latencies are stored from `index` on, and counted beyond the end.
type samples struct {
	latencies []float64
	// Of an open loop.
	dues, lags []float64
	// Where the part under way begins.
	begin, index int
	// The failed units of the part that are stored, too: those of an open loop.
	failures int
	// How many latencies of each kept slice are stored, and how many did not fit.
	kept    []int
	dropped int
}

func newSamples(count int, isOpen bool) (*samples, error) {
	made, columns := &samples{}, 1
	if isOpen {
		columns = 3
	}
	for _, column := range []*[]float64{&made.latencies, &made.dues, &made.lags}[:columns] {
		room, err := allocate[float64](max(count, leastSamples))
		if err != nil {
			return nil, err
		}
		*column = room
	}
	return made, nil
}

func (s *samples) free() error {
	for _, column := range [][]float64{s.latencies, s.dues, s.lags} {
		if column != nil {
			if err := free(column); err != nil {
				return err
			}
		}
	}
	return nil
}

// add stores a unit of a closed loop.
func (s *samples) add(ns int64) {
	if s.index < len(s.latencies) {
		s.latencies[s.index] = float64(ns)
	}
	s.index++
}

// addDue stores a unit of an open loop; the latency is negative if it failed.
func (s *samples) addDue(ns int64, due, lag float64) {
	if s.index < len(s.latencies) {
		s.latencies[s.index], s.dues[s.index], s.lags[s.index] = float64(ns), due, lag
	}
	s.index++
	if ns < 0 {
		s.failures++
	}
}

// endPart keeps or forgets what the part that has just ended stored; returns how many units it completed.
func (s *samples) endPart(keep bool) int {
	units, begin := s.index-s.begin-s.failures, s.begin
	if keep {
		s.begin = min(s.index, len(s.latencies))
		s.kept = append(s.kept, s.begin-begin)
		s.dropped += s.index - s.begin
	}
	s.index, s.failures = s.begin, 0
	return units
}

// handOver returns what is kept, slice by slice, and empties the storage.
func handOver(every []*samples) map[string]any {
	counts, dropped := make([]int, len(every[0].kept)), 0
	latencies, dues, lags := []byte{}, []byte{}, []byte{}
	begins := make([]int, len(every))
	for slice := range counts {
		for i, one := range every {
			begin, end := begins[i], begins[i]+one.kept[slice]
			begins[i] = end
			counts[slice] += end - begin
			latencies = append(latencies, littleEndian(one.latencies[begin:end])...)
			if one.isOpen() {
				dues = append(dues, littleEndian(one.dues[begin:end])...)
				lags = append(lags, littleEndian(one.lags[begin:end])...)
			}
		}
	}
	for _, one := range every {
		dropped += one.dropped
		one.begin, one.index, one.dropped, one.kept = 0, 0, 0, nil
	}
	over := map[string]any{"latencies": latencies, "counts": counts, "dropped": dropped}
	if every[0].isOpen() {
		over["due"], over["lags"] = dues, lags
	}
	return over
}

func (s *samples) isOpen() bool {
	return s.dues != nil
}

// littleEndian returns the bytes of numbers, in the order that every processor of Go's on Linux has but s390x.
func littleEndian(numbers []float64) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(numbers))), 8*len(numbers))
}

// Failures counts the units of a slice that failed, by the library's class.
type failures struct {
	mutex  sync.Mutex
	errors map[string]int
	first  *string
}

// The longest text of an error that is kept, and the longest name of a class.
const (
	longestText = 500
	longestName = 80
)

func (f *failures) add(err error) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	name := class(err)
	f.errors[name]++
	if f.first == nil {
		text := shortened(fmt.Sprintf("%s: %s", name, err), longestText)
		f.first = &text
	}
}

// class returns the type of an error, without those that only wrap another one. One that was made by errors.New has no
// type of its own: its text is its name.
func class(err error) string {
	name := reflect.TypeOf(err).String()
	switch name {
	case "*fmt.wrapError":
		return class(err.(interface{ Unwrap() error }).Unwrap())
	case "*errors.errorString":
		return shortened(err.Error(), longestName)
	}
	if name[0] == '*' {
		return name[1:]
	}
	return name
}

func shortened(text string, most int) string {
	return text[:min(len(text), most)]
}
