package extract

import (
	"encoding/json"
	"testing"
)

func TestPruned(t *testing.T) {
	for _, tt := range []struct {
		in         string
		depth      int
		attributes bool
		want       string
	}{
		{`<nav id="a"><ul><li><a href="#">x</a></li></ul></nav>`, 3, false, `<nav><ul><li></li></ul></nav>`},
		{`<nav id="a">x<ul><li></li></ul></nav>`, 1, true, `<nav id="a">x</nav>`},
		{`<!DOCTYPE html><html><head></head><body><p>x<b>y</b></p></body></html>`, 3, true, `<!DOCTYPE html><html><head></head><body><p>x</p></body></html>`},
		{`<p class="a">x<b id="c">y</b></p>`, 0, false, `<p>x<b>y</b></p>`},
	} {
		got, err := Prune(tt.in, tt.depth, tt.attributes)
		if err != nil || got != tt.want {
			t.Errorf("%s to %d: %s, %v, want %s", tt.in, tt.depth, got, err, tt.want)
		}
	}
}

func TestExtract(t *testing.T) {
	const shop = `<html><body><h1>Shop</h1><div class="card"><h2>Tea</h2><span class="price">$4.50</span><a href="/tea">more</a><i class="stock">In stock</i></div>
		<div class="card"><h2>Milk</h2>only 2 € <a href="/milk">more</a></div>
		<table><tr><th>Name</th><th>Size</th></tr><tr><td>A</td><td>12 cm</td></tr><tr><td>B</td><td>big</td></tr></table>
		<dl><dt>Phone:</dt><dd>123</dd></dl><script>card</script></body></html>`
	for _, tt := range []struct{ mode, schema, want string }{
		{
			"list", `{"type":"array","items":{"type":"object","properties":{"title":{"type":"string"},"price":{"type":"number"},"url":{"type":"string"},"stock":{"type":"boolean"}}}}`,
			`[[{"price":4.5,"stock":true,"title":"Tea","url":"/tea"},{"price":2,"title":"Milk","url":"/milk"}],0.8]`,
		},
		{"table", `{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},"size":{"type":"number"}}}}`, `[[{"name":"A","size":12},{"name":"B","size":"big"}],0.8]`},
		{"table", `{"type":"array"}`, `[[{"name":"A","size":"12 cm"},{"name":"B","size":"big"}],0.8]`},
		{"single", `{"type":"object","properties":{"phone":{"type":"string"},"fax":{"type":"string"}}}`, `[{"phone":"123"},0.8]`},
		{"single", `{"type":"object","properties":{"fax":{"type":"string"}}}`, `[{},0.3]`},
		{"single", `{"type":"array","items":{"type":"object","properties":{"fax":{"type":"string"}}}}`, `[[],0.3]`},
	} {
		var s Schema
		if err := json.Unmarshal([]byte(tt.schema), &s); err != nil {
			t.Fatal(err)
		}
		found, err := HTML(shop, s, Mode(tt.mode))
		if err != nil {
			t.Fatal(err)
		}
		got, err := json.Marshal([]any{found.Data, found.Confidence})
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != tt.want {
			t.Errorf("%s %s:\ngot  %s\nwant %s", tt.mode, tt.schema, got, tt.want)
		}
		if list, ok := found.Data.([]any); ok && len(list) != len(found.Sources) {
			t.Errorf("%d items have %d sources", len(list), len(found.Sources))
		}
	}
}
