package runner

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const millisecondNs = 1_000_000

// keepGoing gives the order; units are due so long after now. It returns where the log is.
func (c *conversation) keepGoing(until int64, dues ...int64) (log string) {
	c.test.Helper()
	log = filepath.Join(c.test.TempDir(), "log")
	c.say(map[string]any{"keep_going": map[string]any{
		"first": []int{0, 5}, "due": map[string]any{"file": writeDues(c.test, dues...), "at": nowNs()},
		"log": log, "enough": "", "until": until,
	}}, "went")
	return log
}

// logged returns the lines of a log.
func logged(test *testing.T, log string) []map[string]any {
	contents, err := os.ReadFile(log)
	if err != nil {
		test.Fatal(err)
	}
	var lines []map[string]any
	for line := range strings.Lines(string(contents)) {
		fields := map[string]any{}
		if err := json.Unmarshal([]byte(line), &fields); err != nil {
			test.Fatal(err)
		}
		lines = append(lines, fields)
	}
	return lines
}

func TestAWalkerKeepsGoingWhateverBecomesOfItsUnitsAndOfOthers(test *testing.T) {
	c := converse(test)
	hangs, mended := make(chan struct{}), make(chan struct{})
	defer close(mended)
	c.fake.failing = func(i int) error {
		switch i {
		case 0:
			<-hangs
		case 1:
			return errNull
		case 2:
			return io.EOF
		case 5:
			close(hangs)
			<-mended
		}
		return nil
	}
	c.begin("threads", map[string]any{"threads": 2, "connections": 1}, nil)
	log := c.keepGoing(nowNs()+1_000*millisecondNs, 0, 0, millisecondNs, millisecondNs, millisecondNs)
	if err := c.conductor.conduct(bufio.NewReader(strings.NewReader(""))); err != nil {
		test.Fatal(err)
	}
	lines := logged(test, log)
	var began, ended []int
	var replies []any
	for _, line := range lines {
		unit, _ := line["unit"].(float64)
		if line["began"] != nil {
			began = append(began, int(unit))
		}
		if line["ended"] == nil {
			continue
		}
		ended = append(ended, int(unit))
		if line["walker"] != 0.0 {
			test.Errorf("the walker that hangs is back: %v", line)
		}
		if line["error"] != nil {
			replies = append(replies, line["error"], line["text"])
		} else {
			replies = append(replies, line["reply"])
		}
	}
	slices.Sort(began)
	if !slices.Equal(began, []int{0, 1, 2, 3, 4}) || len(ended) != 4 || !slices.IsSorted(ended) {
		test.Errorf("units %v began, and %v ended", began, ended)
	}
	if !slices.Equal(replies, []any{"key0", nil, "EOF", "EOF", "key3"}) {
		test.Errorf("replies: %v", replies)
	}
	if last := lines[len(lines)-1]; last["closed"] == nil || c.fake.closed != 1 {
		test.Errorf("the last line is %v", last)
	}
}
