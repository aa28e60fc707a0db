package runner

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
)

const shortNs = 2_000_000

func TestEveryWalkerBeginsAtItsOwnCommand(test *testing.T) {
	c := converse(test)
	c.begin("threads", map[string]any{"threads": 5, "connections": 2}, nil)
	if !slices.Equal(c.fake.opened, []int{3, 2}) {
		test.Errorf("connections opened: %v", c.fake.opened)
	}
	worked := c.work(map[string]any{"first": []int{6, 7, 8, 9, 0}, "lead_in_ns": 0, "ns": 1, "keep": false})
	begun := slices.Clone(c.fake.performed)
	slices.Sort(begun)
	if !slices.Equal(begun, []int{0, 6, 7, 8, 9}) {
		test.Errorf("the walkers began at %v", begun)
	}
	if len(worked["measured"].([]any)) != 5 {
		test.Errorf("units of %v", worked["measured"])
	}
}

func TestPlacesOfAWindowShareAWalk(test *testing.T) {
	c := converse(test)
	c.begin("pipelining", map[string]any{"depth": 4, "window": "sliding"}, nil)
	worked := c.work(map[string]any{"first": []int{0}, "lead_in_ns": 0, "ns": shortNs, "keep": true})
	counts := make([]int, 10)
	for _, number := range c.fake.performed {
		counts[number]++
	}
	if slices.Max(counts)-slices.Min(counts) > 1 {
		test.Errorf("commands were left out or taken twice: %v", counts)
	}
	if total(worked["measured"]) != len(c.fake.performed) || len(worked["measured"].([]any)) != 1 {
		test.Errorf("%v units for %d commands", worked["measured"], len(c.fake.performed))
	}
}

func TestAnotherTrialLeavesNothingOfTheOneBefore(test *testing.T) {
	c := converse(test)
	c.begin("batching", map[string]any{"depth": 2, "connections": 3}, nil)
	c.begin("new-connection", nil, nil)
	if c.fake.closed != 3 {
		test.Errorf("%d of 3 connections are closed", c.fake.closed)
	}
	worked := c.work(map[string]any{"first": []int{0}, "lead_in_ns": 0, "ns": 1, "keep": false})
	if total(worked["measured"]) != 1 || c.fake.closed != 4 {
		test.Errorf("%v, %d closed", worked["measured"], c.fake.closed)
	}
	if err := c.conductor.conduct(bufio.NewReader(strings.NewReader(""))); err != nil || c.conductor.session != nil {
		test.Errorf("the end of the input: %v", err)
	}
}

func TestWhatIsUnsupportedIsAnAnswer(test *testing.T) {
	c := converse(test)
	c.conductor.load = func(*Trial, *Commands) (Adapter, error) { return nil, Unsupported("not here") }
	trial := map[string]any{"client": "fake", "scenario": "sync", "workload": c.workload}
	if reason := c.say(trial, "unsupported"); reason != "not here" {
		test.Error(reason)
	}
	c = converse(test)
	c.say(map[string]any{"client": "fake", "scenario": "caching", "workload": c.workload}, "loaded")
	c.say(map[string]any{"connect": map[string]any{}}, "unsupported")
}

func TestErrorsHaveTheirClass(test *testing.T) {
	for name, err := range map[string]error{
		"EOF":                io.EOF,
		"runner.Unsupported": fmt.Errorf("wrapped: %w", Unsupported("why")),
		"a text":             errors.New("a text"),
	} {
		if class(err) != name {
			test.Errorf("%v has the class %s", err, class(err))
		}
	}
}

func TestAColdStartHasItsStagesAndItsReply(test *testing.T) {
	c := converse(test)
	c.conductor.isColdStart = true
	trial := map[string]any{"client": "fake", "scenario": "sync", "workload": c.workload}
	started := c.say(trial, "started").(map[string]any)
	if started["reply"] != "key0" || c.fake.closed != 1 || !slices.Equal(c.fake.opened, []int{1}) {
		test.Errorf("%v, opened %v", started, c.fake.opened)
	}
	for _, stage := range []string{"main_ns", "create_ns", "connect_ns", "first_ns"} {
		if _, isThere := started[stage]; !isThere {
			test.Errorf("there is no %s", stage)
		}
	}
}
