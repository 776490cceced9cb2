package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/cdphub/cdphub/internal/methods"
)

// answersPage is what docs/answers.md shows.
type answersPage struct {
	Nothing []inertMethods
	Done    map[string][]string             // methods by domain
	Differs map[string][]methods.Difference // by kind
}

// inertMethods are the methods that do nothing for the same reason.
type inertMethods struct {
	Why     string
	Methods []string // as the page has them
}

// ofLevel says where a method is sent.
var ofLevel = [len(methods.Levels)]string{"", " without a session", " in a session on a tab", " in a session on a worker"}

// readAnswers sorts the table by whether something is done.
func readAnswers() (any, error) {
	rows, err := methods.Read()
	if err != nil {
		return nil, err
	}
	p := answersPage{Done: map[string][]string{}, Differs: map[string][]methods.Difference{}}
	differences, err := methods.Differences()
	for _, d := range differences {
		p.Differs[d.Kind] = append(p.Differs[d.Kind], d)
	}
	for _, m := range rows {
		domain, verb := m.Domain()
		for level := range methods.Levels {
			step, found := m.First(level)
			switch {
			case !found || verb == "*" || domain == "CdpHub":
			case step.Inert != "":
				p.addInert(step.Inert, "`"+m.Name+"`"+ofLevel[level])
			case step.Done() && !slices.Contains(p.Done[domain], verb):
				p.Done[domain] = append(p.Done[domain], verb)
			}
		}
	}
	return p, err
}

// addInert adds a method to those of a reason.
func (p *answersPage) addInert(why, name string) {
	i := slices.IndexFunc(p.Nothing, func(same inertMethods) bool { return same.Why == why })
	if i < 0 {
		i = len(p.Nothing)
		p.Nothing = append(p.Nothing, inertMethods{Why: why})
	}
	p.Nothing[i].Methods = append(p.Nothing[i].Methods, name)
}

// agentPage is what web/src/methods.ts has.
type agentPage struct {
	Parts           map[string][]string // methods by the part of agent.js that carries them out
	Refused         map[string][]string // methods of agent.js and its parts by the reason
	Inert           []string            // that agent.js answers and does nothing for
	DevTools        []string            // of devtools.js
	DevToolsRefused map[string][]string // of devtools.js by the reason
	DevToolsInert   []string
	InWorkers       []string            // that the agent of the page answers in a session on a worker
	Handled         map[string][]string // methods that a program carries out, by program
}

const (
	devTools  = "devtools.js"
	coreAgent = "agent.js"
)

// readAgent sorts the table by the bundle of the page that needs to know.
func readAgent() (any, error) {
	rows, err := methods.Read()
	p := agentPage{Parts: map[string][]string{}, Refused: map[string][]string{}, DevToolsRefused: map[string][]string{}, Handled: map[string][]string{}}
	others := map[string]string{} // who answers the other methods of a domain
	for _, m := range rows {
		if domain, verb := m.Domain(); verb == "*" {
			others[domain] = m.Answers[0][0].By
		}
	}
	for _, m := range rows {
		for _, step := range m.Answers[0] {
			p.add(m, step, others)
		}
		if step, found := m.First(3); found && step.By == "worker.js" && step.Done() {
			p.Handled[step.By] = append(p.Handled[step.By], m.Name)
		} else if found && step.By != "host" {
			p.InWorkers = append(p.InWorkers, m.Name)
		}
		if _, found := m.At(1, "host"); found {
			p.Handled["host, without a session"] = append(p.Handled["host, without a session"], m.Name)
		}
	}
	return p, err
}

// add sorts one step of a method in a session on a frame.
func (p *agentPage) add(m methods.Method, step methods.Step, others map[string]string) {
	domain, verb := m.Domain()
	if step.Done() && verb != "*" {
		p.Handled[step.By] = append(p.Handled[step.By], m.Name)
	}
	refused, inert := p.Refused, &p.Inert
	switch {
	case step.By == "hub" || step.By == "host":
		return
	case step.By == devTools:
		refused, inert = p.DevToolsRefused, &p.DevToolsInert
		if verb == "*" || others[domain] != devTools {
			p.DevTools = append(p.DevTools, m.Name)
		}
	case step.By != coreAgent && (verb == "*" || others[domain] != step.By):
		p.Parts[step.By] = append(p.Parts[step.By], m.Name)
	}
	if step.Refused != "" {
		refused[step.Refused] = append(refused[step.Refused], m.Name)
	}
	if step.Inert != "" {
		*inert = append(*inert, m.Name)
	}
}

// writeLists are the properties of an object of TypeScript: lists of methods by their keys.
func writeLists(lists map[string][]string) string {
	var out strings.Builder
	for _, key := range slices.Sorted(maps.Keys(lists)) {
		fmt.Fprintf(&out, "  %q: %q,\n", key, groupMethods(lists[key]))
	}
	return out.String()
}

// groupMethods joins methods that are sorted: "DOM.redo,undo Tracing.*".
func groupMethods(names []string) string {
	var out, last string
	for _, name := range names {
		domain, verb, _ := strings.Cut(name, ".")
		if domain == last {
			out += "," + verb
		} else {
			out += " " + name
		}
		last = domain
	}
	return strings.TrimSpace(out)
}

// writeUnion is a type of TypeScript: one of the methods.
func writeUnion(names []string) string {
	return `"` + strings.Join(names, `" | "`) + `"`
}
