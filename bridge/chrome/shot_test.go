package chrome

import (
	"testing"
	"testing/synctest"
)

// TestR237ShotsOfBarredPages has a page show a file while its Client, who may see none, waits for
// the size of a screenshot.
func TestR237ShotsOfBarredPages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := greeted(t, Options{})
		r.hub.noFiles = true
		r.says(`{"method":"Target.targetInfoChanged","params":{"targetInfo":{"targetId":"T0","type":"page","url":"http://app/","browserContextId":"D"}}}`)
		r.clients("a")
		r.must("a", "Target.attachToTarget", `{"targetId":"T0","flatten":true}`)
		r.attaches("A", "P", "T0")
		r.must("P", "Page.captureScreenshot", `{"captureBeyondViewport":true}`)
		size := r.numberOf("Page.getLayoutMetrics")
		r.says(`{"method":"Target.targetInfoChanged","params":{"targetInfo":{"targetId":"T0","type":"page","url":"file:///etc/passwd","browserContextId":"D"}}}`)
		r.forget()
		r.says(`{"id":` + size + `,"result":{"cssContentSize":{"width":9,"height":9}},"sessionId":"P"}`)
		r.wantSent()
		r.wantTold()
	})
}

// TestR237RefusedScalesDoNotCount has the browser, or its full queue, refuse a scale, and a screenshot
// asked for while a larger one is on its way: each counts as what the page may have.
func TestR237RefusedScalesDoNotCount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const metrics = "Emulation.setDeviceMetricsOverride"
		r := greeted(t, Options{})
		r.clients("a")
		r.must("a", "Target.attachToTarget", `{"targetId":"T0","flatten":true}`)
		r.attaches("A", "P", "T0")
		shoots := func(want bool) {
			t.Helper()
			params := `{"clip":{"x":0,"y":0,"width":9000,"height":9000,"scale":1}}`
			if !want {
				r.refuses("P", "Page.captureScreenshot", params, "-32602 Page.captureScreenshot: the picture has 9000 × 9000 pixels at a device scale factor of 5")
				return
			}
			r.must("P", "Page.captureScreenshot", params)
		}
		answers := func(number, what string) { r.says(`{"id":` + number + `,` + what + `,"sessionId":"P"}`) }
		sets := func(scale string) (number string) {
			r.forget()
			r.must("P", metrics, `{"width":100,"height":100,"deviceScaleFactor":`+scale+`,"mobile":false}`)
			return r.numberOf(metrics)
		}
		const done, failed = `"result":{}`, `"error":{"code":-32602,"message":"Invalid"}`
		shoots(true)
		five := sets("5")
		shoots(false)
		one := sets("1")
		shoots(false)
		answers(five, done)
		shoots(false)
		answers(one, failed)
		shoots(false) // it still has the scale 5
		one, five = sets("1"), sets("5")
		answers(one, done)
		shoots(false)
		answers(five, failed)
		shoots(true)
		r.browser.full = true
		r.refuses("P", metrics, `{"width":100,"height":100,"deviceScaleFactor":5,"mobile":false}`, "-32000 ") // it is not sent
		r.browser.full = false
		shoots(true)
	})
}
