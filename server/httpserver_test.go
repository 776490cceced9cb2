package server

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// TestR03HTTPLimits sends too much, and too little, of a request.
func TestR03HTTPLimits(t *testing.T) {
	s := start(t, nil)
	many := http.Header{}
	for i := range 500 {
		many.Set(fmt.Sprintf("X-%d", i), strings.Repeat("x", 100))
	}
	for _, addr := range []string{s.addr(false), s.addr(true)} {
		if status, _ := s.get(t, addr, "/health", many); status != 431 {
			t.Errorf("500 headers: %d, want 431", status)
		}
	}
	for name, begin := range map[string]string{"half a request": "GET / HTTP/1.1\r\nHo", "nothing": ""} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			nc, err := net.Dial("tcp", s.addr(false))
			if err != nil {
				t.Fatal(err)
			}
			defer nc.Close()
			begun := time.Now()
			io.WriteString(nc, begin)
			nc.SetReadDeadline(begun.Add(time.Minute))
			if _, err := io.ReadAll(nc); err != nil {
				t.Errorf("it was not closed: %v", err)
			}
			if took := time.Since(begun); took < 4*time.Second {
				t.Errorf("closed after %v, want 5 s", took)
			}
		})
	}
}
