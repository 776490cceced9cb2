package server

import (
	"strings"
	"testing"
)

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
		if want := `{"id":2,"error":{"code":-32000,"message":"Invalid answer from the Host: host.js and the hub may be of different versions; load the page again"}` + tail; got != want {
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
