package scope

import "testing"

// TestTakeoverTable wants each name of the table to be one of the protocol's, and
// every method of the domain Input to act.
func TestTakeoverTable(t *testing.T) {
	for name := range table.acts {
		if table.methods[name] == nil || GoesOn(name) {
			t.Errorf("%s acts, and is no method, or goes on for a quiet page", name)
		}
		if Of(name) == Readonly {
			t.Errorf("%s acts, and a token that only reads may call it", name)
		}
	}
	for name := range table.goesOn {
		if table.methods[name] == nil {
			t.Errorf("%s goes on for a quiet page, and is no method", name)
		}
	}
	for name := range table.heard {
		if _, known := table.events[name]; !known {
			t.Errorf("%s is heard of a quiet page, and is no event", name)
		}
	}
	for _, d := range Domains() {
		for s := range d.Methods {
			for _, name := range d.Methods[s] {
				if d.Name == "Input" && !Acts("Input."+name) {
					t.Errorf("Input.%s does not act", name)
				}
			}
		}
	}
	if !Acts("Nope.unknown") || Acts("CdpHub.handoff") || Acts("Runtime.evaluate") || Acts("Runtime.callFunctionOn") {
		t.Error("what is unknown acts, and what the hub answers itself and script do not")
	}
}

func TestHush(t *testing.T) {
	for in, want := range map[string]string{
		`{"a":{"postData":"x"}}`: `{"a":{}}`, `{"postData":"x","b":1}`: `{"b":1}`, `{"b":[{"hasPostData":true},{"c":2}]}`: `{"b":[{},{"c":2}]}`,
		`{ "p" : 1 , "postDataEntries" : [ { } ] }`: `{"p" :1}`, `{"b":1}`: `{"b":1}`, `{"\u0070ostData":"x"}`: `{}`,
	} {
		if got, ok := Hush("Network.requestWillBeSent", []byte(in)); !ok || string(got) != want {
			t.Errorf("%s became %s, want %s", in, got, want)
		}
	}
	if _, ok := Hush("Runtime.bindingCalled", []byte(`{}`)); ok {
		t.Error("a binding is heard")
	}
}
