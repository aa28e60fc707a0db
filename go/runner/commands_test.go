package runner

import (
	"fmt"
	"testing"
)

func TestCommandsHaveTheirArguments(test *testing.T) {
	key, value := "key", "value"
	literal := func(number any) map[string]any { return map[string]any{"literal": number} }
	kinds := []any{}
	for _, one := range []struct {
		name      string
		arguments []any
	}{
		{"GET", []any{key}},
		{"SET", []any{key, value}},
		{"MGET", []any{key, key}},
		{"MSET", []any{key, value, key, value}},
		{"PING", []any{}},
		{"LRANGE", []any{key, literal(0), literal(9)}},
		{"ZADD", []any{key, literal(1.5), value}},
	} {
		kinds = append(kinds, map[string]any{"name": one.name, "arguments": one.arguments})
	}
	head := map[string]any{
		"commands": 7, "key_bytes": 2, "values": []int{3, 1}, "kinds": kinds,
		"steps": [][]int{{0}, {1, 1}, {2}, {3, 0, 1}, {4}, {5}, {6, 0}},
	}
	steps := "\x04\x00\x00\x00\x01\x00\x02\x00\x03\x00\x05\x00\x06\x00"
	commands, err := readCommands(writeWorkload(test, head, steps+"k0k1k2k3k4k5k6k7"+"onez"))
	if err != nil {
		test.Fatal(err)
	}
	said := fmt.Sprintln(
		commands.Name(0), commands.Key(1), commands.Key(2), commands.Value(2), commands.Several(3), commands.Several(4),
		commands.Key(5), commands.Number(5, 1), commands.Key(6), commands.Score(6), commands.Value(6), commands.Next(6),
	)
	if said != "PING k0 k1 z [k2 k3] [k4 one k5 z] k6 9 k7 1.5 one 0\n" {
		test.Error(said)
	}
	if _, err := Bind(commands, map[string]int{"GET": 1}); err == nil {
		test.Error("methods are lacking")
	}
}

func TestACommandWithoutAMethodIsSpelledBeforeItIsSent(test *testing.T) {
	key, value := "key", "value"
	literal := func(word any) map[string]any { return map[string]any{"literal": word} }
	head := map[string]any{
		"commands": 4, "key_bytes": 2, "values": []int{3},
		"kinds": []any{
			map[string]any{"name": "EVAL", "arguments": []any{literal("return 1"), literal(2), key, key, value}},
			map[string]any{"name": "SELECT", "arguments": []any{literal("0")}},
			map[string]any{"name": "MSET", "arguments": []any{key, value, key, value}},
		},
		"steps": [][]int{{0, 0}, {1}, {2, 0, 0}},
	}
	steps := "\x01\x00\x00\x00\x01\x00\x02\x00"
	commands, err := readCommands(writeWorkload(test, head, steps+"k0k1k2k3"+"one"))
	if err != nil {
		test.Fatal(err)
	}
	if _, err := Bind(commands, map[string]int{"SELECT": 1}); err == nil {
		test.Error("a method for EVAL, or for any command, is lacking")
	}
	bound, err := Bind(commands, map[string]int{AnyCommand: 7})
	if err != nil || fmt.Sprint(bound) != "[7 7 7]" || commands.Raw(0) != commands.Raw(2) || commands.Blocks() {
		test.Error(bound, err)
	}
	said := fmt.Sprint(commands.Raw(0).Words, commands.Raw(1).Words, commands.Raw(1).Keys, commands.Raw(1).After)
	if said != "[SELECT 0] [EVAL return 1 2 k0 k1 one] [k0 k1] [one]" {
		test.Error(said)
	}
	if said := fmt.Sprint(commands.Raw(3).Words, commands.Raw(3).Keys); said != "[MSET k2 one k3 one] [k2]" {
		test.Error(said)
	}
}

func TestAFileThatWasWrittenAgainIsReadAgain(test *testing.T) {
	path := writeFile(test, "some", []byte("before"))
	before, err := readMapped(path)
	if err != nil {
		test.Fatal(err)
	}
	again, err := readMapped(path)
	if err != nil || again != before {
		test.Error(again, err)
	}
	other := writeFile(test, "some", []byte("after that"))
	if read, err := readMapped(other); err != nil || read != "after that" || before != "before" {
		test.Error(read, err)
	}
}
