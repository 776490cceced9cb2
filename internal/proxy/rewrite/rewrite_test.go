package rewrite

import (
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// rules are those of the tests: the app's own address is http://app:1, and is to be seen as
// http://own.
var rules = Rules{Hosts: []string{"app:1"}, Move: func(address string) string {
	for _, from := range []string{"http://app:1", "//app:1"} {
		if rest, is := strings.CutPrefix(address, from); is && (rest == "" || strings.ContainsAny(rest[:1], "/?#")) {
			return "http://own" + rest
		}
	}
	return address
}}

// TestR360Document walks the ways in which a document names what it loads, or where it
// leads.
func TestR360Document(t *testing.T) {
	for name, tt := range map[string]struct{ in, want string }{
		"a link":                  {`<link rel=stylesheet href=http://app:1/a.css>`, `<link rel=stylesheet href="http://own/a.css">`},
		"a script":                {`<script src='http://app:1/a.js?b&amp;c' crossorigin></script>`, `<script src='http://own/a.js?b&amp;c' crossorigin></script>`},
		"a module":                {`<script type=module>import a from "http://app:1/a.js"; export * from 'http://app:1/b'; import('http://app:1/c'); x = "http://app:1/d"</script>`, `<script type=module>import a from "http://own/a.js"; export * from 'http://own/b'; import('http://own/c'); x = "http://app:1/d"</script>`},
		"an import map":           {`<script type=importmap>{"imports": {"a": "http:\/\/app:1\/a.js", "http://app:1/b/": "/b/"}}</script>`, `<script type=importmap>{"imports": {"a": "http://own\/a.js", "http://own/b/": "/b/"}}</script>`},
		"speculation rules":       {`<script type=speculationrules>{"prefetch": [{"urls": ["http://app:1/n"]}]}</script>`, `<script type=speculationrules>{"prefetch": [{"urls": ["http://own/n"]}]}</script>`},
		"data":                    {`<script type=application/json>"http://app:1/"</script>`, `<script type=application/json>"http://app:1/"</script>`},
		"image, candidates":       {`<img src="//app:1/a.png" srcset="http://app:1/a,b.png 1x, /c.png 2x,http://app:1/d.png">`, `<img src="http://own/a.png" srcset="http://own/a,b.png 1x, /c.png 2x,http://own/d.png">`},
		"preload of an image":     {`<link rel=preload as=image imagesrcset="http://app:1/a.png 2x">`, `<link rel=preload as=image imagesrcset="http://own/a.png 2x">`},
		"media":                   {`<video src=http://app:1/v poster=http://app:1/p><source src=http://app:1/s><track src=http://app:1/t></video>`, `<video src="http://own/v" poster="http://own/p"><source src="http://own/s"><track src="http://own/t"></video>`},
		"frames":                  {`<iframe src=http://app:1/f></iframe><frame src=http://app:1/g><object data=http://app:1/o></object><embed src=http://app:1/e>`, `<iframe src="http://own/f"></iframe><frame src="http://own/g"><object data="http://own/o"></object><embed src="http://own/e">`},
		"srcdoc":                  {`<iframe srcdoc="<img src='http://app:1/a'>"></iframe>`, `<iframe srcdoc="&lt;img src=&#39;http://own/a&#39;&gt;"></iframe>`},
		"links and forms":         {`<a href="http://app:1" ping="http://app:1/p /q">x</a><form action=http://app:1/f><button formaction=http://app:1/g>`, `<a href="http://own" ping="http://own/p /q">x</a><form action="http://own/f"><button formaction="http://own/g">`},
		"base":                    {`<base href="http://app:1/b/">`, `<base href="http://own/b/">`},
		"refresh":                 {`<meta http-equiv=Refresh content="0; URL='http://app:1/r'">`, `<meta http-equiv=Refresh content="0; URL=http://own/r">`},
		"another meta":            {`<meta property=og:url content="http://app:1/">`, `<meta property=og:url content="http://app:1/">`},
		"style element":           {`<style>@import "http://app:1/a.css"; p{background:url(http://app:1/b)} p::after{content:"http://app:1/"}</style>`, `<style>@import "http://own/a.css"; p{background:url(http://own/b)} p::after{content:"http://app:1/"}</style>`},
		"style attribute":         {`<p style="background: url('http://app:1/b')">`, `<p style="background: url(&#39;http://own/b&#39;)">`},
		"svg":                     {`<svg viewBox="0 0 1 1"><image xlink:href="http://app:1/i"/><use href="http://app:1/s#a"/></svg>`, `<svg viewBox="0 0 1 1"><image xlink:href="http://own/i"/><use href="http://own/s#a"/></svg>`},
		"text and values":         {`<p title="http://app:1/">http://app:1/<input value="http://app:1/"><textarea><a href="http://app:1/"></textarea>`, `<p title="http://app:1/">http://app:1/<input value="http://app:1/"><textarea><a href="http://app:1/"></textarea>`},
		"another port, a comment": {`<img src=http://app:12/a><!-- <img src=http://app:1/a> -->`, `<img src=http://app:12/a><!-- <img src=http://app:1/a> -->`},
		"the second of a name":    {`<img src=/a src=http://app:1/b>`, `<img src=/a src=http://app:1/b>`},
		"odd tags":                {`<img =src=http://app:1/a src = 'http://app:1/b'/><a href=http://app:1/c`, `<img =src=http://app:1/a src = 'http://own/b'/><a href=http://app:1/c`},
		"a handler":               {`<a onclick="top.location='/x'" href="javascript:window.top.close()">`, `<a onclick="` + strings.ReplaceAll(topBefore, "&", "&amp;") + `top).location=&#39;/x&#39;" href="javascript:` + strings.ReplaceAll(topBefore, "&", "&amp;") + `window.top).close()">`},
	} {
		want := strings.NewReplacer("<e.length", "&lt;e.length").Replace(tt.want)
		for how, src := range map[string]io.Reader{"whole": strings.NewReader(tt.in), "byte by byte": iotest.OneByteReader(strings.NewReader(tt.in))} {
			if got, err := io.ReadAll(Document(src, rules)); string(got) != want || err != nil {
				t.Errorf("%s, %s: got\n%s, %v, want\n%s", name, how, got, err, want)
			}
		}
	}
}

// TestR360StyleSheet walks the ways in which a style sheet names what it loads.
func TestR360StyleSheet(t *testing.T) {
	for in, want := range map[string]string{
		`@import url("http://app:1/a.css") screen;`:                               `@import url("http://own/a.css") screen;`,
		`@import 'http://app:1/a.css' layer(x);`:                                  `@import 'http://own/a.css' layer(x);`,
		`@namespace "http://app:1/";`:                                             `@namespace "http://app:1/";`,
		`@font-face{src:url( http://app:1/f.woff2 )format("woff2")}`:              `@font-face{src:url( http://own/f.woff2 )format("woff2")}`,
		`a{background:image-set("http://app:1/a" 1x, url(http://app:1/b) 2x)}`:    `a{background:image-set("http://own/a" 1x, url(http://own/b) 2x)}`,
		`a{background:-webkit-image-set( url('http://app:1/a') 1x)}`:              `a{background:-webkit-image-set( url('http://own/a') 1x)}`,
		`/* url(http://app:1/) */ a[href="http://app:1/"]{--x:url(http://app:1)}`: `/* url(http://app:1/) */ a[href="http://app:1/"]{--x:url(http://own)}`,
		`a{content:"url(http://app:1/)"; cursor:url(http://app:1/c),auto}`:        `a{content:"url(http://app:1/)"; cursor:url(http://own/c),auto}`,
		`a{b:url(http://app:1/`:                                                   `a{b:url(http://own/`,
	} {
		if got := string(StyleSheet([]byte(in), rules)); got != want {
			t.Errorf("%s: got %s, want %s", in, got, want)
		}
	}
}

// TestR361Top walks the ways in which a script says top, and what looks like one. What is in
// «» is replaced.
func TestR361Top(t *testing.T) {
	for _, want := range []string{
		"if («top» !== self) «top».location = self.location", "if (self != «top») {}", "if («window.top» !== window.self) «window.top».location.href = location",
		"new URL(«top».location)", "«self.top».document", "«parent.top»?.location", "«window.parent.top».x", `«window["top"]».location`, "`${«window.top».name}`",
		"window === «top»", "frames == «top»", "a = b / c; «top».location / 2", "if (x) /top.location/.test(y); «top».history.back()", "foo\n«window.top».location = 1",
		"x = {a: 1} / 2; «top».location", "function f() {} /top.location/.test(1)", "/* top.location */ «globalThis.top».x // top.location",
		"«self\n  .top»", "typeof «window.top».x", "return_ = a[0] / «top».location / 1",
		"var top = 1; top.x = 2; el.style.top = top + 'px'", "rect.top.location", "a.window.top", "window.top = 1", "({top: 1, self})", "'top.location'", "/top.location/g",
		"top === undefined", "x.self !== top", "`top.location`", "window.topper.location", "function top() {} top()", "a.top !== b.self",
	} {
		in := strings.NewReplacer("«", "", "»", "").Replace(want)
		want := strings.NewReplacer("«", topBefore, "»", ")").Replace(want)
		if got := string(Script([]byte(in), rules)); got != want {
			t.Errorf("%s: got\n%s, want\n%s", in, got, want)
		}
	}
}

// TestR360LongToken passes a document with a token that is too long on as it is.
func TestR360LongToken(t *testing.T) {
	doc := "<p " + strings.Repeat("x", maxHeld+1<<17) + "><img src=http://app:1/a>"
	if got, err := io.ReadAll(Document(strings.NewReader(doc), rules)); string(got) != doc || err != nil {
		t.Errorf("%d bytes became %d, %v", len(doc), len(got), err)
	}
}
