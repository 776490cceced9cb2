package auth

import (
	"strings"
	"testing"
)

func TestR24ScopesOfMethods(t *testing.T) {
	for scope, methods := range map[Scope]string{
		ScopeReadonly: `Page.captureScreenshot Page.enable Page.getFrameTree DOM.getDocument DOM.describeNode DOM.querySelectorAll
			Accessibility.getFullAXTree Target.attachToTarget Target.setAutoAttach Target.getTargets Browser.getVersion Network.enable
			Runtime.enable Runtime.runIfWaitingForDebugger`,
		ScopeStandard: `Runtime.evaluate Runtime.callFunctionOn Runtime.getProperties Input.dispatchKeyEvent Input.insertText Page.navigate
			Page.reload Page.addScriptToEvaluateOnNewDocument Page.handleJavaScriptDialog DOM.focus DOM.scrollIntoViewIfNeeded
			Emulation.setDeviceMetricsOverride Browser.setDownloadBehavior Target.activateTarget Target.createTarget Target.closeTarget Page.close Network.setUserAgentOverride Page.getter`,
		ScopeFull: `Network.getCookies Network.setCookies Network.getResponseBody Storage.getCookies DOMStorage.setDOMStorageItem Fetch.enable
			Target.createBrowserContext Target.disposeBrowserContext IndexedDB.enable Nope.nope Nope.getNope nonsense .get get. Network.get`,
		ScopePrivileged: `DOM.setFileInputFiles DOM.getFileInfo Browser.close Browser.grantPermissions Browser.crash Page.setDownloadBehavior
			Tracing.start Target.sendMessageToTarget Target.exposeDevToolsProtocol Security.setIgnoreCertificateErrors`,
	} {
		for _, m := range strings.Fields(methods) {
			if got := scopeFor(m); got != scope {
				t.Errorf("%s needs %v, want %v", m, got, scope)
			}
			if scope > ScopeReadonly {
				want := "Not allowed: " + m + " needs scope " + scope.String()
				if got := (scope - 1).Refuse(m); got != want {
					t.Errorf("%v: %q, want %q", scope-1, got, want)
				}
			}
			if why := scope.Refuse(m); why != "" {
				t.Errorf("%v: %q, want nothing", scope, why)
			}
		}
	}
	if ScopeFull.Files() || !ScopePrivileged.Files() {
		t.Error("files of the Host's machine are for scope privileged alone")
	}
	if why := ScopeReadonly.Refuse(strings.Repeat("x", 10_000)); len(why) > 200 {
		t.Errorf("a long method is answered with %d bytes", len(why))
	}
}

// TestR24ExceptionsDiffer wants no row that says what its domain says anyway,
// but for those that say why.
func TestR24ExceptionsDiffer(t *testing.T) {
	for method, scope := range exceptions {
		delete(exceptions, method)
		if usual := scopeFor(method); usual == scope {
			t.Errorf("%s needs %v without its row, too", method, scope)
		}
		exceptions[method] = scope
	}
}
