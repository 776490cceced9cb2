package named

import (
	"net/url"
	"testing"
	"time"
)

func mustQuery(text string) url.Values {
	v, err := url.ParseQuery(text)
	if err != nil {
		panic(err)
	}
	return v
}

func TestR200Queries(t *testing.T) {
	ss := New(Options{Longest: 10 * time.Minute})
	for query, want := range map[string]Request{
		"":                               {},
		"name=x":                         {},
		"session=a.b_C-9":                {Name: "a.b_C-9"},
		"session=a&grace=90s":            {Name: "a", Grace: 90 * time.Second},
		"session=a&fresh=true&resume=on": {Name: "a", Fresh: true, Numbered: true},
		"session=a&resume=S.0":           {Name: "a", Numbered: true, Stream: "S"},
		"session=a&resume=S.12":          {Name: "a", Numbered: true, Stream: "S", After: 12},
	} {
		if w, err := ss.Read(mustQuery(query), Granted{}); err != nil || w != want {
			t.Errorf("%s: %+v, %v", query, w, err)
		}
	}
	for _, query := range []string{
		"session=", "session=a&session=b", "session=a/b", "session=%00", "session=ä", "grace=1m", "fresh=true", "resume=on",
		"session=a&grace=", "session=a&grace=0s", "session=a&grace=-1s", "session=a&grace=11m", "session=a&grace=1",
		"session=a&fresh=false", "session=a&fresh=true&resume=S.1",
		"session=a&resume=", "session=a&resume=5", "session=a&resume=.5", "session=a&resume=S.", "session=a&resume=S.-1",
		"session=a&resume=S.+1", "session=a&resume=S.9007199254740993", "session=a&resume=S.18446744073709551616",
	} {
		if w, err := ss.Read(mustQuery(query), Granted{}); err == nil {
			t.Errorf("%s is taken: %+v", query, w)
		}
	}
	granted := Granted{Name: "mine", Longest: time.Minute}
	for query, want := range map[string]Request{
		"":                    {Name: "mine", Grace: time.Minute},
		"session=a&grace=30s": {Name: "a", Grace: 30 * time.Second},
		"resume=on":           {Name: "mine", Grace: time.Minute, Numbered: true},
	} {
		if w, err := ss.Read(mustQuery(query), granted); err != nil || w != want {
			t.Errorf("%s with a token: %+v, %v", query, w, err)
		}
	}
	if w, err := ss.Read(mustQuery("session=a&grace=2m"), granted); err == nil {
		t.Errorf("a grace time above the token's: %+v", w)
	}
}

// FuzzR200Queries reads what strangers write.
func FuzzR200Queries(f *testing.F) {
	for _, query := range []string{"session=a&grace=10m", "session=a&resume=S.5", "session=a&fresh=true&resume=on", "session=%ff&resume=..", "grace=1h"} {
		f.Add(query)
	}
	ss := New(Options{})
	f.Fuzz(func(t *testing.T, query string) {
		v, err := url.ParseQuery(query)
		if err != nil {
			return
		}
		w, err := ss.Read(v, Granted{})
		switch {
		case err != nil:
			if n := len(err.Error()); n > 600 {
				t.Errorf("the error has %d bytes", n)
			}
		case w.Name != "" && !ValidName(w.Name), w.Grace < 0, w.Grace > ss.o.Longest, w.Resumes() && (!w.Numbered || w.Fresh), w.After > 1<<53:
			t.Errorf("%q is read as %+v", query, w)
		case w.Name == "" && w != (Request{}):
			t.Errorf("%q wants %+v of no session", query, w)
		}
	})
}
