package httpserver

import (
	"net/netip"
	"testing"
)

func TestPerAddress(t *testing.T) {
	var a PerAddress
	one, two := netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("2001:db8::1")
	left, ok := a.Enter(one, 1)
	if !ok {
		t.Fatal("the first is refused")
	}
	if _, ok := a.Enter(one, 1); ok {
		t.Error("the second is not")
	}
	if _, ok := a.Enter(two, 1); !ok {
		t.Error("another address is refused")
	}
	left()
	if _, ok := a.Enter(one, 1); !ok || len(a.open) != 2 {
		t.Errorf("a free place is refused; %d addresses", len(a.open))
	}
}
