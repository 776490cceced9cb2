package actions

import (
	"testing"
	"time"
)

func TestParams(t *testing.T) {
	for name, tt := range map[string]struct {
		in   string
		read func(*Params)
		want string // the error
	}{
		"nothing":         {``, func(p *Params) { p.Text("a") }, ""},
		"null":            {`null`, func(p *Params) { p.Text("a") }, ""},
		"null field":      {`{"a":null}`, func(p *Params) { p.Text("a") }, ""},
		"unknown field":   {`{"b":1}`, func(p *Params) { p.Text("a") }, ""},
		"other case":      {`{"A":1}`, func(p *Params) { p.Text("a") }, ""},
		"missing":         {`{}`, func(p *Params) { p.Need("a", "b") }, "missing field `a`"},
		"null is missing": {`{"a":null}`, func(p *Params) { p.Need("a") }, "missing field `a`"},
		"number":          {`{"a":1}`, func(p *Params) { p.Text("a") }, "invalid type: integer `1`, expected a string for field `a`"},
		"float":           {`{"a":1.5}`, func(p *Params) { p.Text("a") }, "invalid type: floating point `1.5`, expected a string for field `a`"},
		"boolean":         {`{"a":true}`, func(p *Params) { p.Number("a") }, "invalid type: boolean `true`, expected a number for field `a`"},
		"string":          {`{"a":"x"}`, func(p *Params) { p.Bool("a", false) }, "invalid type: string \"x\", expected a boolean for field `a`"},
		"array":           {`{"a":[1]}`, func(p *Params) { p.Object("a") }, "invalid type: sequence, expected a map for field `a`"},
		"object":          {`{"a":{}}`, func(p *Params) { p.Texts("a") }, "invalid type: map, expected strings for field `a`"},
		"no object":       {`[1]`, func(*Params) {}, "invalid type: sequence, expected a map for field `params`"},
		"inside":          {`{"a":{"b":1}}`, func(p *Params) { p.Object("a").Text("b") }, "invalid type: integer `1`, expected a string for field `a.b`"},
		"missing inside":  {`{"a":{}}`, func(p *Params) { p.Object("a").Need("b") }, "missing field `a.b`"},
		"choice":          {`{"a":"z"}`, func(p *Params) { p.Choice("a", "x", "y") }, "field `a` is \"z\": use x, y"},
		"too small":       {`{"a":0}`, func(p *Params) { p.Int("a", 5, 1, 9) }, "field `a` is 0: it must be a whole number from 1 to 9"},
		"no whole number": {`{"a":1.5}`, func(p *Params) { p.Int("a", 5, 1, 9) }, "field `a` is 1.5: it must be a whole number from 1 to 9"},
		"beyond floats":   {`{"a":1e999}`, func(p *Params) { p.Number("a") }, "field `a` is 1e999, at most 1000000000 is allowed"},
		"no time":         {`{"a":0}`, func(p *Params) { p.Milliseconds("a") }, "field `a` is 0: it must be milliseconds above 0"},
		"the first":       {`{"a":1,"b":2}`, func(p *Params) { p.Text("b"); p.Text("a") }, "invalid type: integer `2`, expected a string for field `b`"},
	} {
		p := ReadParams([]byte(tt.in))
		tt.read(p)
		got := ""
		if err := p.Err(); err != nil {
			got = err.Error()
			if KindOf(err) != InvalidArgument {
				t.Errorf("%s: kind %s", name, KindOf(err))
			}
		}
		want := tt.want
		if want != "" {
			want = "bad request: " + want
		}
		if got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	p := ReadParams([]byte(`{"s":"x","b":true,"n":1.5,"i":7,"ms":2500,"long":1e9,"one":"v","many":["v","w"],"o":{"s":"y"},"c":"q"}`))
	switch {
	case p.Text("s") != "x", !p.Bool("b", false), p.Number("n") != 1.5, p.Int("i", 0, 1, 9) != 7, p.Int("j", 3, 1, 9) != 3,
		p.Milliseconds("ms") != 2500*time.Millisecond, p.Milliseconds("long") != MaxTimeout, len(p.Texts("one")) != 1, len(p.Texts("many")) != 2,
		p.Object("o").Text("s") != "y", p.Choice("c", "p", "q") != "q", p.Choice("d", "p", "q") != "p", !p.Bool("z", true), p.Err() != nil:
		t.Errorf("good params are misread: %v", p.Err())
	}
}
