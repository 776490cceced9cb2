package server

import (
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"
)

// works wants the next command of a Client to be answered, and nothing before.
func (p *far) works(after string) {
	p.t.Helper()
	p.send(`{"id":77,"method":"Schema.getDomains"}`)
	if got, want := p.next(), `{"id":77,"result":{"domains":[]}}`; got != want {
		p.t.Errorf("after %.100q: got %.300s, want %s", after, got, want)
	}
}

// marked sends a command and wants it to be the next that the Host sees, as
// nothing before it was to be forwarded.
func marked(t *testing.T, c, host *far, tail string) {
	t.Helper()
	c.send(`{"id":78,"method":"Page.getLayoutMetrics"` + tail)
	m := readCommand(t, host.next())
	if m.Method != "Page.getLayoutMetrics" {
		t.Fatalf("the Host was sent %.200s %.200s", m.Method, m.Params)
	}
	host.send(m.result("{}"))
	c.wants(`{"id":78,"result":{}` + tail)
}

// nested is an object of so many levels.
func nested(levels int) string {
	return strings.Repeat(`{"a":`, levels-1) + `{}` + strings.Repeat(`}`, levels-1)
}

func TestR50MalformedMessages(t *testing.T) {
	s := start(t, nil)
	s.host(t)
	c, other := s.client(t), s.client(t)
	tail := c.attachTo("T1")
	const (
		parse     = `{"error":{"code":-32700,"message":"JSON: `
		noID      = `{"error":{"code":-32600,"message":"Message must have integer 'id' property"}}`
		noMethod  = `{"id":1,"error":{"code":-32600,"message":"Message must have string 'method' property"}}`
		noSession = `{"id":1,"error":{"code":-32001,"message":"Session with given id not found."}}`
	)
	for _, tt := range []struct{ in, want string }{
		{``, parse},
		{`nonsense`, parse},
		{`NaN`, parse},
		{`{"id":NaN,"method":"A.b"}`, parse},
		{`{"id":1,"method":"A.b"`, parse},
		{`{"id":1,"method":"A.b`, parse},
		{"\ufeff" + `{"id":1,"method":"A.b"}`, parse},
		{`{"id":1,"method":"A.b"} x`, parse},
		{`{"id":1,"method":"A.b"}{"id":2,"method":"A.b"}`, parse},
		{`{"id":1,"method":"A.b","params":` + nested(300) + `}`, `{"id":1,"error":{"code":-32700,`},
		{`""`, noID},
		{`"x"`, noID},
		{`null`, noID},
		{`5`, noID},
		{`[]`, noID},
		{`{}`, noID},
		{`{"method":"A.b"}`, noID},
		{`{"id":"1","method":"A.b"}`, noID},
		{`{"id":1.5,"method":"A.b"}`, noID},
		{`{"id":1e3,"method":"A.b"}`, noID},
		{`{"id":null,"method":"A.b"}`, noID},
		{`{"id":2147483648,"method":"A.b"}`, noID},
		{`{"id":1}`, noMethod},
		{`{"id":1,"method":5}`, noMethod},
		{`{"id":1,"method":null}`, noMethod},
		{`{"id":1,"method":"A.b","sessionId":5}`, `{"id":1,"error":{"code":-32600,"message":"Message may have string 'sessionId' property"}}`},
		{`{"id":1,"method":"A.b","params":[]}`, `{"id":1,"error":{"code":-32600,`},
		{`{"id":1,"method":"A.b","sessionId":"none"}`, noSession},
		{`{"id":1,"method":"A.b","sessionId":""}`, noSession},
		{`{"id":1,"method":"A.b"` + tail, noSession}, // of another Client
		{`{"id":1,"method":"Target.attachToTarget","params":{"targetId":"none"}}`, `{"id":1,"error":{"code":-32602,"message":"No target with given id found"}}`},
		{`{"id":1,"method":"Target.detachFromTarget","params":{"sessionId":"none"}}`, `{"id":1,"error":{"code":-32602,"message":"No session with given id"}}`},
		{`{"id":1,"method":"X.y"}`, `{"id":1,"error":{"code":-32601,"message":"'X.y' wasn't found"`},
	} {
		other.send(tt.in)
		if got := other.next(); !strings.HasPrefix(got, tt.want) {
			t.Errorf("%.100q: got %.300s, want %s", tt.in, got, tt.want)
		}
		other.works(tt.in)
	}
}

// A binary frame is the one thing that ends the connection.
func TestR50BinaryFrame(t *testing.T) {
	s := start(t, nil)
	nc, err := net.Dial("tcp", s.addr(false))
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	nc.SetDeadline(time.Now().Add(within))
	io.WriteString(nc, handshake("/devtools/browser")+"\x82\x80\x00\x00\x00\x00")
	if got, err := io.ReadAll(nc); err != nil || !strings.Contains(string(got), "\x03\xebonly text messages") {
		t.Errorf("got %q, %v, want close 1003", got, err)
	}
}

func TestR51DoubledKeys(t *testing.T) {
	s := start(t, nil)
	host, c := s.host(t), s.client(t)
	tail := c.attachTo("T1")
	for _, in := range []string{
		`{"id":1,"id":2,"method":"A.b"` + tail,
		`{"id":1,"\u0069d":1,"method":"A.b"` + tail,
		`{"id":1,"method":"A.b","method":"C.d"` + tail,
		`{"id":1,"method":"A.b","\u006dethod":"A.b"` + tail,
		`{"id":1,"method":"A.b","params":{},"params":{"a":1}` + tail,
		`{"id":1,"method":"A.b","params":null,"p\u0061rams":{}` + tail,
		`{"id":1,"method":"A.b","sessionId":"none"` + tail,
		`{"id":1,"method":"A.b","\u0073essionId":"none"` + tail,
		`{"id":1,"method":"Target.getTargets","method":"A.b"}`,
	} {
		c.send(in)
		if got, want := c.next(), `{"id":1,"error":{"code":-32700,"message":"JSON: duplicate map key`; !strings.HasPrefix(got, want) {
			t.Errorf("%s: got %s, want %s", in, got, want)
		}
	}
	marked(t, c, host, tail)
	c.send(`{"Id":5,"id":2,"ID":"x","extra":{"id":3},"method":"A.b","kind":"ready","params":{"a":1}` + tail)
	m := host.next()
	if cmd := readCommand(t, m); cmd.Method != "A.b" || string(cmd.Params) != `{"a":1}` || strings.Contains(m, "xtra") || strings.Count(m, "kind") != 1 {
		t.Errorf("with other keys the Host got %s", m)
	}
}

func TestR52ParamsCrossUnchanged(t *testing.T) {
	s := start(t, nil)
	host, c := s.host(t), s.client(t)
	tail := c.attachTo("T1")
	for i, params := range []string{
		`{"a":1,"a":2,"\u0061":3}`, `{"n":1e400,"m":-0.0,"o":1E+05}`, `{"n":18446744073709551616,"m":123456789012345678901234567890}`,
		`{"s":"\u0041\/\ud83d\ude00\ud83d\u2028é😀"}`, "{ \"a\" :\t[ 1 , 2 ]\r\n, \"b\" : { } }", `{"sessionId":"S","id":5,"method":"x"}`, `{"":{"__proto__":null}}`,
	} {
		c.send(fmt.Sprintf(`{"id":%d,"method":"A.b","params":%s%s`, i, params, tail))
		m := host.next()
		if !strings.HasSuffix(m, `"params":`+params+`}`) {
			t.Errorf("%s: the Host got %s", params, m)
		}
		host.send(readCommand(t, m).result(params))
		c.wants(fmt.Sprintf(`{"id":%d,"result":%s%s`, i, params, tail))
	}
}

func TestR53ParamsThatAreNoJSON(t *testing.T) {
	s := start(t, nil)
	host, c := s.host(t), s.client(t)
	tail := c.attachTo("T1")
	for _, params := range []string{
		"{\"a\":\"\x01\"}", "{\"a\":\"\n\"}", `{"a":tru}`, `{"a":[1,2}}`, `{"a":01}`, `{"a":1/*x*/}`, `{"a":1}//`, `{bad`, `{bad}`, `{'a':1}`, `{"a":1,}`,
		`{"a":"\x"}`, `{"a":"\u12g4"}`, `{"a":+1}`, `{"a":.5}`, `{"a":1.}`, `{"a":Infinity}`, `{"a" 1}`, `{"a":undefined}`, "{\"a\":\u00a01}",
	} {
		c.send(`{"id":1,"method":"A.b","params":` + params + tail)
		if got := c.next(); !strings.HasPrefix(got, `{"error":{"code":-32700,`) {
			t.Errorf("%q: got %s, want -32700", params, got)
		}
	}
	marked(t, c, host, tail)
}

func TestR54DeepNesting(t *testing.T) {
	s := start(t, nil)
	host, c := s.host(t), s.client(t)
	tail := c.attachTo("T1")
	deepest := nested(299)
	tooDeep := map[string]string{
		"300 levels": nested(300), "5,000 levels": nested(5000), "5,000 arrays": strings.Repeat("[", 5000) + strings.Repeat("]", 5000),
		"10 MB of [": strings.Repeat("[", 10_000_000),
	}
	for name, value := range tooDeep {
		c.send(`{"id":1,"method":"A.b","params":` + value + tail)
		if got := c.next(); !strings.HasPrefix(got, `{"id":1,"error":{"code":-32700,`) {
			t.Errorf("%s: got %.200s, want -32700", name, got)
		}
	}
	ask := func(answer func(command) string) string {
		t.Helper()
		c.send(`{"id":2,"method":"A.b","params":` + deepest + tail)
		cmd := readCommand(t, host.next())
		if string(cmd.Params) != deepest {
			t.Errorf("299 levels: the Host got %.200s", cmd.Params)
		}
		host.send(answer(cmd))
		return c.next()
	}
	for name, value := range tooDeep {
		got := ask(func(cmd command) string { return cmd.result(value) })
		if want := `{"id":2,"error":{"code":-32000,"message":"Invalid answer from the Host"}` + tail; got != want {
			t.Errorf("%s in a result: got %.200s, want %s", name, got, want)
		}
	}
	if got, want := ask(func(cmd command) string { return cmd.result(deepest) }), `{"id":2,"result":`+deepest+tail; got != want {
		t.Errorf("299 levels in a result: got %.200s", got)
	}
}

func TestR55OddMethodNames(t *testing.T) {
	s, admin := startAdmin(t, nil)
	host := dial(t, "ws://"+s.addr(true)+"/icdp/host", nil)
	host.send(`{"kind":"ready","v":1,"targets":[{"targetId":"T1"}],"features":["handles+"],"handles":["A.*","Storage.*","Target.createTarget"]}`)
	host.until("accepted")
	s.await(t, `"targetId":"T1"`)
	c := s.client(t)
	tail := c.attachTo("T1")
	for _, name := range []string{
		`A.` + strings.Repeat("x", 10<<10), `A.b\n`, `A.\ud83d\ude00`, `A.😀`, `__proto__`, `constructor`, `Target.attachToTarget\u0000`,
		`Storage.\u0000`, ``, `.`, `A.`, `.b`, `A b.c`, `A.b\"`, `Target.attachToTarget `,
	} {
		for _, end := range []string{"}", tail} {
			c.send(`{"id":1,"method":"` + name + `"` + end)
			got := c.next()
			if !strings.HasPrefix(got, `{"id":1,"error":{"code":-3260`) || len(got) > 1000 {
				t.Errorf("%.50s: got %d bytes, %.200s, want -32601 or -32600", name, len(got), got)
			}
		}
	}
	marked(t, c, host, tail)
	_, metrics := s.get(t, admin, "/metrics", nil)
	for _, name := range []string{"A.xxx", "A.b", "__proto__", "constructor", "Target.", "Storage"} {
		if strings.Contains(metrics, name) {
			t.Errorf("the metrics name %s", name)
		}
	}
}

func TestR57IDsOfClients(t *testing.T) {
	t.Run("one id twice in flight", func(t *testing.T) {
		s := start(t, nil)
		host, c := s.host(t), s.client(t)
		tail := c.attachTo("T1")
		c.send(`{"id":5,"method":"A.first"` + tail)
		c.send(`{"id":5,"method":"A.second"` + tail)
		first, second := readCommand(t, host.next()), readCommand(t, host.next())
		host.send(second.result(`{"of":"` + second.Method + `"}`))
		host.send(first.result(`{"of":"` + first.Method + `"}`))
		c.wants(`{"id":5,"result":{"of":"A.second"}` + tail)
		c.wants(`{"id":5,"result":{"of":"A.first"}` + tail)
	})
	s := start(t, nil)
	s.echo(t, "", "T1")
	t.Run("as they were sent", func(t *testing.T) {
		c := s.client(t)
		tail := c.attachTo("T1")
		for _, id := range []string{"-7", "0", "-0", "2147483647", "-2147483648"} {
			c.send(`{"id":` + id + `,"method":"A.b","params":{}` + tail)
			c.wants(`{"id":` + id + `,"result":{}` + tail)
		}
	})
	t.Run("500 Clients with the same", func(t *testing.T) {
		clients := make([]*far, 500)
		tails := make([]string, len(clients))
		for i := range clients {
			clients[i] = s.client(t)
			tails[i] = clients[i].attachTo("T1")
		}
		for i, c := range clients {
			c.send(fmt.Sprintf(`{"id":1,"method":"A.b","params":{"nonce":%d}%s`, i, tails[i]))
		}
		for i, c := range clients {
			c.wants(fmt.Sprintf(`{"id":1,"result":{"nonce":%d}%s`, i, tails[i]))
		}
		if n := s.hubs.Stats().Misrouted; n != 0 {
			t.Errorf("%d answers went astray", n)
		}
	})
}
