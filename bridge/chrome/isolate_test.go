package chrome

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"strings"
	"testing"
	"time"
)

// TestR146IsolatedNetwork has a page send all kinds of requests: each is judged.
func TestR146IsolatedNetwork(t *testing.T) {
	p := policedBrowser(t, byLists, func(o *Options) { o.Isolate = true })
	udp, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer udp.Close()
	p.start()
	for name, script := range map[string]string{
		"fetch":  `fetch("TO", { mode: "no-cors" }).then(() => "came", () => "failed")`,
		"image":  `new Promise((r) => { const i = new Image(); i.onload = () => r("came"); i.onerror = () => r("failed"); i.src = "TO" })`,
		"script": `new Promise((r) => { const s = document.createElement("script"); s.onload = () => r("came"); s.onerror = () => r("failed"); s.src = "TO"; document.head.append(s) })`,
		"socket": `new Promise((r) => { const s = new WebSocket("TO".replace("http", "ws")); s.onopen = () => r("came"); s.onerror = () => r("failed") })`,
		"events": `new Promise((r) => { const s = new EventSource("TO"); s.onopen = () => r("came"); s.onerror = () => { s.close(); r("failed") } })`,
		"worker": `new Promise((r) => { const w = new Worker(URL.createObjectURL(new Blob(["fetch('TO', { mode: 'no-cors' }).then(() => postMessage('came'), () => postMessage('failed'))"]))); w.onmessage = (e) => r(e.data) })`,
		"hop":    `fetch("FROM/redirect?to=ENCODED", { mode: "no-cors" }).then(() => "came", () => "failed")`,
		"beacon": `(navigator.sendBeacon("TO"), fetch("FROM/after-beacon").then(() => "failed"))`,
	} {
		to := func(origin string) string {
			return strings.NewReplacer("TO", origin+"/"+name, "FROM", p.ok, "ENCODED", url.QueryEscape(origin+"/"+name)).Replace(script)
		}
		p.eval(p.page, to(p.ok))
		p.awaitAsked("ok.test/" + name)
		for _, origin := range p.refused {
			if got := p.eval(p.page, to(origin)); got != "failed" {
				t.Errorf("%s of %s %s", name, origin, got)
			}
		}
	}
	p.eval(p.page, fmt.Sprintf(`(async () => { const c = new RTCPeerConnection({ iceServers: [{ urls: "stun:%s" }] }); c.createDataChannel("x");
		await c.setLocalDescription(await c.createOffer()); await new Promise((r) => { c.onicegatheringstatechange = () => c.iceGatheringState === "complete" && r(); setTimeout(r, 5000) }) })()`, udp.LocalAddr()))
	if err := udp.SetReadDeadline(time.Now().Add(100 * time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	if _, from, err := udp.ReadFrom(make([]byte, 2000)); err == nil {
		t.Errorf("WebRTC sends from %v", from)
	}
	p.wantNoRequests()
	if got := p.answer("a", "Target.createBrowserContext", fmt.Sprintf(`{"proxyServer":%q}`, strings.TrimPrefix(p.refused[2], "http://"))); !strings.Contains(got, "is not allowed") {
		t.Errorf("a context with a proxy: %s", got)
	}
}

func TestIsolationNeedsABrowserOfItsOwn(t *testing.T) {
	for _, o := range []Options{
		{Isolate: true, URL: "http://127.0.0.1:1"},
		{Isolate: true, Args: []string{"--proxy-server=http://127.0.0.1:1"}},
		{Isolate: true, Args: []string{"--proxy-pac-url=http://127.0.0.1:1"}},
		{Isolate: true, Args: []string{"--proxy-auto-detect"}},
	} {
		if err := o.Check(); err == nil || !strings.Contains(err.Error(), "cannot be isolated") {
			t.Errorf("%+v: %v", o, err)
		}
		if err := Serve(context.Background(), o, newLiveHub(t)); err == nil {
			t.Errorf("%+v is served", o)
		}
	}
}
