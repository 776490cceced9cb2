package proxy

import (
	"net/http"
	"strings"
	"testing"
)

// TestServiceWorker checks what is put before the script of a service worker.
func TestServiceWorker(t *testing.T) {
	for name, tt := range map[string]struct {
		script, header string
		edited, strict bool
	}{
		"a worker":              {"onfetch=0", "Service-Worker: script", true, false},
		"a strict one":          {"/* a */ // b\n'use strict'; onfetch=0", "Service-Worker: script", true, true},
		"one that says it late": {"f(); 'use strict'", "Service-Worker: script", true, false},
		"another script":        {"onfetch=0", "Sec-Fetch-Dest: script", false, false},
	} {
		t.Run(name, func(t *testing.T) {
			own, _ := serve(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "text/javascript")
				w.Header().Set("ETag", `"1"`)
				w.Write([]byte(tt.script))
			}, nil)
			res, text := ask(t, "GET", own+"/sw.js", tt.header, "If-None-Match: \"1\"")
			start, found := strings.CutSuffix(text, tt.script)
			if !found || (start != "") != tt.edited || strings.HasPrefix(start, `"use strict";`) != tt.strict {
				t.Errorf("%s", text)
			}
			if strings.Contains(start, "\n") || tt.edited == (res.Header.Get("ETag") != "") {
				t.Errorf("%v %q", res.Header, start)
			}
		})
	}
}
