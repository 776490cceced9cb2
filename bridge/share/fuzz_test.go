package share

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/internal/held/heldtest"
	"github.com/cdphub/cdphub/internal/wire"
)

// model is a browser with one session, as far as the sharing changes something in it. It answers in the order in which
// commands come, and checks what it is told of the sessions.
type model struct {
	t       *testing.T
	tab     *Tab
	log     []string
	pending []modelCall
	state   map[string]string // what is set, by name
	script  int
	paused  map[string]string // requests, with their stage
	dead    bool

	clients []*client
	peers   map[string]*modelPeer
	calls   map[bridge.CallID]*modelCommand
	answers map[string][]bridge.CallID
}

type modelCall struct {
	n               int64
	session, method string
	params          string
}

// modelPeer is what a Client has asked for, if all was well.
type modelPeer struct {
	wants map[string]string
	order map[string]int // when it did
}

type modelCommand struct {
	peer, method string
	answered     int
}

func newModel(t *testing.T) *model {
	m := &model{t: t, state: map[string]string{}, paused: map[string]string{}, peers: map[string]*modelPeer{}, calls: map[bridge.CallID]*modelCommand{}, answers: map[string][]bridge.CallID{}}
	m.tab = New(m, m)
	return m
}

func (m *model) fail(format string, args ...any) {
	m.t.Helper()
	m.t.Fatalf("%s\n%s", fmt.Sprintf(format, args...), strings.Join(m.log, "\n"))
}

// Send implements Real.
func (m *model) Send(n int64, session, method string, params []byte) {
	m.log = append(m.log, fmt.Sprintf("\t> %d %s %s %s", n, session, method, params))
	if m.dead {
		m.fail("a command to a session that is lost")
	}
	if !wire.IsObject(params) {
		m.fail("params of %s are %q", method, params)
	}
	m.pending = append(m.pending, modelCall{n, session, method, string(params)})
}

// Result implements Sessions.
func (m *model) Result(call bridge.CallID, session string, result, cdpErr []byte) {
	m.log = append(m.log, fmt.Sprintf("\t%s %d = %s%s", session, call, result, cdpErr))
	c := m.calls[call]
	if c == nil || c.peer != session {
		m.fail("an answer to no command of %s: %d", session, call)
	}
	if c.answered++; c.answered > 1 {
		m.fail("%s has two answers", c.method)
	}
	if !strings.HasPrefix(c.method, "DOM.") { // those may take two commands
		m.answers[session] = append(m.answers[session], call)
	}
	if result == nil == (cdpErr == nil) || !wire.IsObject(append(slices.Clone(result), cdpErr...)) {
		m.fail("the answer to %s is %q and %q", c.method, result, cdpErr)
	}
}

// SessionEvent implements Sessions.
func (m *model) SessionEvent(session, method string, params []byte) {
	m.log = append(m.log, fmt.Sprintf("\t%s ! %s %s", session, method, params))
	p := m.peers[session]
	if p == nil {
		return
	}
	if domain, _ := cutMethod(method); !alwaysOn[domain] && domain != "Fetch" && method != "Runtime.bindingCalled" && method != "Page.screencastFrame" && domain != "DOM" && p.wants[domain+".enable"] == "" {
		m.fail("%s has not enabled %s, and gets %s", session, domain, method)
	}
	if method == "Runtime.bindingCalled" && p.wants["binding "+textOf(params, "name")] == "" {
		m.fail("%s has no such binding: %s", session, params)
	}
	if !wire.IsObject(params) {
		m.fail("params of %s are %q", method, params)
	}
}

// Opened and Closed implement Sessions.
func (m *model) Opened(n bridge.Nested) bool {
	m.log = append(m.log, "\topened "+n.SessionID+" in "+n.Parent)
	return len(m.log)%7 != 0 // the hub may refuse one
}

func (m *model) Closed(id string) { m.log = append(m.log, "\tclosed "+id) }

// answer answers the oldest command.
func (m *model) answer() {
	if len(m.pending) == 0 {
		return
	}
	c := m.pending[0]
	m.pending = m.pending[1:]
	result, cdpErr := m.carryOut(&c)
	m.log = append(m.log, fmt.Sprintf("= %d %s %s%s", c.n, c.method, result, cdpErr))
	var r, e []byte
	if cdpErr != "" {
		e = wire.AppendError(nil, wire.ServerError(cdpErr))
	} else {
		r = []byte(cmp.Or(result, "{}"))
	}
	m.tab.Answer(c.n, r, e)
}

// carryOut changes the state of the browser.
func (m *model) carryOut(c *modelCall) (result, cdpErr string) {
	params := []byte(c.params)
	domain, verb := cutMethod(c.method)
	switch {
	case c.session != "":
		return "", ""
	case c.method == "Fetch.enable":
		m.state["Fetch"] = string(valueOf(params, "patterns"))
	case c.method == "Fetch.disable":
		delete(m.state, "Fetch")
		clear(m.paused)
	case domain == "Fetch":
		id := textOf(params, "requestId")
		if _, is := m.paused[id]; !is {
			return "", "Invalid InterceptionId."
		}
		delete(m.paused, id)
	case verb == "enable":
		m.state[c.method] = "on"
	case verb == "disable":
		delete(m.state, domain+".enable")
	case c.method == "Target.setAutoAttach":
		if delete(m.state, "auto"); isTrue(params, "autoAttach") {
			m.state["auto"] = fmt.Sprint(isTrue(params, "waitForDebuggerOnStart"))
		}
	case c.method == "Page.addScriptToEvaluateOnNewDocument":
		m.script++
		m.state["script "+strconv.Itoa(m.script)] = textOf(params, "source")
		return fmt.Sprintf(`{"identifier":"%d"}`, m.script), ""
	case c.method == "Page.removeScriptToEvaluateOnNewDocument":
		delete(m.state, "script "+textOf(params, "identifier"))
	case c.method == "Runtime.addBinding":
		m.state["binding "+textOf(params, "name")] = "on"
	case c.method == "Runtime.removeBinding":
		delete(m.state, "binding "+textOf(params, "name"))
	case c.method == "Runtime.evaluate":
		return `{"result":{"type":"object","objectId":"9.9.9"}}`, ""
	case c.method == "Runtime.callFunctionOn" && textOf(params, "objectId") != "9.9.9":
		m.fail("a handle of another: %s", params)
	case c.method == "Emulation.setLocaleOverride":
		return "", "Invalid locale name"
	case c.method == "Emulation.setTimezoneOverride":
		if delete(m.state, "zone"); textOf(params, "timezoneId") != "" {
			m.state["zone"] = textOf(params, "timezoneId")
		}
	case c.method == "Network.setExtraHTTPHeaders":
		if delete(m.state, "headers"); string(valueOf(params, "headers")) != "{}" {
			m.state["headers"] = string(valueOf(params, "headers"))
		}
	case c.method == "DOM.getDocument":
		return `{"root":{"nodeId":1,"backendNodeId":10,"children":[{"nodeId":2,"parentId":1,"backendNodeId":11}]}}`, ""
	case c.method == "DOM.describeNode":
		return `{"node":{"nodeId":0,"backendNodeId":10,"children":[{"nodeId":0,"backendNodeId":11}]}}`, ""
	case c.method == "DOM.querySelector":
		return `{"nodeId":2}`, ""
	case c.method == "DOM.setAttributeValue" && string(valueOf(params, "nodeId")) != "2":
		m.fail("another node: %s", params)
	case c.method == "Page.startScreencast":
		m.state["cast"] = textOf(params, "format")
	case c.method == "Page.stopScreencast":
		delete(m.state, "cast")
	case c.method == "Profiler.start":
		m.state["profile"] = "on"
	case c.method == "Profiler.stop":
		delete(m.state, "profile")
	case c.method == "Debugger.setBreakpointByUrl":
		m.state["break"] = "on"
		return `{"breakpointId":"b","locations":[]}`, ""
	case c.method == "Debugger.removeBreakpoint":
		delete(m.state, "break")
	}
	return "", ""
}

// wishes are commands of Clients, with what they want from then on: a name and a value, "" is no longer.
var wishes = []struct{ method, params, name, value string }{
	{"Page.enable", `{}`, "Page.enable", "on"},
	{"Page.disable", `{}`, "Page.enable", ""},
	{"Runtime.enable", `{}`, "Runtime.enable", "on"},
	{"Runtime.disable", `{}`, "Runtime.enable", ""},
	{"Debugger.enable", `{}`, "Debugger.enable", "on"},
	{"Debugger.disable", `{}`, "Debugger.enable", ""},
	{"Network.enable", `{}`, "Network.enable", "on"},
	{"Emulation.setTimezoneOverride", `{"timezoneId":"Z/%s"}`, "zone", "Z/%s"},
	{"Emulation.setTimezoneOverride", `{"timezoneId":""}`, "zone", ""},
	{"Emulation.setLocaleOverride", `{"locale":"?"}`, "", ""},
	{"Network.setExtraHTTPHeaders", `{"headers":{"%s":"1"}}`, "headers", `"%s":"1"`},
	{"Network.setExtraHTTPHeaders", `{"headers":{}}`, "headers", ""},
	{"Runtime.addBinding", `{"name":"f"}`, "binding f", "on"},
	{"Runtime.removeBinding", `{"name":"f"}`, "binding f", ""},
	{"Target.setAutoAttach", `{"autoAttach":true,"waitForDebuggerOnStart":true,"flatten":true}`, "auto", "on"},
	{"Target.setAutoAttach", `{"autoAttach":false,"waitForDebuggerOnStart":false,"flatten":true}`, "auto", ""},
	{"Fetch.enable", `{"patterns":[{"urlPattern":"%s"},{"urlPattern":"*"}]}`, "Fetch", "on"},
	{"Fetch.disable", `{}`, "Fetch", ""},
	{"Fetch.continueRequest", `{"requestId":"1"}`, "", ""},
	{"Fetch.failRequest", `{"requestId":"2","errorReason":"Failed"}`, "", ""},
	{"Runtime.evaluate", `{"expression":"1"}`, "", ""},
	{"Runtime.callFunctionOn", `{"functionDeclaration":"f","objectId":"1:9.9.9"}`, "", ""},
	{"Runtime.callFunctionOn", `{"functionDeclaration":"f","objectId":"2:9.9.9"}`, "", ""},
	{"DOM.getDocument", `{}`, "", ""},
	{"DOM.querySelector", `{"nodeId":10,"selector":"a"}`, "", ""},
	{"DOM.setAttributeValue", `{"nodeId":11,"name":"a","value":"b"}`, "", ""},
	{"Page.startScreencast", `{"format":"%s"}`, "cast", "%s"},
	{"Page.stopScreencast", `{}`, "cast", ""},
	{"Page.screencastFrameAck", `{"sessionId":1}`, "", ""},
	{"Profiler.start", `{}`, "", ""},
	{"Profiler.stop", `{}`, "", ""},
	{"Debugger.setBreakpointByUrl", `{"lineNumber":1,"url":"u"}`, "", ""},
	{"Debugger.removeBreakpoint", `{"breakpointId":"b"}`, "", ""},
	{"Page.addScriptToEvaluateOnNewDocument", `{"source":"%s"}`, "", ""},
	{"Page.removeScriptToEvaluateOnNewDocument", `{"identifier":"1"}`, "", ""},
	{"Page.setLifecycleEventsEnabled", `{"enabled":true}`, "", ""},
	{"Page.reload", `{}`, "", ""},
}

// happenings are events of the browser.
var happenings = []struct{ session, method, params string }{
	{"", "Page.frameNavigated", `{"frame":{"id":"F"}}`},
	{"", "Runtime.executionContextCreated", `{"context":{"id":3,"auxData":{"isDefault":true,"frameId":"F"}}}`},
	{"", "Runtime.executionContextDestroyed", `{"executionContextId":3}`},
	{"", "Runtime.executionContextsCleared", `{}`},
	{"", "Runtime.consoleAPICalled", `{"args":[{"type":"object","objectId":"9.9.9"}],"executionContextId":3}`},
	{"", "Runtime.bindingCalled", `{"name":"f","payload":"","executionContextId":3}`},
	{"", "Debugger.scriptParsed", `{"scriptId":"5","executionContextId":3}`},
	{"", "Debugger.paused", `{"callFrames":[],"reason":"other"}`},
	{"", "Debugger.resumed", `{}`},
	{"", "Page.screencastFrame", `{"data":"","sessionId":1}`},
	{"", "Page.lifecycleEvent", `{"name":"load","timestamp":1}`},
	{"", "DOM.documentUpdated", `{}`},
	{"", "DOM.setChildNodes", `{"parentId":2,"nodes":[{"nodeId":3,"parentId":2,"backendNodeId":12}]}`},
	{"", "DOM.childNodeRemoved", `{"parentNodeId":1,"nodeId":2}`},
	{"", "Target.attachedToTarget", `{"sessionId":"R","targetInfo":{"targetId":"T","type":"worker"},"waitingForDebugger":true}`},
	{"R", "Target.attachedToTarget", `{"sessionId":"Q","targetInfo":{"targetId":"U","type":"worker"},"waitingForDebugger":true}`},
	{"", "Target.detachedFromTarget", `{"sessionId":"R"}`},
	{"R", "Runtime.consoleAPICalled", `{"args":[]}`},
}

// step does one thing. The two bytes choose what.
func (m *model) step(op, arg byte) {
	id := string("ABC"[arg%3])
	switch op % 8 {
	case 0:
		if m.peers[id] == nil && !m.known(id) {
			m.log = append(m.log, "+"+id)
			m.peers[id] = &modelPeer{map[string]string{}, map[string]int{}}
			m.tab.Attach(id)
			m.clients = append(m.clients, m.tab.views[id].client)
		}
	case 1:
		if m.peers[id] != nil && arg > 200 {
			m.log = append(m.log, "-"+id)
			delete(m.peers, id)
			m.tab.Detach(id)
		}
	case 2, 3, 4:
		m.command(id, int(arg/3)%len(wishes))
	case 5:
		for range 1 + arg%4 {
			m.answer()
		}
	case 6:
		m.happen(arg)
	case 7:
		switch {
		case arg > 240 && !m.dead:
			m.log = append(m.log, "lost")
			m.dead, m.pending = true, nil
			clear(m.state)
			clear(m.paused)
			m.tab.Lost()
		case m.dead:
			m.log = append(m.log, "again")
			m.dead = false
			m.tab.Again()
		}
	}
	if n := len(m.tab.told); n > 0 {
		m.fail("%d notices are left: only the browser's calls may tell the sessions something", n)
	}
}

// known reports whether commands of an earlier Client of that name have no answers yet.
func (m *model) known(id string) bool {
	for _, c := range m.calls {
		if c.peer == id && c.answered == 0 {
			return true
		}
	}
	return false
}

func (m *model) command(id string, n int) {
	p := m.peers[id]
	if p == nil {
		return
	}
	w := wishes[n]
	fill := func(s string) string { return strings.ReplaceAll(s, "%s", id) }
	call := bridge.CallID(len(m.calls) + 1)
	m.calls[call] = &modelCommand{peer: id, method: w.method}
	m.log = append(m.log, fmt.Sprintf("%s %d %s %s", id, call, w.method, fill(w.params)))
	if w.method == "Page.disable" && p.wants["Page.enable"] != "" {
		delete(p.wants, "cast") // it ends with the domain
	}
	switch {
	case w.name != "" && w.value == "":
		delete(p.wants, w.name)
	case w.name != "":
		p.wants[w.name] = fill(w.value)
		p.order[w.name] = int(call)
	}
	if err := m.tab.Send(bridge.Command{Call: call, SessionID: id, Method: w.method, Params: []byte(fill(w.params))}); err != nil {
		m.log = append(m.log, "\trefused: "+err.Error())
		m.calls[call].answered++
	}
}

func (m *model) happen(arg byte) {
	if m.dead {
		return
	}
	if arg > 200 && m.state["Fetch"] != "" {
		id := strconv.Itoa(int(arg)%2 + 1)
		m.paused[id] = "request"
		m.log = append(m.log, "! Fetch.requestPaused "+id)
		m.tab.Event("", "Fetch.requestPaused", []byte(`{"requestId":"`+id+`","request":{"url":"http://h/"},"resourceType":"Document"}`))
		return
	}
	h := happenings[int(arg)%len(happenings)]
	m.log = append(m.log, "! "+h.session+" "+h.method)
	m.tab.Event(h.session, h.method, []byte(h.params))
}

// settle has the browser answer all, and compares its state with what the Clients want.
func (m *model) settle() {
	if m.dead {
		m.dead = false
		m.tab.Again()
	}
	for n := 0; len(m.pending) > 0; n++ {
		if n > 100_000 {
			m.fail("it never ends")
		}
		m.answer()
	}
	want := map[string]string{}
	newest := map[string]int{}
	fetch := 0
	for _, p := range m.peers {
		for name, value := range p.wants {
			switch {
			case name == "Fetch":
				fetch++
			case name == "headers":
				want[name] = "some"
			case name == "auto":
				want[name] = "true"
			case p.order[name] > newest[name]:
				want[name], newest[name] = value, p.order[name]
			}
		}
		if p.wants["Debugger.enable"] != "" {
			want["Runtime.enable"] = "on"
		}
	}
	got := maps.Clone(m.state)
	for name := range got {
		switch {
		case strings.HasPrefix(name, "script "), name == "profile", name == "break", name == "DOM.enable":
			delete(got, name)
		case name == "headers":
			for id, p := range m.peers {
				if strings.Contains(got[name], `"`+id+`"`) != (p.wants[name] != "") {
					m.fail("headers are %s", got[name])
				}
			}
			got[name] = "some"
		case name == "Fetch":
			if strings.Count(got[name], `"*"`) != fetch {
				m.fail("patterns are %s for %d", got[name], fetch)
			}
			delete(got, name)
		}
	}
	if !maps.Equal(got, want) {
		m.fail("the browser has %v, want %v", got, want)
	}
	for call, c := range m.calls {
		if m.peers[c.peer] != nil && c.answered != 1 {
			m.fail("%d %s has %d answers", call, c.method, c.answered)
		}
	}
	for id, order := range m.answers {
		if !slices.IsSorted(order) {
			m.fail("the answers of %s are in another order: %v", id, order)
		}
	}
}

// FuzzR404Interleavings has Clients, the browser and a link that breaks do things in any order. Each command gets one
// answer, in the browser's order; no Client can use a handle of another; the browser has what the Clients want together; and
// nothing is left of those who have gone.
func FuzzR404Interleavings(f *testing.F) {
	for seed := range 40 {
		f.Add(randomSteps(seed))
	}
	f.Fuzz(func(t *testing.T, steps []byte) {
		m := newModel(t)
		for i := 0; i+1 < min(len(steps), 2000); i += 2 {
			m.step(steps[i], steps[i+1])
		}
		m.settle()
		for _, id := range slices.Sorted(maps.Keys(m.peers)) {
			m.log = append(m.log, "-"+id)
			m.tab.Detach(id)
			delete(m.peers, id)
		}
		m.tab.Event("", "Target.detachedFromTarget", []byte(`{"sessionId":"R"}`))
		m.settle()
		if len(m.state) > 0 {
			m.fail("the browser still has %v", m.state)
		}
		heldtest.WantsNothing(t, "the tab", m.tab.Held())
		for _, c := range m.clients {
			if c.kept != 0 || c.items != 0 || c.calls != 0 {
				t.Errorf("client %d keeps %d bytes of %d items, and has %d calls", c.number, c.kept, c.items, c.calls)
			}
		}
		if t.Failed() {
			m.fail("see above")
		}
	})
}

// randomSteps are steps that look random and are always the same.
func randomSteps(seed int) []byte {
	steps := make([]byte, 1200)
	x := uint32(seed)*2654435761 + 1
	for i := range steps {
		x ^= x << 13
		x ^= x >> 17
		x ^= x << 5
		steps[i] = byte(x >> 11)
	}
	return steps
}

// checker is a browser that wants commands to be JSON, and to have no handle of the Client B.
type checker struct {
	t     *testing.T
	calls []int64
}

func (c *checker) Send(call int64, _, method string, params []byte) {
	if !wire.IsObject(params) {
		c.t.Fatalf("%s is sent with %q", method, params)
	}
	s := shapes()[">"+method]
	foreign := false
	if s != nil {
		s.replace(nil, params, func(dst []byte, k kind, value []byte) []byte {
			text, _ := wire.Text(value)
			foreign = foreign || k == remote && strings.Contains(text, ":")
			return dst
		})
	}
	if foreign {
		c.t.Fatalf("%s names what is of another: %s", method, params)
	}
	c.calls = append(c.calls, call)
}

func (*checker) Result(bridge.CallID, string, []byte, []byte) {}
func (*checker) SessionEvent(string, string, []byte)          {}
func (*checker) Opened(bridge.Nested) bool                    { return true }
func (*checker) Closed(string)                                {}

// FuzzR400Params sends any params with the methods in which something is read or changed: what reaches the browser is JSON,
// and a Client that leaves takes everything with it.
func FuzzR400Params(f *testing.F) {
	methods := []string{"Target.setAutoAttach", "Fetch.enable", "Page.enable", "Page.startScreencast", "Page.screencastFrameAck", "Fetch.continueRequest"}
	for key := range shapes() {
		if name, is := strings.CutPrefix(key, ">"); is {
			methods = append(methods, name)
		}
	}
	methods = append(methods, slices.Collect(maps.Keys(rules))...)
	methods = append(methods, slices.Collect(maps.Keys(handlers))...)
	slices.Sort(methods)
	methods = slices.Compact(methods)
	for _, params := range []string{
		`{}`, `{"patterns":"abc"}`, `{"patterns":[]}`, `{"patterns":{}}`, `{"patterns":[5,null]}`, `{"headers":[1],"urls":{"a":1}}`, `{"objectId":"1:5","object\u0049d":"2:5"}`,
		`{"objectId":{"objectId":"1:5"},"arguments":{"a":[]}}`, `{"nodeId":1e3,"backendNodeId":2}`, `{ "nodeId" : 7 , "depth" : [1] }`, `{"arguments":[{"objectId":"1:x"},[],3]}`,
		`{"autoAttach":true,"filter":[{"type":"\u0000"}]}`, `{"objectGroup":5}`, `{"name":"\ud800","identifier":"1"}`, `{"requestId":"1","requestId":"2"}`,
	} {
		for n := range methods {
			f.Add(uint16(n), []byte(params)) //nolint:gosec // there are some hundred
		}
	}
	f.Fuzz(func(t *testing.T, which uint16, params []byte) {
		if !wire.IsObject(params) {
			t.Skip()
		}
		c := &checker{t: t}
		tab := New(c, c)
		tab.Attach("A")
		tab.Attach("B")
		method := methods[int(which)%len(methods)]
		for _, id := range []string{"A", "B"} {
			_ = tab.Send(bridge.Command{Call: 1, SessionID: id, Method: method, Params: params})
			_ = tab.Send(bridge.Command{Call: 2, SessionID: id, Method: method, Params: params})
		}
		tab.Lost()
		tab.Again()
		clients := []*client{tab.views["A"].client, tab.views["B"].client}
		tab.Detach("A")
		tab.Detach("B")
		for len(c.calls) > 0 {
			n := c.calls[0]
			c.calls = c.calls[1:]
			tab.Answer(n, wire.Empty, nil)
		}
		heldtest.WantsNothing(t, "the tab", tab.Held())
		for _, o := range clients {
			if o.kept != 0 || o.items != 0 || o.calls != 0 {
				t.Errorf("%s %s: a client keeps %d bytes of %d items, and has %d calls", method, params, o.kept, o.items, o.calls)
			}
		}
	})
}
