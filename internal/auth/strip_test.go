package auth

import (
	"net/http"
	"testing"
)

func TestStrip(t *testing.T) {
	h := http.Header{
		"Authorization":          {"Bearer one"},
		"X-Bap-Token":            {"two"},
		"Sec-Websocket-Protocol": {"bearer.three, icdp.v2", "bearer.four,bearer.", "other"},
		"Accept":                 {"*/*"},
	}
	Strip(h)
	if got := h.Get("Sec-WebSocket-Protocol"); got != "icdp.v2, other" || len(h) != 2 {
		t.Errorf("left are %v", h)
	}
	h = http.Header{"Sec-Websocket-Protocol": {"bearer.three"}}
	if Strip(h); len(h) != 0 {
		t.Errorf("left are %v", h)
	}
}
