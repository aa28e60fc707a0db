// Package runner reads JSON lines and prints JSON lines, as harness/contract.md says. It knows no library.
package runner

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
)

// Load loads the library for a trial, without a connection.
type Load func(trial *Trial, commands *Commands) (Adapter, error)

// coldStartArgument makes the program one that starts, sends one command and has its reply.
const coldStartArgument = "--cold-start"

// Main carries out one trial after the other with the library of this module; it ends the process if one cannot be.
func Main(module string, load Load) {
	defer endProcess()
	conductor := &conductor{
		module: module, load: load, answers: json.NewEncoder(os.Stdout),
		isColdStart: slices.Contains(os.Args, coldStartArgument),
	}
	conductor.answers.SetEscapeHTML(false)
	if err := conductor.conduct(bufio.NewReader(os.Stdin)); err != nil {
		die(err)
	}
}

// A conductor has the trial under way, if there is one.
type conductor struct {
	module  string
	load    Load
	answers *json.Encoder
	session *session
	// Whether the only line is the trial of a cold start.
	isColdStart bool
}

func (c *conductor) conduct(lines *bufio.Reader) error {
	for {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF {
			return c.end()
		}
		if err != nil {
			return err
		}
		if err := c.obey(line); err != nil {
			return err
		}
	}
}

// obey does what a line asks, and answers it. What this machine or server cannot do is an answer.
func (c *conductor) obey(line []byte) error {
	name, fields, err := c.answer(line)
	var reason Unsupported
	if errors.As(err, &reason) {
		name, fields, err = "unsupported", reason, nil
	}
	if err != nil {
		return err
	}
	return c.answers.Encode(map[string]any{name: fields})
}

// answer returns the name of the answer to a line, and its fields.
func (c *conductor) answer(line []byte) (string, any, error) {
	var order order
	if err := json.Unmarshal(line, &order); err != nil {
		return "", nil, err
	}
	switch {
	case order.Client != nil:
		trial := &Trial{}
		if err := json.Unmarshal(line, trial); err != nil {
			return "", nil, err
		}
		if c.isColdStart {
			fields, err := c.coldStart(trial)
			return "started", fields, err
		}
		fields, err := c.begin(trial)
		return "loaded", fields, err
	case order.Connect != nil:
		return "connected", struct{}{}, c.session.connect()
	case order.Echo != nil:
		replies, err := c.session.echo(order.Echo)
		return "replies", replies, err
	case order.Work != nil:
		fields, err := c.session.work(order.Work)
		return "worked", fields, err
	case order.KeepGoing != nil:
		return "went", struct{}{}, c.session.keepGoing(order.KeepGoing)
	case order.Bare != nil:
		fields, err := c.session.bare(order.Bare)
		return "bared", fields, err
	}
	return "samples", handOver(c.session.samples), nil
}

// begin begins a trial; of the one before, nothing is left.
func (c *conductor) begin(trial *Trial) (any, error) {
	if err := c.end(); err != nil {
		return nil, err
	}
	session, err := newSession(trial, c.load)
	if err != nil {
		return nil, err
	}
	c.session = session
	// What preparing left behind is not to be collected in a slice.
	runtime.GC()
	versions := c.versions(trial.Client)
	return map[string]any{"contract": 4, "versions": versions, "settings": session.settings()}, nil
}

func (c *conductor) end() error {
	if c.session == nil {
		return nil
	}
	ended := c.session
	c.session = nil
	return ended.close()
}

// versions returns those of Go and of the library, as the program was built with them.
func (c *conductor) versions(client string) map[string]string {
	versions := map[string]string{"Go": strings.TrimPrefix(runtime.Version(), "go")}
	if c.module == "" {
		versions[client] = "0"
		return versions
	}
	if info, isThere := debug.ReadBuildInfo(); isThere {
		for _, module := range info.Deps {
			if module.Path == c.module {
				versions[client] = strings.TrimPrefix(module.Version, "v")
			}
		}
	}
	return versions
}

// ending is taken by the first goroutine that fails, which has the last word.
var ending sync.Mutex

// endProcess ends the process if this goroutine panics: the others would wait for it for ever.
func endProcess() {
	if failure := recover(); failure != nil {
		ending.Lock()
		debug.PrintStack()
		fmt.Fprintf(os.Stderr, "panic: %s\n", oneLine(fmt.Sprint(failure)))
		os.Exit(1)
	}
}

// die ends the process with the library's own words.
func die(err error) {
	ending.Lock()
	fmt.Fprintf(os.Stderr, "%s: %s\n", class(err), oneLine(err.Error()))
	os.Exit(1)
}

func oneLine(text string) string {
	return strings.Join(strings.Fields(text), " ")
}
