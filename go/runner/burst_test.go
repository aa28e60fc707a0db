package runner

import (
	"fmt"
	"slices"
	"testing"
)

func TestABurstIssuesEveryCommandBeforeOneIsAnswered(test *testing.T) {
	c := converse(test)
	c.begin("pipelining", map[string]any{"depth": 4, "window": "burst"}, nil)
	issued, answered := make(chan int, 4), make(chan struct{})
	c.fake.failing = func(i int) error {
		if issued <- i; len(issued) == cap(issued) {
			close(answered)
		}
		<-answered
		return nil
	}
	c.say(map[string]any{"echo": map[string]any{"commands": 4, "bytes": 1000}}, "replies")
	slices.Sort(c.fake.performed)
	if fmt.Sprint(c.fake.performed) != "[0 1 2 3]" {
		test.Errorf("performed: %v", c.fake.performed)
	}
}

func TestABurstAllocatesNothing(test *testing.T) {
	head, columns := plainWorkload()
	commands, err := readCommands(writeWorkload(test, head, columns))
	if err != nil {
		test.Fatal(err)
	}
	burst := startBurst(
		func(first int, replies *Replies) error { return replies.Text(commands.Key(first), nil) }, commands, 4, errNull,
	)
	defer burst.close()
	var replies Replies
	if allocated := testing.AllocsPerRun(100, func() {
		if err := burst.perform(7, &replies); err != nil {
			test.Error(err)
		}
	}); allocated != 0 {
		test.Errorf("a burst allocates %v times", allocated)
	}
}

func TestAFailedCommandFailsItsBurst(test *testing.T) {
	c := converse(test)
	c.fake.failing = func(i int) error {
		if i == 3 {
			return Unsupported("failed")
		}
		return nil
	}
	c.begin("pipelining", map[string]any{"depth": 5, "window": "burst"}, nil)
	worked := c.work(map[string]any{"first": []int{0}, "lead_in_ns": 0, "ns": shortNs, "keep": true})
	failed := int(worked["errors"].(map[string]any)["runner.Unsupported"].(float64))
	if units := total(worked["measured"]) + failed; len(c.fake.performed) != 5*units || failed < total(worked["measured"]) {
		test.Errorf("%d failed of %d units, %d commands", failed, units, len(c.fake.performed))
	}
}
