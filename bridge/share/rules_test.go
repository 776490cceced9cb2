package share

import (
	"regexp"
	"testing"
)

// setters are methods that look as if they set something.
var setters = regexp.MustCompile(`^(set|start|highlight|emulate|override|track|observe|add[A-Z])`)

// acts are those that only do something once, or whose effect is a thing with an id, so that nothing is taken back when
// their Client leaves.
var acts = map[string]string{
	"Animation.setPaused":          "acts on animations by id",
	"Animation.setTiming":          "acts on an animation by id",
	"Autofill.setAddresses":        "has no off",
	"Browser.":                     "is of the browser, which a source with one session does not have",
	"BluetoothEmulation.":          "is of the browser",
	"CSS.addRule":                  "edits a style sheet",
	"CSS.set":                      "edits a style sheet",
	"Cast.":                        "is of the browser",
	"DOM.set":                      "edits the document",
	"DOMStorage.setDOMStorageItem": "writes into the storage",
	"DigitalCredentials.setVirtualWalletBehavior":  "is of the browser",
	"Emulation.addScreen":                          "is of the browser",
	"Emulation.setCPUPerformanceOverride":          "has no off",
	"Emulation.setHardwareConcurrencyOverride":     "has no off",
	"Emulation.setNavigatorOverrides":              "is deprecated and has no off",
	"Emulation.setPressureStateOverride":           "is a value of a source, which is a setting",
	"Emulation.setPrimaryScreen":                   "is of the browser",
	"Emulation.setSensorOverrideReadings":          "is a value of a sensor, which is a setting",
	"Emulation.setVirtualKeyboardGeometryOverride": "has no off",
	"Emulation.setVisibleSize":                     "is deprecated and has no off",
	"Extensions.":                                  "is of the browser",
	"HeapProfiler.addInspectedHeapObject":          "acts once",
	"Input.emulateTouchFromMouseEvent":             "acts once",
	"Network.setCookie":                            "writes cookies, or how they are blocked in the whole browser",
	"Page.addCompilationCache":                     "acts once",
	"Page.setDocumentContent":                      "edits the document",
	"Page.setDownloadBehavior":                     "is of the browser",
	"Performance.setTimeDomain":                    "is deprecated and has no off",
	"Profiler.setSamplingInterval":                 "is of the next recording",
	"Debugger.setReturnValue":                      "acts once",
	"Debugger.setScriptSource":                     "edits a script",
	"Debugger.setVariableValue":                    "acts once",
	"ServiceWorker.startWorker":                    "acts once",
	"Storage.overrideQuotaForOrigin":               "has no off",
	"Storage.setCookies":                           "writes cookies",
	"Storage.setPrivateVerificationTokensTracking": "is of the browser",
	"WebAuthn.": "acts on authenticators by id",
}

// TestR402EverySetterIsKnown walks the protocol, so that a new method which sets something cannot be forgotten.
func TestR402EverySetterIsKnown(t *testing.T) {
	count, used := 0, map[string]bool{}
	exists := map[string]bool{}
	for _, d := range readProtocol(t).Domains {
		for _, c := range d.Commands {
			name := d.Domain + "." + c.Name
			exists[name] = true
			if !setters.MatchString(c.Name) {
				continue
			}
			count++
			_, isSetting := settingOf(&command{method: name, params: []byte(`{}`)})
			_, isRecording := recordings[name]
			if isSetting || isRecording || handlers[name] != nil || refused[name] != nil {
				continue
			}
			known := false
			for prefix := range acts {
				if len(prefix) <= len(name) && name[:len(prefix)] == prefix {
					known, used[prefix] = true, true
				}
			}
			if !known {
				t.Errorf("%s sets something: is it a rule in settings.go, a handler, or one that acts once?", name)
			}
		}
	}
	for prefix := range acts {
		if !used[prefix] {
			t.Errorf("%s is in acts for nothing", prefix)
		}
	}
	for _, table := range []map[string]bool{keysOf(rules), keysOf(offMethods), keysOf(recordings), keysOf(handlers), keysOf(refused)} {
		for name := range table {
			if !exists[name] {
				t.Errorf("%s is no method of the protocol", name)
			}
		}
	}
	if count < 100 {
		t.Errorf("only %d methods were looked at", count)
	}
}

func keysOf[V any](table map[string]V) map[string]bool {
	keys := make(map[string]bool)
	for key := range table {
		keys[key] = true
	}
	return keys
}

// TestR402EventsAreThoseOfTheProtocol wants each event that has a rule to be one of the protocol.
func TestR402EventsAreThoseOfTheProtocol(t *testing.T) {
	exists, noEnable := map[string]bool{}, map[string]bool{}
	for _, d := range readProtocol(t).Domains {
		noEnable[d.Domain] = len(d.Events) > 0
		for _, e := range d.Events {
			exists[d.Domain+"."+e.Name] = true
		}
		for _, c := range d.Commands {
			if c.Name == "enable" {
				noEnable[d.Domain] = false
			}
		}
	}
	for _, table := range []map[string]bool{keysOf(cacheRules), keysOf(eventHandlers), keysOf(eventOwners), keysOf(eventSettings)} {
		for name := range table {
			if !exists[name] {
				t.Errorf("%s is no event of the protocol", name)
			}
		}
	}
	for domain, none := range noEnable {
		if none && !alwaysOn[domain] && domain != "Tracing" {
			t.Errorf("%s has events and no enable: nobody would get them", domain)
		}
	}
}
