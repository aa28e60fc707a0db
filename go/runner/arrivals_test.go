package runner

import (
	"slices"
	"testing"
)

const millisecondNs = 1_000_000

// openWork returns an order for three walkers whose units are due at these times, so many of them in the lead-in.
func openWork(test *testing.T, leadIn int, dues ...int64) map[string]any {
	return map[string]any{
		"first": []int{0, 3, 6}, "lead_in_ns": 2 * millisecondNs, "ns": 4 * millisecondNs, "keep": true,
		"arrivals": map[string]any{
			"file": writeDues(test, dues...), "lead_in": leadIn, "at": nowNs() + millisecondNs, "drain_ns": 1_000_000_000,
		},
	}
}

func TestUnitsStartWhenTheyAreDueAndNotBefore(test *testing.T) {
	c := converse(test)
	for _, shape := range []map[string]any{{"threads": 3, "connections": 1}, {"threads": 1, "connections": 1}} {
		c.begin("threads", shape, map[string]any{"open": true})
		order := openWork(test, 2, 0, 1_000_000, 2_000_000, 2_500_000, 2_500_000, 4_000_000)
		worked := c.work(order)
		if total(worked["lead_in"]) != 2 || total(worked["measured"]) != 4 {
			test.Errorf("units: %v, %v", worked["lead_in"], worked["measured"])
		}
		ended := int64(worked["ended"].([]any)[0].(float64))
		if at := order["arrivals"].(map[string]any)["at"].(int64); ended < at+6*millisecondNs {
			test.Errorf("the slice ended %d ns before its end", at+6*millisecondNs-ended)
		}
		samples := c.say(map[string]any{"samples": map[string]any{}}, "samples").(map[string]any)
		due := floats(test, samples["due"])
		slices.Sort(due)
		if !slices.Equal(due, []float64{2e6, 2.5e6, 2.5e6, 4e6}) {
			test.Errorf("due at %v", due)
		}
		if lags := floats(test, samples["lags"]); slices.Min(lags) < 0 || len(lags) != 4 {
			test.Errorf("lags of %v ns", lags)
		}
	}
}

func TestTheClockIsReadForOneUnitAtATime(test *testing.T) {
	awakeNs := int64(5_000)
	for _, one := range []struct {
		awakeNs *int64
		// Until when whoever waits for each unit sleeps, and then reads the clock; the last one is the part's end.
		asleep, due []int64
	}{
		{nil, []int64{80_001, 100_001, 110_000, 300_000, 980_000}, []int64{100_001, 110_000, 110_000, 320_000, 1_000_000}},
		{&awakeNs, []int64{95_001, 105_000, 110_000, 315_000, 995_000}, []int64{100_001, 110_000, 110_000, 320_000, 1_000_000}},
		{new(int64), []int64{100_001, 110_000, 110_000, 320_000, 1_000_000}, []int64{100_001, 110_000, 110_000, 320_000, 1_000_000}},
	} {
		order := arrivals{At: 1_000, AwakeNs: one.awakeNs}
		part := order.part([]int64{99_001, 109_000, 109_000, 319_000}, 999_000)
		for number, due := range one.due {
			asleep, until := part.asleepUntilNs(number), part.dueNs(number)
			if asleep != one.asleep[number] || until != due {
				test.Errorf("unit %d: asleep until %d, awake until %d", number, asleep, until)
			}
		}
	}
}

func TestAFailedUnitOfAnOpenLoopHasANegativeLatency(test *testing.T) {
	c := converse(test)
	c.fake.failing = func(i int) error { return Unsupported("failed") }
	c.begin("sync", nil, map[string]any{"open": true})
	worked := c.work(openWork(test, 0, 2_000_000, 3_000_000))
	samples := c.say(map[string]any{"samples": map[string]any{}}, "samples").(map[string]any)
	latencies := floats(test, samples["latencies"])
	if total(worked["measured"]) != 0 || len(latencies) != 2 || slices.Max(latencies) >= 0 {
		test.Errorf("%v units, latencies %v", worked["measured"], latencies)
	}
}

func TestUnitsThatAreTooLateDoNotStart(test *testing.T) {
	c := converse(test)
	c.begin("sync", nil, map[string]any{"open": true})
	order := openWork(test, 0, 2_000_000, 3_000_000)
	order["arrivals"].(map[string]any)["at"] = nowNs() - 2_000_000_000
	if worked := c.work(order); total(worked["measured"]) != 0 || len(c.fake.performed) != 0 {
		test.Errorf("%v units", worked["measured"])
	}
}
