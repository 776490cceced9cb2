//go:build !linux

package chrome

// usage implements inspectable: nothing is known, so that a browser that does not answer
// ends.
func (p *process) usage() usage { return usage{} }

// endRenderer implements inspectable.
func (p *process) endRenderer(int) {}
