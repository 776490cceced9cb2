package live

import (
	"encoding/base64"
	"strconv"
	"time"

	"github.com/cdphub/cdphub/internal/wire"
)

// picture is a picture as viewers get it: a message in JSON, then the JPEG.
type picture struct {
	seq  int64
	head []byte // its message
	data []byte
}

// frame reads a Page.screencastFrame:
//
//	{"data":"BASE64","metadata":{"deviceWidth":1000,"deviceHeight":600,…},"sessionId":1}
func (v *View) frame(params []byte) {
	var data []byte
	var at struct{ DeviceWidth, DeviceHeight float64 }
	_ = wire.ReadObject(params, func(key string, value []byte) (err error) { // what is missing is found below
		switch key {
		case "data":
			text, _ := wire.Text(value)
			data, err = base64.StdEncoding.DecodeString(text)
		case "metadata":
			err = wire.Decode(value, &at)
		case "sessionId":
			if id, ok := wire.Int(value); ok {
				v.ack = append(strconv.AppendInt([]byte(`{"sessionId":`), id, 10), '}')
			}
		}
		return err
	})
	if len(data) > 0 && len(data) <= longestPicture && at.DeviceWidth > 0 {
		v.keep(data, at.DeviceWidth, at.DeviceHeight)
	}
}

// longestPicture is how many bytes a picture may have: every viewer gets it. A page of
// noise on a large screen has a tenth of it.
const longestPicture = 16 << 20

// maxPixels is the largest size of a page that viewers get, in CSS pixels. It is beyond
// what Chromium can lay out.
const maxPixels = 1 << 26

// keep makes a picture the newest. Viewers that were slow skip those in between.
func (v *View) keep(data []byte, width, height float64) {
	width, height = min(width, maxPixels), min(max(height, 0), maxPixels)
	v.seq++
	p := picture{seq: v.seq, data: data, head: pictureMessage(v.seq, width, height)}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.latest = p
}

// show sends the newest picture to each viewer that can take it, and returns how long
// until another can; 0 for no other.
func (v *View) show(now time.Time) (after time.Duration) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for w := range v.viewers {
		if d := w.showLocked(&v.latest, now); d > 0 && (after == 0 || d < after) {
			after = d
		}
	}
	return after
}

// shoot captures a hidden tab when it is time, at most once a second. It waits for
// the answer, at most late.
func (v *View) shoot(now time.Time, want size) (after time.Duration) {
	every := max(time.Duration(float64(time.Second)/want.fps), slowest)
	if due := v.shown.Add(every); now.Before(due) {
		return due.Sub(now)
	}
	v.shown = now
	var shot struct{ Data []byte }
	var at struct {
		CSSVisualViewport struct{ ClientWidth, ClientHeight float64 }
	}
	if err := v.call(v.session, "Page.captureScreenshot", object{"format": "jpeg", "quality": quality}, &shot, late); err != nil {
		return every
	}
	if err := v.call(v.session, "Page.getLayoutMetrics", object{}, &at, late); err != nil || len(shot.Data) == 0 || len(shot.Data) > longestPicture {
		return every
	}
	v.keep(shot.Data, at.CSSVisualViewport.ClientWidth, at.CSSVisualViewport.ClientHeight)
	v.stir()
	return every
}

func numberText(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }
