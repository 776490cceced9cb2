package chrome

import (
	"testing"
	"testing/synctest"
)

func TestStreamsOfOthersAreUnknown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := greeted(t, Options{})
		r.clients("a", "b")
		r.refuses("a", "IO.read", `{"handle":"1"}`, "-32602 Invalid stream handle")
		for n, c := range []struct{ method, result string }{
			{"Page.printToPDF", `{"data":"","stream":"1"}`},
			{"Fetch.takeResponseBodyAsStream", `{"stream":"2"}`},
			{"Network.loadNetworkResource", `{"resource":{"success":true,"stream":"3"}}`},
			{"Page.startScreenRecording", `{"stream":"4"}`},
			{"Page.stopScreenRecording", `{"stream":"5"}`},
		} {
			r.must("a", c.method, "")
			r.says(`{"id":` + itoa(r.hub.calls) + `,"result":` + c.result + `,"sessionId":"A"}`)
			handle := string(rune('1' + n))
			r.must("a", "IO.read", `{"handle":"`+handle+`"}`)
			r.refuses("b", "IO.read", `{"handle":"`+handle+`"}`, "-32602 Invalid stream handle")
			r.refuses("b", "IO.close", `{"handle":"`+handle+`"}`, "-32602 Invalid stream handle")
			r.must("a", "IO.close", `{"handle":"`+handle+`"}`)
			r.refuses("a", "IO.read", `{"handle":"`+handle+`"}`, "-32602 Invalid stream handle") // it is closed
		}
		r.says(`{"method":"Tracing.tracingComplete","params":{"stream":"6"},"sessionId":"B"}`)
		r.must("b", "IO.read", `{"handle":"6"}`)
		r.must("b", "IO.read", `{"handle":"blob:7"}`)
	})
}
