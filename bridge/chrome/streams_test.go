package chrome

import (
	"encoding/json"
	"os"
	"strings"
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

// TestEveryStreamIsKnown compares streamMethods with the protocol: a session could not read
// the stream of any other method.
func TestEveryStreamIsKnown(t *testing.T) {
	raw, err := os.ReadFile("../../httpdiscovery/protocol.json")
	if err != nil {
		t.Fatal(err)
	}
	var protocol struct {
		Domains []struct {
			Domain           string
			Commands, Events []struct {
				Name                string
				Returns, Parameters json.RawMessage
			}
		}
	}
	if err := json.Unmarshal(raw, &protocol); err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, d := range protocol.Domains {
		for _, c := range d.Commands {
			name := d.Domain + "." + c.Name
			if _, known := streamMethods[name]; known {
				found++
			} else if strings.Contains(string(c.Returns), "IO.StreamHandle") {
				t.Errorf("%s answers with a stream, and is not in streamMethods", name)
			}
		}
		for _, e := range d.Events {
			if name := d.Domain + "." + e.Name; strings.Contains(string(e.Parameters), "IO.StreamHandle") && name != "Tracing.tracingComplete" {
				t.Errorf("the event %s has a stream, and filterEvent does not register it", name)
			}
		}
	}
	if found != len(streamMethods) {
		t.Errorf("%d of %d methods are in the protocol", found, len(streamMethods))
	}
}
