package actions_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/actions"
)

func TestStorage(t *testing.T) {
	on(t, func(t *testing.T, b *actions.Browser) {
		p := visit(t, b, "/two.html")
		if err := p.SetCookies(t.Context(), []actions.Cookie{{Name: "taste", Value: "good", Path: "/"}}); err != nil {
			t.Fatal(err)
		}
		is(t, p, "document.cookie", `"taste=good"`)
		list, err := p.Cookies(t.Context(), shared.app.URL)
		if err != nil || len(list) != 1 || list[0].Name != "taste" || list[0].Value != "good" {
			t.Errorf("the cookies are %+v, %v", list, err)
		}
		value(t, p, "void (localStorage.colour = 'red')")
		state, err := p.StorageState(t.Context())
		if err != nil || len(state.Origins) != 1 || !slices.Contains(state.Origins[0].LocalStorage, actions.Pair{Name: "colour", Value: "red"}) {
			t.Errorf("the state is %+v, %v", state, err)
		}
		if err := p.ClearCookies(t.Context(), shared.app.URL); err != nil {
			t.Fatal(err)
		}
		is(t, p, "(localStorage.clear(), document.cookie)", `""`)
		if err := p.SetStorageState(t.Context(), state); err != nil {
			t.Fatal(err)
		}
		is(t, p, "[document.cookie, localStorage.colour]", `["taste=good","red"]`)
		if err := p.ClearCookies(t.Context()); err != nil {
			t.Fatal(err)
		}
		is(t, p, "document.cookie", `""`)
		bad := actions.StorageState{Origins: []actions.OriginState{{Origin: "http://169.254.169.254"}}}
		fails(t, p.SetStorageState(t.Context(), bad), actions.URLBlocked)
		bad.Origins[0].Origin = "https://example.com"
		fails(t, p.SetStorageState(t.Context(), bad), actions.Unsupported)
	})
}

func TestEmulate(t *testing.T) {
	on(t, func(t *testing.T, b *actions.Browser) {
		p := visit(t, b, "/two.html")
		if err := p.Emulate(t.Context(), actions.Emulation{Viewport: &actions.Viewport{Width: 640, Height: 480}, ColorScheme: "dark", UserAgent: "Mine/1"}); err != nil {
			t.Fatal(err)
		}
		is(t, p, "[innerWidth, innerHeight]", "[640,480]")
		is(t, p, "matchMedia('(prefers-color-scheme: dark)').matches", "true")
		is(t, p, "navigator.userAgent", `"Mine/1"`)
	})
	p := visit(t, connect(t, actions.BrowserTarget, actions.Options{}), "/two.html")
	off := true
	if err := p.Emulate(t.Context(), actions.Emulation{
		Geolocation: &actions.Geolocation{Latitude: 1, Longitude: 2}, Offline: &off, Locale: "de-DE", Timezone: "Europe/Berlin",
	}); err != nil {
		t.Fatal(err)
	}
	is(t, p, "[navigator.onLine, Intl.DateTimeFormat().resolvedOptions().timeZone, (1.5).toLocaleString()]", `[false,"Europe/Berlin","1,5"]`)
}

func TestContexts(t *testing.T) {
	b := connect(t, actions.BrowserTarget, actions.Options{})
	id, err := b.CreateContext(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.NewPage(t.Context(), shared.app.URL+"/two.html", id); err != nil {
		t.Fatal(err)
	}
	if list := b.Contexts(); len(list) != 1 || list[0] != (actions.Context{ID: id, Pages: 1}) {
		t.Errorf("the contexts are %+v", list)
	}
	if n, err := b.DestroyContext(t.Context(), id); err != nil || n != 1 {
		t.Errorf("%d pages ended, %v", n, err)
	}
	_, err = b.DestroyContext(t.Context(), id)
	fails(t, err, actions.ContextNotFound)
}

// What a frame cannot do fails at once, with a reason.
func TestUnsupportedInFrames(t *testing.T) {
	b := connect(t, actions.FrameTarget, actions.Options{})
	p := visit(t, b, "/form.html")
	off := true
	for name, do := range map[string]func() error{
		"Page.printToPDF":                  func() error { _, err := p.PDF(t.Context(), actions.PDFOptions{}); return err },
		"Network.emulateNetworkConditions": func() error { return p.Emulate(t.Context(), actions.Emulation{Offline: &off}) },
		"Emulation.setTimezoneOverride":    func() error { return p.Emulate(t.Context(), actions.Emulation{Timezone: "Asia/Tokyo"}) },
		"Target.createBrowserContext":      func() error { _, err := b.CreateContext(t.Context()); return err },
	} {
		err := do()
		fails(t, err, actions.Unsupported)
		e, ok := errors.AsType[*actions.Error](err)
		if !ok || e.Details.Unsupported != name || !strings.HasPrefix(e.Message, "not supported by this target: ") {
			t.Errorf("%s: %+v", name, e)
		}
	}
	if kind, err := p.Kind(t.Context()); err != nil || kind != actions.FrameTarget {
		t.Errorf("the kind is %q, %v", kind, err)
	}
}
