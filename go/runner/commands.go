package runner

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Commands are those of a workload file, in its order. A command is its key and the number of its step, which says all
// else: keys lie where the file has them, one after the other as they are walked.
type Commands struct {
	count    int
	keyBytes int
	keys     string
	steps    []uint16
	table    []step
	// The number of each command's first key; nil: every command has one.
	firstKeys []uint32
	// What commands with several keys have in place of one: the keys, or keys and values in turn.
	several [][]string
	// All words of the commands that have no method; nil: every command has one.
	raws []*Raw
}

// A step is what commands have in common: all but their keys.
type step struct {
	name      string
	arguments []any
	keys      int
	values    []string
	numbers   []float64
}

// Raw is a command that is sent word by word, made before anything is measured.
type Raw struct {
	// What stands before its keys, its name first; its first keys, which stand together; all that stands behind them.
	Before, Keys, After []string
	// All of these, for libraries that take words of any type.
	Words []any
	// Whether the server may let it wait for data, for which some libraries have connections apart.
	Blocks bool
}

var blocking = []string{"BLPOP", "BRPOP", "BLMOVE", "BRPOPLPUSH", "BLMPOP", "BZPOPMIN", "BZPOPMAX", "BZMPOP"}

// AnyCommand is the key, among an adapter's methods, of the one that sends any command, which it takes from Raw.
const AnyCommand = "*"

type header struct {
	Commands int     `json:"commands"`
	KeyBytes int     `json:"key_bytes"`
	Values   []int   `json:"values"`
	Kinds    []kind  `json:"kinds"`
	Steps    [][]int `json:"steps"`
}

// A kind is a command's name, and of each argument `key`, `value` or a map with the literal.
type kind struct {
	Name      string `json:"name"`
	Arguments []any  `json:"arguments"`
}

func readCommands(path string) (*Commands, error) {
	text, err := readMapped(path)
	if err != nil {
		return nil, err
	}
	line, columns, _ := strings.Cut(text, "\n")
	var head header
	if err := json.Unmarshal([]byte(line), &head); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	steps, err := allocate[uint16](head.Commands)
	if err != nil {
		return nil, err
	}
	for i := range steps {
		steps[i] = uint16(columns[2*i]) | uint16(columns[2*i+1])<<8
	}
	commands := &Commands{
		count: head.Commands, keyBytes: head.KeyBytes, keys: columns[2*head.Commands:], steps: steps,
		table: make([]step, len(head.Steps)),
	}
	for number, words := range head.Steps {
		commands.table[number] = head.Kinds[words[0]].step()
	}
	keys := commands.countKeys()
	values := cut(commands.keys[keys*head.KeyBytes:], head.Values)
	for number, words := range head.Steps {
		for _, value := range words[1:] {
			commands.table[number].values = append(commands.table[number].values, values[value])
		}
	}
	if keys != commands.count || commands.hasSeveral() {
		return commands, commands.findKeys()
	}
	return commands, nil
}

// step returns the step of this kind, without its values.
func (k *kind) step() step {
	made := step{name: k.Name, arguments: k.Arguments}
	for _, argument := range k.Arguments {
		if argument == "key" {
			made.keys++
		}
		if literal, isLiteral := argument.(map[string]any); isLiteral {
			number, _ := literal["literal"].(float64)
			made.numbers = append(made.numbers, number)
		}
	}
	return made
}

// cut returns pieces of a text, which lie one after the other.
func cut(text string, sizes []int) []string {
	pieces := make([]string, len(sizes))
	for i, size := range sizes {
		pieces[i], text = text[:size], text[size:]
	}
	return pieces
}

// countKeys returns how many keys all commands have.
func (c *Commands) countKeys() int {
	keys := 0
	for _, number := range c.steps {
		keys += c.table[number].keys
	}
	return keys
}

func (c *Commands) hasSeveral() bool {
	for _, step := range c.table {
		if step.keys > 1 {
			return true
		}
	}
	return false
}

// findKeys notes which keys are which command's.
func (c *Commands) findKeys() error {
	firstKeys, err := allocate[uint32](c.count)
	if err != nil {
		return err
	}
	c.firstKeys, c.several = firstKeys, make([][]string, c.count)
	next := 0
	for i, number := range c.steps {
		firstKeys[i] = uint32(next)
		step := &c.table[number]
		for key := range step.keys {
			if step.keys > 1 {
				c.several[i] = append(c.several[i], c.keyAt(next+key))
			}
			if step.keys > 1 && key < len(step.values) {
				c.several[i] = append(c.several[i], step.values[key])
			}
		}
		next += step.keys
	}
	return nil
}

// free gives back what is not in the file.
func (c *Commands) free() error {
	if c.firstKeys != nil {
		if err := free(c.firstKeys); err != nil {
			return err
		}
	}
	return free(c.steps)
}

func (c *Commands) keyAt(number int) string {
	begin := number * c.keyBytes
	return c.keys[begin : begin+c.keyBytes]
}

// Next returns the number of the command after this one.
func (c *Commands) Next(i int) int {
	if i++; i < c.count {
		return i
	}
	return 0
}

// Step returns the number of a command's step.
func (c *Commands) Step(i int) int {
	return int(c.steps[i])
}

// Name returns a command's name.
func (c *Commands) Name(i int) string {
	return c.table[c.steps[i]].name
}

// Key returns a command's key.
func (c *Commands) Key(i int) string {
	return c.keyAt(c.firstKey(i))
}

func (c *Commands) firstKey(i int) int {
	if c.firstKeys != nil {
		return int(c.firstKeys[i])
	}
	return i
}

// Value returns a command's value.
func (c *Commands) Value(i int) string {
	return c.table[c.steps[i]].values[0]
}

// Several returns the keys of MGET; the keys and values of MSET, in turn.
func (c *Commands) Several(i int) []string {
	return c.several[i]
}

// Raw returns all words of a command that has no method.
func (c *Commands) Raw(i int) *Raw {
	return c.raws[i]
}

// Has says whether one of the commands has this name.
func (c *Commands) Has(name string) bool {
	return slices.ContainsFunc(c.table, func(step step) bool { return step.name == name })
}

// Blocks says whether the server may let one of the commands wait for data.
func (c *Commands) Blocks() bool {
	return slices.ContainsFunc(c.table, func(step step) bool { return slices.Contains(blocking, step.name) })
}

// Number returns a whole number among a command's arguments, by its place among the numbers.
func (c *Commands) Number(i, place int) int64 {
	return int64(c.table[c.steps[i]].numbers[place])
}

// Score returns a command's first number, with its fraction.
func (c *Commands) Score(i int) float64 {
	return c.table[c.steps[i]].numbers[0]
}

// MeanValueBytes returns the size of a value, on average over the distinct ones.
func (c *Commands) MeanValueBytes() int {
	bytes, count := 0, 0
	for _, step := range c.table {
		bytes += sizeOf(step.values...)
		count += len(step.values)
	}
	return bytes / max(count, 1)
}

// Bind returns the method of each step, by its number, from those of each command; a command that has none goes through
// AnyCommand's, and is spelled for it.
func Bind[Method any](commands *Commands, methods map[string]Method) ([]Method, error) {
	bound := make([]Method, len(commands.table))
	raw, takesAny := methods[AnyCommand]
	var spelled []int
	for number, step := range commands.table {
		method, isThere := methods[step.name]
		if !isThere && !takesAny {
			return nil, Unsupported(fmt.Sprintf("there is no method for %s: use a workload without it", step.name))
		}
		if !isThere {
			method = raw
			spelled = append(spelled, number)
		}
		bound[number] = method
	}
	if len(spelled) > 0 {
		commands.spell(spelled)
	}
	return bound, nil
}

// spell makes the words of all commands of these steps; commands without a key share theirs.
func (c *Commands) spell(numbers []int) {
	c.raws = make([]*Raw, c.count)
	shared := map[int]*Raw{}
	for i := range c.raws {
		number := c.Step(i)
		if !slices.Contains(numbers, number) {
			continue
		}
		made := shared[number]
		if made == nil {
			made = c.table[number].spelled(c, c.firstKey(i))
		}
		if len(made.Keys) == 0 {
			shared[number] = made
		}
		c.raws[i] = made
	}
}

// spelled returns all words of a command, whose first key has this number.
func (s *step) spelled(c *Commands, key int) *Raw {
	made, value := &Raw{Before: []string{s.name}, Blocks: slices.Contains(blocking, s.name)}, 0
	for _, argument := range s.arguments {
		switch {
		case argument == "key":
			made.add(c.keyAt(key), true)
			key++
		case argument == "value":
			made.add(s.values[value], false)
			value++
		default:
			made.add(literalText(argument), false)
		}
	}
	for _, word := range slices.Concat(made.Before, made.Keys, made.After) {
		made.Words = append(made.Words, word)
	}
	return made
}

// add adds the next word. Keys that stand apart from the first ones are among the words behind these, as MSET's are.
func (r *Raw) add(word string, isKey bool) {
	switch {
	case len(r.After) == 0 && isKey:
		r.Keys = append(r.Keys, word)
	case len(r.Keys) == 0:
		r.Before = append(r.Before, word)
	default:
		r.After = append(r.After, word)
	}
}

func literalText(argument any) string {
	literal := argument.(map[string]any)["literal"]
	if number, isNumber := literal.(float64); isNumber {
		return strconv.FormatFloat(number, 'f', -1, 64)
	}
	return fmt.Sprint(literal)
}
