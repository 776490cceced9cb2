package chrome

import (
	"bytes"
	"fmt"
	"strconv"

	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/internal/wire"
)

// Chromium makes a surface as large as a screenshot, in device pixels. With 2^29 pixels it
// has 2 GiB, and the GPU process of all Clients ends; after the third time, the browser (Chromium 156).
// How many pixels there are depends on more than the command: on the scale that any session has set,
// and, where the whole page is wanted, on the page. So the Host multiplies by the scale, and
// replaces "the whole page" by the size that the page has.

// maxShot is how many device pixels a screenshot may have: half of what Chromium 156 was seen
// to make. A picture of a long page on a phone has up to 100,000,000.
const maxShot = 200_000_000

// scales are the device scale factor of a session, 0 for none, and those of its commands
// without an answer, in their order.
type scales struct {
	set    float64
	coming []float64
}

// noteScaleLocked has a command that sets the device scale factor of a session noted. The
// largest that it may be counts until the browser has answered: it may refuse the command.
func (h *Host) noteScaleLocked(s *session, c *bridge.Command, a *onAnswer) (noted bool) {
	scale := 0.0
	switch c.Method {
	case "Emulation.setDeviceMetricsOverride", "Page.setDeviceMetricsOverride":
		scale = readNumber(c.Params, "deviceScaleFactor", 0)
	case "Emulation.clearDeviceMetricsOverride", "Page.clearDeviceMetricsOverride":
	default:
		return false
	}
	s.scale.coming = append(s.scale.coming, scale)
	a.observe = func(_, cdpErr []byte) {
		h.mu.Lock()
		defer h.mu.Unlock()
		if cdpErr == nil {
			s.scale.set = s.scale.coming[0]
		}
		s.scale.coming = s.scale.coming[1:]
	}
	return true
}

// scaleLocked is the largest device scale factor that any session has set for a target: it is
// not known which of them Chromium takes.
func (h *Host) scaleLocked(target string) float64 {
	largest := 1.0
	for _, s := range h.sessions {
		if s.target == target {
			largest = max(largest, s.scale.set)
			for _, one := range s.scale.coming {
				largest = max(largest, one)
			}
		}
	}
	return largest
}

// refuseShotLocked says why a screenshot of so many CSS pixels is too large; nil if it is not.
func (h *Host) refuseShotLocked(s *session, width, height float64) *wire.Error {
	scale := h.scaleLocked(s.target)
	if n := width * height * scale * scale; n > maxShot {
		return &wire.Error{Code: wire.CodeInvalidParams, Message: fmt.Sprintf("Page.captureScreenshot: the picture has %.0f × %.0f pixels at a device scale factor of %g: %.0f, "+
			"at most %d are allowed; take a smaller clip, or set a smaller scale", width, height, scale, n, maxShot)}
	}
	return nil
}

// measureShotLocked judges a screenshot. It reports true when it has asked the page for its size
// first, as the whole page is wanted: the command goes on with a clip of that size.
func (h *Host) measureShotLocked(s *session, c *bridge.Command) (asked bool, err *wire.Error) {
	if clip := c.Args.Get("clip"); clip != nil {
		return false, h.refuseShotLocked(s, readNumber(clip, "width", 0)*readNumber(clip, "scale", 1), readNumber(clip, "height", 0)*readNumber(clip, "scale", 1))
	}
	if !c.Args.True("captureBeyondViewport") {
		return false, nil
	}
	held := *c
	held.Params, held.Args = bytes.Clone(c.Params), nil
	if s.upstream == "" {
		if err := h.conn.Hold(&s.client.lane, len(held.Params)); err != nil {
			return false, wire.ServerError(err.Error())
		}
		s.shots, s.queued = append(s.shots, held), s.queued+len(held.Params)
	} else {
		h.askSizeLocked(s, held)
	}
	return true, nil
}

// askSizeLocked asks for the size of a page, and then sends the command for its screenshot.
// The hub answers the command itself if the session ends meanwhile.
func (h *Host) askSizeLocked(s *session, c bridge.Command) {
	h.askInLocked(s, "Page.getLayoutMetrics", nil, func(result, cdpErr []byte) {
		if cdpErr == nil {
			cdpErr = h.shoot(s, c, readMember(result, "cssContentSize"))
		}
		if cdpErr != nil {
			h.events.Result(c.Call, s.id, nil, cdpErr)
		}
	})
}

// shoot sends the command for a screenshot of a page of this size. It returns an error for the Client if the
// command was not sent.
func (h *Host) shoot(s *session, c bridge.Command, size []byte) (cdpErr []byte) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if s.over || s.barred {
		return nil
	}
	width, height := readNumber(size, "width", 0), readNumber(size, "height", 0)
	if e := h.refuseShotLocked(s, width, height); e != nil {
		return wire.AppendError(nil, e)
	}
	clip := fmt.Appendf(nil, `,"clip":{"x":0,"y":0,"width":%g,"height":%g,"scale":1}}`, width, height)
	c.Params = append(c.Params[:len(c.Params)-1], clip...)
	if err := h.dispatchLocked(s, &c, onAnswer{}); err != nil {
		return wire.AppendError(nil, wire.ServerError(err.Error()))
	}
	return nil
}

// readNumber is a member of an object that is a number; instead where it is not there.
func readNumber(object []byte, name string, instead float64) float64 {
	n, err := strconv.ParseFloat(string(readMember(object, name)), 64)
	if err != nil {
		return instead
	}
	return n
}
