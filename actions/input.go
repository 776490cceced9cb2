package actions

import (
	"context"
	"strings"
)

// runInput runs one input operation of the page, with a deadline. Operations of a page run
// one after the other in the order of the calls: two clicks at once would press while
// the other one holds the button.
func (p *Page) runInput(ctx context.Context, f func(ctx context.Context, session string) error) error {
	ctx, cancel := withDeadline(ctx)
	defer cancel()
	if err := p.acquireLock(ctx, p.input); err != nil {
		return err
	}
	defer func() { <-p.input }()
	s, err := p.attachToDocument(ctx)
	if err != nil {
		return err
	}
	p.mu.Lock()
	// Follow looks for a document after this one.
	p.acted = p.doc.loader
	p.mu.Unlock()
	return f(ctx, s)
}

// sendInput sends input. An action may lead to another document before CDP has answered:
// that is no failure.
func (p *Page) sendInput(ctx context.Context, list ...command) error {
	err := p.callCommands(ctx, list...)
	if KindOf(err) == ContextDestroyed {
		return nil
	}
	return err
}

// modifierBits are the modifier keys in CDP's mask (Input.dispatchKeyEvent).
// "ControlOrMeta" is Playwright's name for the key of shortcuts, which is Control
// except on macOS.
var modifierBits = map[string]int{"alt": 1, "control": 2, "ctrl": 2, "meta": 4, "command": 4, "shift": 8, "controlormeta": 2}

// modifierMask reads the names of modifier keys, in any case.
func modifierMask(names []string) (int, error) {
	mask := 0
	for _, name := range names {
		bit, ok := modifierBits[strings.ToLower(name)]
		if !ok {
			return 0, invalidArgument("%q is not a modifier: use Alt, Control, Meta or Shift", name)
		}
		mask |= bit
	}
	return mask, nil
}
