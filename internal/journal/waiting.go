package journal

import "time"

// lookWithin is how long a command waits for what was under the pointer.
const lookWithin = 3 * time.Second

// ended takes a command that has been answered. Entries are in the order of the
// answers: a command that waits for what was under the pointer holds up those behind
// it.
func (l *line) ended(j *Journal, c *command) {
	c.ended = time.Now()
	l.waiting = append(l.waiting, c)
	l.settle(j)
}

// settle makes the entries of the commands that need not wait any more.
func (l *line) settle(j *Journal) {
	for len(l.waiting) > 0 && (l.waiting[0].looked && l.waiting[0].logRead || time.Since(l.waiting[0].ended) > lookWithin) {
		c := l.waiting[0]
		l.waiting[0] = nil
		l.waiting = l.waiting[1:]
		c.looked, c.logRead = true, true
		l.matchAct(j, c)
		c.know(c.on)
		c.on = l.cleaned(c.on) // only now: it is known whether what was typed is a secret
		c.method.command(j, l, c)
		if c.looks {
			l.probe.open--
		}
	}
	if l.probe.open == 0 && len(l.probe.log) > 0 {
		l.keepChanges(j, len(l.probe.log), time.Now())
	}
}
