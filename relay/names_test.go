package relay

import (
	"slices"
	"strings"
	"testing"
)

func TestNames(t *testing.T) {
	h := newHub(t, Options{})
	var got []string
	for _, wish := range []string{"playwright", "", "playwright", " a#b\n\x00c ", "#", strings.Repeat("é", 60)} {
		l, err := h.JoinLocal(LocalOptions{ClientOptions: ClientOptions{Name: wish}})
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, l.Name())
		l.Leave()
	}
	if want := []string{"playwright #1", "", "playwright #2", "abc #3", "", strings.Repeat("é", maxName/2) + " #4"}; !slices.Equal(got, want) {
		t.Errorf("names %q, want %q", got, want)
	}
}

func TestDrivers(t *testing.T) {
	h := newHub(t, Options{})
	setHost(h, &mute{}, list(2))
	for _, name := range []string{"b", "a", "", "b"} {
		l, err := h.JoinLocal(LocalOptions{ClientOptions: ClientOptions{Name: name}})
		if err != nil {
			t.Fatal(err)
		}
		defer l.Leave()
		for range 2 { // a second session is no second driver
			if _, err := l.Call(t.Context(), "", "Target.attachToTarget", []byte(`{"targetId":"T1","flatten":true}`)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if got, want := h.Control().Drivers("T1"), []string{"a #2", "b #1", "b #3"}; !slices.Equal(got, want) {
		t.Errorf("drivers %q, want %q", got, want)
	}
	if got := append(h.Control().Drivers("T0"), h.Control().Drivers("T9")...); len(got) != 0 {
		t.Errorf("nobody drives T0, and there is no T9: %q", got)
	}
}
