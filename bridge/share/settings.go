package share

import (
	"bytes"
	"slices"
	"strings"

	"github.com/cdphub/cdphub/internal/wire"
)

// A setting is what a session may turn on in the tab until it turns it off. The newest counts. When a session turns its
// setting off, or leaves, that of the one before counts again; without any, the browser gets what is off. So what is off
// is no wish of a session: in Chromium, too, a cache that one session disables stays so while another enables it.

// rule is a kind of setting.
type rule struct {
	key       string   // "" is the method
	off       string   // method that turns it off; "" is the same
	offParams string   // with which it does
	by        []string // params that make it another setting
	merge     string   // param that is put together of all sessions
}

func switchOff(member string) rule { return rule{offParams: `{"` + member + `":false}`} }

// rules are the methods that set something. TestR402EverySetterIsKnown walks the protocol for others.
var rules = map[string]rule{
	"Animation.setPlaybackRate":                          {offParams: `{"playbackRate":1}`},
	"BackgroundService.setRecording":                     {offParams: `{"shouldRecord":false}`, by: []string{"service"}},
	"BackgroundService.startObserving":                   {off: "BackgroundService.stopObserving", by: []string{"service"}},
	"CSS.forcePseudoState":                               {offParams: `{"forcedPseudoClasses":[]}`, by: []string{"nodeId"}},
	"CSS.forceStartingStyle":                             {offParams: `{"forced":false}`, by: []string{"nodeId"}},
	"CSS.setLocalFontsEnabled":                           switchOff("enabled"),
	"CSS.trackComputedStyleUpdatesForNode":               {offParams: `{}`},
	"DOM.highlightNode":                                  {key: highlight, off: "DOM.hideHighlight"},
	"DOM.highlightRect":                                  {key: highlight, off: "DOM.hideHighlight"},
	"DOM.setNodeStackTracesEnabled":                      switchOff("enable"),
	"DOMDebugger.setBreakOnCSPViolation":                 {offParams: `{"violationTypes":[]}`},
	"DOMDebugger.setDOMBreakpoint":                       {off: "DOMDebugger.removeDOMBreakpoint", by: []string{"nodeId", "type"}},
	"DOMDebugger.setEventListenerBreakpoint":             {off: "DOMDebugger.removeEventListenerBreakpoint", by: []string{"eventName", "targetName"}},
	"DOMDebugger.setInstrumentationBreakpoint":           {off: "DOMDebugger.removeInstrumentationBreakpoint", by: []string{"eventName"}},
	"DOMDebugger.setXHRBreakpoint":                       {off: "DOMDebugger.removeXHRBreakpoint", by: []string{"url"}},
	"Debugger.setAsyncCallStackDepth":                    {offParams: `{"maxDepth":0}`},
	"Debugger.setBlackboxExecutionContexts":              {offParams: `{"uniqueIds":[]}`},
	"Debugger.setBlackboxPatterns":                       {offParams: `{"patterns":[]}`},
	"Debugger.setBlackboxedRanges":                       {offParams: `{"positions":[]}`, by: []string{"scriptId"}},
	"Debugger.setBreakpointsActive":                      {offParams: `{"active":true}`},
	"Debugger.setPauseOnExceptions":                      {offParams: `{"state":"none"}`},
	"Debugger.setSkipAllPauses":                          switchOff("skip"),
	"DeviceOrientation.setDeviceOrientationOverride":     {off: "DeviceOrientation.clearDeviceOrientationOverride"},
	"Emulation.setAutoDarkModeOverride":                  {offParams: `{}`},
	"Emulation.setAutomationOverride":                    switchOff("enabled"),
	"Emulation.setCPUThrottlingRate":                     {offParams: `{"rate":1}`},
	"Emulation.setDataSaverOverride":                     {offParams: `{}`},
	"Emulation.setDefaultBackgroundColorOverride":        {offParams: `{}`},
	"Emulation.setDeviceMetricsOverride":                 {off: "Emulation.clearDeviceMetricsOverride"},
	"Emulation.setDevicePostureOverride":                 {off: "Emulation.clearDevicePostureOverride"},
	"Emulation.setDisabledImageTypes":                    {offParams: `{"imageTypes":[]}`},
	"Emulation.setDisplayFeaturesOverride":               {off: "Emulation.clearDisplayFeaturesOverride"},
	"Emulation.setDocumentCookieDisabled":                switchOff("disabled"),
	"Emulation.setEmitTouchEventsForMouse":               switchOff("enabled"),
	"Emulation.setEmulatedMedia":                         {offParams: `{"media":"","features":[]}`},
	"Emulation.setEmulatedOSTextScale":                   {offParams: `{}`},
	"Emulation.setEmulatedVisionDeficiency":              {offParams: `{"type":"none"}`},
	"Emulation.setFocusEmulationEnabled":                 switchOff("enabled"),
	"Emulation.setGeolocationOverride":                   {off: "Emulation.clearGeolocationOverride"},
	"Emulation.setIdleOverride":                          {off: "Emulation.clearIdleOverride"},
	"Emulation.setLocaleOverride":                        {offParams: `{}`},
	"Emulation.setPageScaleFactor":                       {off: "Emulation.resetPageScaleFactor"},
	"Emulation.setPressureSourceOverrideEnabled":         {offParams: `{"enabled":false}`, by: []string{"source"}},
	"Emulation.setSafeAreaInsetsOverride":                {offParams: `{"insets":{}}`},
	"Emulation.setScriptExecutionDisabled":               switchOff("value"),
	"Emulation.setScrollbarsHidden":                      switchOff("hidden"),
	"Emulation.setSensorOverrideEnabled":                 {offParams: `{"enabled":false}`, by: []string{"type"}},
	"Emulation.setSmallViewportHeightDifferenceOverride": {offParams: `{"difference":0}`},
	"Emulation.setTimezoneOverride":                      {offParams: `{"timezoneId":""}`},
	"Emulation.setTouchEmulationEnabled":                 switchOff("enabled"),
	"Emulation.setUserAgentOverride":                     {key: userAgent, offParams: `{"userAgent":""}`},
	"Emulation.setVirtualTimePolicy":                     {offParams: `{"policy":"advance"}`},
	"EventBreakpoints.setInstrumentationBreakpoint":      {off: "EventBreakpoints.removeInstrumentationBreakpoint", by: []string{"eventName"}},
	"Input.setIgnoreInputEvents":                         switchOff("ignore"),
	"Input.setInterceptDrags":                            switchOff("enabled"),
	"Log.startViolationsReport":                          {off: "Log.stopViolationsReport"},
	"Memory.setPressureNotificationsSuppressed":          switchOff("suppressed"),
	"Network.emulateNetworkConditions":                   {offParams: `{"offline":false,"latency":0,"downloadThroughput":-1,"uploadThroughput":-1}`},
	"Network.emulateNetworkConditionsByRule":             {offParams: `{"offline":false,"matchedNetworkConditions":[]}`},
	"Network.overrideNetworkState":                       {offParams: `{"offline":false,"latency":0,"downloadThroughput":-1,"uploadThroughput":-1}`},
	"Network.setAttachDebugStack":                        switchOff("enabled"),
	"Network.setBlockedURLs":                             {offParams: `{"urls":[]}`, merge: "urls"},
	"Network.setBypassServiceWorker":                     switchOff("bypass"),
	"Network.setCacheDisabled":                           switchOff("cacheDisabled"),
	"Network.setExtraHTTPHeaders":                        {offParams: `{"headers":{}}`, merge: "headers"},
	"Network.setUserAgentOverride":                       {key: userAgent, offParams: `{"userAgent":""}`},
	"Overlay.highlightFrame":                             {key: highlight, off: "Overlay.hideHighlight"},
	"Overlay.highlightNode":                              {key: highlight, off: "Overlay.hideHighlight"},
	"Overlay.highlightQuad":                              {key: highlight, off: "Overlay.hideHighlight"},
	"Overlay.highlightRect":                              {key: highlight, off: "Overlay.hideHighlight"},
	"Overlay.highlightSourceOrder":                       {key: highlight, off: "Overlay.hideHighlight"},
	"Overlay.setInspectMode":                             {offParams: `{"mode":"none"}`},
	"Overlay.setPausedInDebuggerMessage":                 {offParams: `{}`},
	"Overlay.setShowAdHighlights":                        switchOff("show"),
	"Overlay.setShowContainerQueryOverlays":              {offParams: `{"containerQueryHighlightConfigs":[]}`},
	"Overlay.setShowDebugBorders":                        switchOff("show"),
	"Overlay.setShowDisplayCutout":                       {offParams: `{}`},
	"Overlay.setShowFPSCounter":                          switchOff("show"),
	"Overlay.setShowFlexOverlays":                        {offParams: `{"flexNodeHighlightConfigs":[]}`},
	"Overlay.setShowGridOverlays":                        {offParams: `{"gridNodeHighlightConfigs":[]}`},
	"Overlay.setShowHinge":                               {offParams: `{}`},
	"Overlay.setShowHitTestBorders":                      switchOff("show"),
	"Overlay.setShowInspectedElementAnchor":              {offParams: `{"inspectedElementAnchorConfig":{}}`},
	"Overlay.setShowIsolatedElements":                    {offParams: `{"isolatedElementHighlightConfigs":[]}`},
	"Overlay.setShowLayoutShiftRegions":                  switchOff("result"),
	"Overlay.setShowPaintRects":                          switchOff("result"),
	"Overlay.setShowScrollBottleneckRects":               switchOff("show"),
	"Overlay.setShowScrollSnapOverlays":                  {offParams: `{"scrollSnapHighlightConfigs":[]}`},
	"Overlay.setShowViewportSizeOnResize":                switchOff("show"),
	"Overlay.setShowWebVitals":                           switchOff("show"),
	"Overlay.setShowWindowControlsOverlay":               {offParams: `{}`},
	"Page.setAdBlockingEnabled":                          switchOff("enabled"),
	"Page.setBypassCSP":                                  switchOff("enabled"),
	"Page.setDeviceMetricsOverride":                      {key: "Emulation.setDeviceMetricsOverride", off: "Page.clearDeviceMetricsOverride"},
	"Page.setDeviceOrientationOverride":                  {key: "DeviceOrientation.setDeviceOrientationOverride", off: "Page.clearDeviceOrientationOverride"},
	"Page.setFontFamilies":                               {offParams: `{"fontFamilies":{}}`},
	"Page.setFontSizes":                                  {offParams: `{"fontSizes":{}}`},
	"Page.setGeolocationOverride":                        {key: "Emulation.setGeolocationOverride", off: "Page.clearGeolocationOverride"},
	"Page.setInputVisualization":                         switchOff("enabled"),
	"Page.setInterceptFileChooserDialog":                 switchOff("enabled"),
	"Page.setPrerenderingAllowed":                        {offParams: `{"isAllowed":true}`},
	"Page.setRPHRegistrationMode":                        {offParams: `{"mode":"none"}`},
	"Page.setSPCTransactionMode":                         {offParams: `{"mode":"none"}`},
	"Page.setTouchEmulationEnabled":                      {key: "Emulation.setTouchEmulationEnabled", offParams: `{"enabled":false}`},
	"Page.setWebLifecycleState":                          {offParams: `{"state":"active"}`},
	"Runtime.setAsyncCallStackDepth":                     {offParams: `{"maxDepth":0}`},
	"Runtime.setCustomObjectFormatterEnabled":            switchOff("enabled"),
	"Runtime.setMaxCallStackSizeToCapture":               {offParams: `{"size":200}`},
	"Security.setIgnoreCertificateErrors":                switchOff("ignore"),
	"Security.setOverrideCertificateErrors":              switchOff("override"),
	"ServiceWorker.setForceUpdateOnPageLoad":             switchOff("forceUpdateOnPageLoad"),
	"Storage.setStorageBucketTracking":                   {offParams: `{"enable":false}`, by: []string{"storageKey"}},
	"Storage.trackCacheStorageForOrigin":                 {off: "Storage.untrackCacheStorageForOrigin", by: []string{"origin"}},
	"Storage.trackCacheStorageForStorageKey":             {off: "Storage.untrackCacheStorageForStorageKey", by: []string{"storageKey"}},
	"Storage.trackIndexedDBForOrigin":                    {off: "Storage.untrackIndexedDBForOrigin", by: []string{"origin"}},
	"Storage.trackIndexedDBForStorageKey":                {off: "Storage.untrackIndexedDBForStorageKey", by: []string{"storageKey"}},
}

const (
	userAgent = "Emulation.setUserAgentOverride"
	highlight = "Overlay.highlight"
)

// offMethods are the methods that only turn something off, with one that turns it on.
var offMethods = func() map[string]string {
	off := make(map[string]string)
	for method, r := range rules {
		if r.off != "" {
			off[r.off] = method
		}
	}
	return off
}()

// setting is what is set now, with who has set it. The newest is the last.
type setting struct {
	rule    rule
	entries []settingEntry
}

type settingEntry struct {
	view   *clientSession
	method string
	params []byte
}

// wish is a setting that a command asks for, or gives up.
type wish struct {
	rule
	key string
	off bool
}

// settingOf reads what a command sets. is is false for all other commands.
func settingOf(c *command) (w wish, is bool) {
	name := c.method
	if on := offMethods[name]; on != "" {
		name, w.off = on, true
	}
	w.rule, is = rules[name]
	if w.key = w.rule.key; w.key == "" {
		w.key = name
	}
	for _, param := range w.by {
		w.key += " " + string(valueOf(c.params, param))
	}
	if w.rule.off == "" && is {
		w.off = isOff(c.params, w.offParams)
	}
	return w, is
}

// isOff reports whether params turn a setting off: all that they say is off, or one switch is.
func isOff(params []byte, off string) bool {
	lone := strings.HasSuffix(off, ":false}")
	same := true
	eachMember([]byte(off), func(name string, from, to int) bool {
		given := valueOf(params, name)
		same = same && (given == nil && !lone || string(given) == off[from:to])
		return true
	})
	if !same || lone {
		return same
	}
	eachMember(params, func(name string, _, _ int) bool {
		same = same && valueOf([]byte(off), name) != nil
		return true
	})
	return same
}

// setLocked carries a setting out.
func (t *Tab) setLocked(v *clientSession, c *command, w wish) *wire.Error {
	r := v.r
	s := r.settings[w.key]
	if w.off {
		if s == nil || !t.removeEntryLocked(v, w.key) && len(s.entries) == 0 || len(s.entries) == 0 {
			return t.forwardLocked(v, c, nil)
		}
		return t.effectLocked(v, c, s)
	}
	if err := v.client.keep(len(c.params)); err != nil {
		return err
	}
	t.removeEntryLocked(v, w.key)
	if s = r.settings[w.key]; s == nil {
		s = &setting{rule: w.rule}
		r.settings[w.key] = s
		r.tops = append(r.tops, w.key)
	}
	s.entries = append(s.entries, settingEntry{v, c.method, bytes.Clone(c.params)})
	v.settings[w.key] = struct{}{}
	if w.merge != "" && len(s.entries) > 1 {
		return t.effectLocked(v, c, s)
	}
	entry := &s.entries[len(s.entries)-1].params[0]
	return t.forwardLocked(v, c, t.doneLocked(v, c, func(ok bool) {
		// What the browser has refused is not set; what came after it stays.
		if now := r.settings[w.key]; !ok && now != nil {
			if i := now.indexOf(v); i >= 0 && &now.entries[i].params[0] == entry {
				t.removeEntryLocked(v, w.key)
			}
		}
	}))
}

func (s *setting) indexOf(v *clientSession) int {
	return slices.IndexFunc(s.entries, func(e settingEntry) bool { return e.view == v })
}

// removeEntryLocked forgets what a session has set, and reports whether it had.
func (t *Tab) removeEntryLocked(v *clientSession, key string) bool {
	r := v.r
	s := r.settings[key]
	if s == nil {
		return false
	}
	i := s.indexOf(v)
	if i < 0 {
		return false
	}
	v.client.drop(len(s.entries[i].params))
	delete(v.settings, key)
	if s.entries = slices.Delete(s.entries, i, i+1); len(s.entries) == 0 {
		delete(r.settings, key)
		r.tops = slices.DeleteFunc(r.tops, func(k string) bool { return k == key })
	}
	return true
}

// effectLocked has the browser do what counts now, and answers a command with {} behind that.
func (t *Tab) effectLocked(v *clientSession, c *command, s *setting) *wire.Error {
	top := s.top()
	id := c.id
	return t.forwardLocked(top.view, &command{method: top.method, params: s.params(), id: id}, func(_, cdpErr []byte) {
		if cdpErr != nil {
			t.answerLocked(v, id, nil, cdpErr)
			return
		}
		t.answerLocked(v, id, wire.Empty, nil)
	})
}

func (s *setting) top() settingEntry { return s.entries[len(s.entries)-1] }

// params are those of the newest, or of all of them put together: of two with one name the newer counts.
func (s *setting) params() []byte {
	top := s.top()
	member := s.rule.merge
	if member == "" || len(s.entries) == 1 {
		return top.params
	}
	if first := valueOf(top.params, member); len(first) > 0 && first[0] == '[' {
		all := []byte{'['}
		for _, e := range s.entries {
			list := valueOf(e.params, member)
			eachElement(list, func(from, to int) {
				if len(all) > 1 {
					all = append(all, ',')
				}
				all = append(all, list[from:to]...)
			})
		}
		return withMember(top.params, member, append(all, ']'))
	}
	all := wire.Empty
	for _, e := range s.entries {
		members := valueOf(e.params, member)
		eachMember(members, func(name string, from, to int) bool {
			all = withMember(all, name, members[from:to])
			return true
		})
	}
	return withMember(top.params, member, all)
}

// applyLocked has the browser do what counts now.
func (t *Tab) applyLocked(s *setting) {
	top := s.top()
	t.ownTranslatedLocked(top.view, top.method, s.params())
}

// withdrawSettingLocked takes a setting from a session.
func (t *Tab) withdrawSettingLocked(v *clientSession, key string) {
	r := v.r
	s := r.settings[key]
	if s == nil {
		delete(v.settings, key) // Page.setLifecycleEventsEnabled is not in the table
		if key == lifecycle && !r.wantsLife() {
			t.ownLocked(r, lifecycle, []byte(`{"enabled":false}`))
		}
		return
	}
	i := s.indexOf(v)
	mine := s.entries[i]
	t.removeEntryLocked(v, key)
	if len(s.entries) > 0 {
		t.applyLocked(s)
		return
	}
	params := []byte(s.rule.offParams)
	if len(params) == 0 {
		params = wire.Empty
	}
	for _, param := range s.rule.by {
		if value := valueOf(mine.params, param); value != nil {
			params = withMember(params, param, value)
		}
	}
	method := mine.method
	if s.rule.off != "" {
		method = s.rule.off
	}
	t.ownTranslatedLocked(v, method, params)
}
