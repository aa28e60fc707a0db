package runner

// Replies take what units decoded. In the measured loops they keep nothing; echo wants to see them.
type Replies struct {
	// The library's error that stands for null.
	null   error
	isKept bool
	kept   []any
	bytes  int
}

// Text takes a reply that is text, or the error in its place; as do the others. They return what made the unit fail.
func (r *Replies) Text(text string, err error) error {
	if err != nil || !r.isKept {
		return r.noted(err)
	}
	return r.keep(text, len(text))
}

// Number takes a reply that is a whole number.
func (r *Replies) Number(number int64, err error) error {
	if err != nil || !r.isKept {
		return r.noted(err)
	}
	return r.keep(number, 0)
}

// Truth takes a reply that is true or false.
func (r *Replies) Truth(isTrue bool, err error) error {
	if err != nil || !r.isKept {
		return r.noted(err)
	}
	return r.keep(isTrue, 0)
}

// Texts takes a reply that is a list.
func (r *Replies) Texts(texts []string, err error) error {
	if err != nil || !r.isKept {
		return r.noted(err)
	}
	return r.keep(texts, sizeOf(texts...))
}

// Mixed takes a reply that is a list in which something may be null.
func (r *Replies) Mixed(list []any, err error) error {
	if err != nil || !r.isKept {
		return r.noted(err)
	}
	return r.keep(list, sizeOfAny(list))
}

// Pairs takes a reply that is a map.
func (r *Replies) Pairs(pairs map[string]string, err error) error {
	if err != nil || !r.isKept {
		return r.noted(err)
	}
	list, bytes := [][2]string{}, 0
	for field, value := range pairs {
		list = append(list, [2]string{field, value})
		bytes += sizeOf(field, value)
	}
	return r.keep(map[string]any{"map": list}, bytes)
}

// Any takes a reply as the library decodes those of any command: text, a number, a list, a map, or null.
func (r *Replies) Any(reply any, err error) error {
	if err != nil || !r.isKept {
		return r.noted(err)
	}
	return r.keep(shown(reply), sizeOfAny(reply))
}

// shown returns a reply as the contract has it: maps are lists of pairs.
func shown(reply any) any {
	switch reply := reply.(type) {
	case []any:
		list := make([]any, len(reply))
		for i, one := range reply {
			list[i] = shown(one)
		}
		return list
	case map[any]any:
		return shownMap(reply)
	case map[string]any:
		return shownMap(reply)
	}
	return reply
}

func shownMap[Field comparable](reply map[Field]any) any {
	list := [][2]any{}
	for field, value := range reply {
		list = append(list, [2]any{field, shown(value)})
	}
	return map[string]any{"map": list}
}

func sizeOfAny(reply any) int {
	switch reply := reply.(type) {
	case string:
		return len(reply)
	case []any:
		bytes := 0
		for _, one := range reply {
			bytes += sizeOfAny(one)
		}
		return bytes
	}
	return 0
}

// Failed takes an error in place of any reply.
func (r *Replies) Failed(err error) error {
	return r.noted(err)
}

// noted takes an error, or none: null is a reply.
func (r *Replies) noted(err error) error {
	if err == nil || err != r.null {
		return err
	}
	if r.isKept {
		return r.keep(nil, 0)
	}
	return nil
}

func (r *Replies) keep(reply any, bytes int) error {
	r.kept = append(r.kept, reply)
	r.bytes += bytes
	return nil
}

// add takes those of a part of the unit.
func (r *Replies) add(part *Replies) {
	r.kept = append(r.kept, part.kept...)
	r.bytes += part.bytes
}

func sizeOf(texts ...string) int {
	bytes := 0
	for _, text := range texts {
		bytes += len(text)
	}
	return bytes
}
