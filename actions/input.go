package actions

import (
	"context"
	"strings"
)

// act runs one input operation of the page: after those before it, and with a
// deadline.
func (p *Page) act(ctx context.Context, f func(ctx context.Context, session string) error) error {
	ctx, cancel := bounded(ctx)
	defer cancel()
	if err := p.hold(ctx, p.input); err != nil {
		return err
	}
	defer func() { <-p.input }()
	s, err := p.look(ctx)
	if err != nil {
		return err
	}
	p.mu.Lock()
	p.acted = p.loader
	p.mu.Unlock()
	return f(ctx, s)
}

// send sends input. That the document goes by it is no failure.
func (p *Page) send(ctx context.Context, list ...command) error {
	err := p.calls(ctx, list...)
	if KindOf(err) == ContextDestroyed {
		return nil
	}
	return err
}

// modifierBits are the modifier keys in CDP's mask.
var modifierBits = map[string]int{"alt": 1, "control": 2, "ctrl": 2, "meta": 4, "command": 4, "shift": 8, "controlormeta": 2}

// modifierMask reads the names of modifier keys, in any case.
func modifierMask(names []string) (int, error) {
	mask := 0
	for _, name := range names {
		bit, ok := modifierBits[strings.ToLower(name)]
		if !ok {
			return 0, invalid("%q is no modifier: use Alt, Control, Meta or Shift", name)
		}
		mask |= bit
	}
	return mask, nil
}
