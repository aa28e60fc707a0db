package runner

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// The error that stands for null.
var errNull = errors.New("null")

// A fake is a library whose commands are answered with their keys.
type fake struct {
	commands *Commands
	// Returns the error with which a command fails.
	failing func(i int) error

	mutex sync.Mutex
	// Numbers of the commands, in the order in which they were performed.
	performed []int
	opened    []int
	closed    int
}

func (f *fake) Settings() map[string]any    { return map[string]any{"protocol": 3} }
func (f *fake) Null() error                 { return errNull }
func (f *fake) Connect(int) (Client, error) { return f, nil }

func (f *fake) Open(connections int) error {
	f.opened = append(f.opened, connections)
	return nil
}

func (f *fake) Close() error {
	f.closed++
	return nil
}

func (f *fake) Command() Unit {
	return func(first int, replies *Replies) error {
		f.mutex.Lock()
		f.performed = append(f.performed, first)
		f.mutex.Unlock()
		if f.failing != nil {
			if err := f.failing(first); err != nil {
				return replies.Failed(err)
			}
		}
		return replies.Text(f.commands.Key(first), nil)
	}
}

func (f *fake) Batch(depth int) Unit {
	command := f.Command()
	return func(first int, replies *Replies) error {
		for range depth {
			if err := command(first, replies); err != nil {
				return err
			}
			first = f.commands.Next(first)
		}
		return nil
	}
}

// A conversation is a runner that is given lines.
type conversation struct {
	test      *testing.T
	fake      *fake
	answers   bytes.Buffer
	conductor *conductor
	workload  string
}

// The workload has ten GETs, of key0 to key9.
func converse(test *testing.T) *conversation {
	head, columns := plainWorkload()
	c := &conversation{test: test, fake: &fake{}, workload: writeWorkload(test, head, columns)}
	c.conductor = &conductor{answers: json.NewEncoder(&c.answers), load: func(_ *Trial, commands *Commands) (Adapter, error) {
		c.fake.commands = commands
		return c.fake, nil
	}}
	return c
}

func plainWorkload() (head map[string]any, columns string) {
	keys := ""
	for i := range 10 {
		keys += fmt.Sprintf("key%d", i)
	}
	return map[string]any{
		"commands": 10, "key_bytes": 4, "values": []int{},
		"kinds": []any{map[string]any{"name": "GET", "arguments": []any{"key"}}}, "steps": [][]int{{0}},
	}, strings.Repeat("\x00\x00", 10) + keys
}

func writeWorkload(test *testing.T, head map[string]any, columns string) string {
	line, err := json.Marshal(head)
	if err != nil {
		test.Fatal(err)
	}
	return writeFile(test, "some.workload", append(append(line, '\n'), columns...))
}

func writeFile(test *testing.T, name string, contents []byte) string {
	path := filepath.Join(test.TempDir(), name)
	if err := os.WriteFile(path, contents, 0o600); err != nil {
		test.Fatal(err)
	}
	return path
}

// writeDues writes when units are due.
func writeDues(test *testing.T, dues ...int64) string {
	var contents []byte
	for _, due := range dues {
		contents = binary.LittleEndian.AppendUint64(contents, uint64(due))
	}
	return writeFile(test, "some.due", contents)
}

// say gives a line; returns the answer of this name.
func (c *conversation) say(line map[string]any, name string) any {
	c.test.Helper()
	text, err := json.Marshal(line)
	if err != nil {
		c.test.Fatal(err)
	}
	if err := c.conductor.obey(text); err != nil {
		c.test.Fatal(err)
	}
	said, err := bufio.NewReader(&c.answers).ReadBytes('\n')
	c.answers.Reset()
	if err != nil {
		c.test.Fatal(err)
	}
	answer := map[string]any{}
	if err := json.Unmarshal(said, &answer); err != nil {
		c.test.Fatal(err)
	}
	fields, isThere := answer[name]
	if !isThere {
		c.test.Fatalf("the answer is %s", said)
	}
	return fields
}

// begin begins a trial and connects.
func (c *conversation) begin(scenario string, shape map[string]any, more map[string]any) {
	c.test.Helper()
	trial := map[string]any{
		"client": "fake", "options": map[string]any{}, "scenario": scenario, "shape": shape, "workload": c.workload,
		"samples": 1 << 12, "server": map[string]any{"host": "localhost", "tls": nil},
	}
	for name, value := range more {
		trial[name] = value
	}
	c.say(trial, "loaded")
	c.say(map[string]any{"connect": map[string]any{}}, "connected")
	c.fake.performed = nil
}

func (c *conversation) work(order map[string]any) map[string]any {
	c.test.Helper()
	return c.say(map[string]any{"work": order}, "worked").(map[string]any)
}

// total returns the sum of numbers in an answer.
func total(numbers any) int {
	sum := 0
	for _, number := range numbers.([]any) {
		sum += int(number.(float64))
	}
	return sum
}
