package runner

import "testing"

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
