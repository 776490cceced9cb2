package actions

import (
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"
)

// retryAfter is when a refusal says there will be a turn again; 0 for none.
func retryAfter(err error) time.Duration {
	if e, ok := errors.AsType[*Error](err); ok && e.Kind == RateLimited {
		return e.Details.RetryAfter
	}
	return 0
}

func TestScreenshotsAreCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, p := script(func(_, method string) string {
			if method == "Page.captureScreenshot" {
				return `{"data":""}`
			}
			return `{"sessionId":"S","layoutViewport":{},"cssLayoutViewport":{}}`
		}).open(t)
		for i := range 30 {
			if _, err := p.Screenshot(t.Context(), ScreenshotOptions{}); retryAfter(err) != 0 {
				t.Fatalf("screenshot %d: %v", i+1, err)
			}
		}
		_, err := p.Screenshot(t.Context(), ScreenshotOptions{})
		if wait := retryAfter(err); wait <= 0 || wait > 2*time.Second {
			t.Errorf("one more: %v, again in %v, want one in 2 s", err, wait)
		}
		time.Sleep(2 * time.Second)
		if _, err := p.Screenshot(t.Context(), ScreenshotOptions{}); retryAfter(err) != 0 {
			t.Errorf("2 s later: %v", err)
		}
	})
}

// TestMetersAreCallers counts what a caller asks for together, and forgets
// those who have not been there for a while.
func TestMetersAreCallers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := Options{Shared: new(Shared), Limits: Limits{Requests: 2, Screenshots: 1}}
		one, again, other := Caller{ID: "1", Options: o}.Metered(), Caller{ID: "1", Options: o}.Metered(), Caller{ID: "2", Options: o}.Metered()
		if one.Options.Meter != again.Options.Meter || one.Options.Meter == other.Options.Meter {
			t.Error("a caller has one Meter, and nobody else's")
		}
		if err := errors.Join(one.Options.Meter.Request(), again.Options.Meter.Request()); err != nil {
			t.Error(err)
		}
		if wait := retryAfter(one.Options.Meter.Request()); wait != time.Second/2 {
			t.Errorf("the third in a second may come in %v, want 500ms", wait)
		}
		if err := one.Options.Meter.Screenshot(); err != nil {
			t.Error(err)
		}
		for i := range 2 * maxMeters {
			Caller{ID: fmt.Sprint("many", i), Options: o}.Metered()
		}
		if n := len(o.Shared.meters.of); n > maxMeters {
			t.Errorf("%d Meters are kept, want %d at most", n, maxMeters)
		}
		if (Caller{ID: "1", Options: o}).Metered().Options.Meter != one.Options.Meter {
			t.Error("a Meter was forgotten that had counted")
		}
		if lone := (Caller{}).Metered(); lone.Options.Meter != nil {
			t.Error("a caller of no hub has a Meter in common with somebody")
		}
	})
}

func TestDecode(t *testing.T) {
	type inner struct{ PageID string }
	var p struct {
		Text    string
		Count   *int
		List    []string
		Options inner
	}
	for raw, want := range map[string]string{
		``: "", `null`: "", `{"unknown":1}`: "", `{"count":2}`: "",
		`{"text":1}`:               "bad request: invalid type: number, expected a string for field `text`",
		`{"count":"a"}`:            "bad request: invalid type: string, expected a number for field `count`",
		`{"list":{}}`:              "bad request: invalid type: object, expected an array for field `list`",
		`{"options":{"pageId":1}}`: "bad request: invalid type: number, expected a string for field `options.pageId`",
		`{"options":[]}`:           "bad request: invalid type: array, expected an object for field `options`",
		`[]`:                       "bad request: invalid type: array, expected an object for field `params`",
	} {
		err := Decode([]byte(raw), &p)
		if got := fmt.Sprint(err); want == "" && err != nil || want != "" && (got != want || KindOf(err) != InvalidArgument) {
			t.Errorf("%s: %v, want %s", raw, err, want)
		}
	}
}
