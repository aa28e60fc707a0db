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
	bytes := 0
	for _, one := range list {
		if text, isText := one.(string); isText {
			bytes += len(text)
		}
	}
	return r.keep(list, bytes)
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
