package auth

import "strings"

// domain is the least scope that the methods of a CDP domain need.
type domain struct {
	watch Scope // enable and disable
	read  Scope // get…, describe…, query…
	rest  Scope
}

const (
	ro  = ScopeReadonly
	std = ScopeStandard
	all = ScopeFull
	top = ScopePrivileged
)

// domains holds what of Chromium 156's domains needs less than "full", or
// more. It goes by what Playwright, Puppeteer and the other clients send while
// they connect: with "standard" they work, with "readonly" nothing can change.
var domains = map[string]domain{
	"Accessibility": {ro, ro, ro},
	"Audits":        {ro, ro, std},
	"Browser":       {top, ro, top},
	"CSS":           {ro, ro, std},
	"Console":       {ro, ro, ro},
	"DOM":           {ro, ro, std},
	"DOMDebugger":   {ro, ro, std},
	"DOMSnapshot":   {ro, ro, ro},
	"Debugger":      {ro, all, std},
	"Emulation":     {ro, ro, std},
	"IO":            {std, std, std},
	"Input":         {std, std, std},
	"Inspector":     {ro, ro, ro},
	"Log":           {ro, ro, ro},
	"Network":       {ro, all, all},
	"Overlay":       {ro, ro, std},
	"Page":          {ro, ro, std},
	"Performance":   {ro, ro, ro},
	"Profiler":      {ro, all, all},
	"Runtime":       {ro, std, std},
	"Schema":        {ro, ro, ro},
	"Target":        {ro, ro, all},
	"Tracing":       {top, top, top},
}

// exceptions are methods that need another scope than their domain says.
var exceptions = map[string]Scope{
	"Autofill.enable":                       ro,
	"Autofill.setAddresses":                 std,
	"Browser.getBrowserCommandLine":         top,
	"Browser.setContentsSize":               std,
	"Browser.setDownloadBehavior":           std, // Playwright does not connect without it
	"Browser.setWindowBounds":               std,
	"DOM.collectClassNamesFromSubtree":      ro,
	"DOM.discardSearchResults":              ro,
	"DOM.getFileInfo":                       top, // a path on the machine
	"DOM.performSearch":                     ro,
	"DOM.pushNodeByPathToFrontend":          ro,
	"DOM.pushNodesByBackendIdsToFrontend":   ro,
	"DOM.requestChildNodes":                 ro,
	"DOM.requestNode":                       ro,
	"DOM.resolveNode":                       ro,
	"DOM.setFileInputFiles":                 top,
	"Debugger.setScriptSource":              all,
	"Emulation.setGeolocationOverride":      all,
	"Network.setAttachDebugStack":           std,
	"Network.setCacheDisabled":              std,
	"Network.setUserAgentOverride":          std,
	"Page.captureScreenshot":                ro,
	"Page.captureSnapshot":                  ro,
	"Page.crash":                            top,
	"Page.getCookies":                       all,
	"Page.printToPDF":                       ro,
	"Page.screencastFrameAck":               ro,
	"Page.searchInResource":                 ro,
	"Page.setBypassCSP":                     all,
	"Page.setDownloadBehavior":              top,
	"Page.setLifecycleEventsEnabled":        ro,
	"Page.startScreencast":                  ro,
	"Page.stopScreencast":                   ro,
	"Runtime.getHeapUsage":                  ro,
	"Runtime.getIsolateId":                  ro,
	"Runtime.releaseObject":                 ro,
	"Runtime.releaseObjectGroup":            ro,
	"Runtime.runIfWaitingForDebugger":       ro,
	"Storage.getStorageKey":                 std,
	"Storage.getStorageKeyForFrame":         std,
	"Target.activateTarget":                 std,
	"Target.attachToBrowserTarget":          ro,
	"Target.attachToTarget":                 ro,
	"Target.autoAttachRelated":              ro,
	"Target.closeTarget":                    std, // as BAP's "standard", which opens and closes pages
	"Target.createTarget":                   std,
	"Target.detachFromTarget":               ro,
	"Target.exposeDevToolsProtocol":         top, // gives CDP to the page
	"Target.sendMessageToTarget":            top, // hides a method in its params
	"Target.setAutoAttach":                  ro,
	"Target.setDiscoverTargets":             ro,
	"Target.setRemoteLocations":             top,
	"Security.setIgnoreCertificateErrors":   top,
	"Security.setOverrideCertificateErrors": top,
}

// scopeFor is the least scope that a method needs. One that is not known
// needs "full".
func scopeFor(method string) Scope {
	if s, ok := exceptions[method]; ok {
		return s
	}
	name, verb, _ := strings.Cut(method, ".")
	d, known := domains[name]
	switch {
	case !known:
		return all
	case verb == "enable", verb == "disable":
		return d.watch
	case begins(verb, "get"), begins(verb, "describe"), begins(verb, "query"):
		return d.read
	}
	return d.rest
}

// begins reports whether a method's name has that verb first: getBoxModel,
// but not getter.
func begins(name, verb string) bool {
	rest, ok := strings.CutPrefix(name, verb)
	return ok && rest != "" && rest[0] >= 'A' && rest[0] <= 'Z'
}

// Files reports whether the scope reaches the files of the machine that a Host
// runs on.
func (s Scope) Files() bool { return s >= ScopePrivileged }

// Refuse returns why the scope does not allow a CDP method, or "".
func (s Scope) Refuse(method string) string {
	need := scopeFor(method)
	if s >= need {
		return ""
	}
	const longest = 128
	return "Not allowed: " + method[:min(len(method), longest)] + " needs scope " + need.String()
}
