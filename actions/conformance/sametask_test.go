package conformance

import (
	"bytes"
	"image"
	"image/png"
	"strings"
	"testing"
	"time"

	"github.com/cdphub/cdphub/actions"
	"github.com/cdphub/cdphub/internal/hubtest"
	"github.com/cdphub/cdphub/server"
)

// hands do a task by one of the action APIs, on a page of their own.
type hands interface {
	open(url string)           // goes there
	find(e thing) string       // how the API calls an element; "" while there is none
	typeText(ref, text string) // into a field, after what is there
	fill(ref, text string)
	choose(ref, label string)
	click(ref string)
	dismiss(ref string)         // clicks, and says no to the dialog that this opens
	read(id string) string      // the text of an element; "" while there is none
	where() (url, title string) // of the page
	picture() []byte            // of the page, a PNG
}

// thing is an element as its user knows it.
type thing struct {
	role, name string
	line       string // what marks it in the lines of a snapshot of browser hooks
}

// outcome is what the ten steps of the task have come to.
type outcome struct {
	Shop    [2]string // 1: open the shop; its URL and title
	Field   bool      // 2: find the field to search with
	Words   string    // 3: type into it
	Hits    string    // 4: search, and read what was found
	Order   [2]string // 5: follow the link of a hit
	Name    string    // 6: fill in a name
	Size    string    // 7: choose from a list
	Said    string    // 8: tick a box, submit, and read the answer
	Fate    string    // 9: cancel, but say no when asked
	Picture shot      // 10: take a picture
}

// shot is a picture's size, and the colour of a corner of it.
type shot struct {
	Size    image.Point
	R, G, B uint32
}

// perform does the task. Who does it reads by what the page shows, as there is
// no other way in some of the APIs.
func perform(t *testing.T, h hands, app string) (done outcome) {
	t.Helper()
	await := func(what string, f func() string) (got string) {
		for end := time.Now().Add(hubtest.Within); got == ""; {
			if got = f(); got == "" && time.Now().After(end) {
				t.Fatalf("no %s", what)
			}
		}
		return got
	}
	find := func(role, name, line string) string {
		return await(role+" "+name, func() string { return h.find(thing{role, name, line}) })
	}
	read := func(id string) string { return await("text in "+id, func() string { return h.read(id) }) }
	place := func(title string) (at [2]string) {
		await(title, func() string {
			if at[0], at[1] = h.where(); at[1] != title {
				return ""
			}
			return title
		})
		at[0] = strings.TrimPrefix(at[0], app)
		return at
	}

	h.open(app + "/shop.html")
	done.Shop = place("Shop")
	field := find("textbox", "Goods", `placeholder="Goods"`)
	done.Field = field != ""
	h.typeText(field, "lamp")
	done.Words = read("echo")
	h.click(find("button", "Search", "button] Search"))
	done.Hits = read("hits")
	h.click(find("link", "Oil lamp", "] Oil lamp"))
	done.Order = place("Order")
	h.fill(find("textbox", "Name", `placeholder="Name"`), "Ada")
	done.Name = read("as-name")
	h.choose(find("combobox", "Size", " select]"), "Large")
	done.Size = read("as-size")
	h.click(find("checkbox", "Gift", "input checkbox]"))
	h.click(find("button", "Order", "button] Order"))
	done.Said = read("said")
	h.dismiss(find("button", "Cancel it", "button] Cancel it"))
	done.Fate = read("fate")
	data := h.picture()
	picture, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatalf("a picture of %d bytes: %v", len(data), err)
	}
	done.Picture.Size = picture.Bounds().Size()
	done.Picture.R, done.Picture.G, done.Picture.B, _ = picture.At(3, 3).RGBA()
	return done
}

// TestSameTask has the same ten steps done by each of the action APIs, on both
// kinds of targets, with the same outcome.
func TestSameTask(t *testing.T) {
	s := newStage(t, func(f *server.Options) { f.Actions.EvalAllow = []string{"*"} })
	for _, kind := range kinds {
		want := outcome{
			Shop:    [2]string{"/shop.html", "Shop"},
			Field:   true,
			Words:   "lamp",
			Hits:    "Desk lamp Oil lamp",
			Order:   [2]string{"/order.html?Oil+lamp", "Order"},
			Name:    "Ada",
			Size:    "Large",
			Said:    "Oil lamp, Large, for Ada, a gift; change name, change size, change gift",
			Fate:    "Kept",
			Picture: shot{R: 0x2222, G: 0x4444, B: 0x6666},
		}
		for name, take := range handsOf {
			t.Run(string(kind.TargetKind)+"/"+name, func(t *testing.T) {
				got := perform(t, take(t, s, kind.prefix), s.app.URL)
				if want.Picture.Size == (image.Point{}) && got.Picture.Size.X > 100 && got.Picture.Size.Y > 100 {
					want.Picture.Size = got.Picture.Size // of the first, for all others
				}
				if kind.TargetKind == actions.FrameTarget {
					want.Picture.Size = image.Pt(1000, 600) // see host.html
				}
				if got != want {
					t.Errorf("\ngot  %+v\nwant %+v", got, want)
				}
			})
		}
	}
}
