package share

import "slices"

// handlers are the methods that are not only forwarded. Settings, recordings, enable and disable are not here.
var handlers = map[string]handler{
	"Console.clearMessages":         (*Tab).clearMessagesLocked,
	"Log.clear":                     (*Tab).clearMessagesLocked,
	"Runtime.discardConsoleEntries": (*Tab).clearMessagesLocked,

	"DOM.getDocument":       (*Tab).getDocumentLocked,
	"DOM.requestChildNodes": (*Tab).requestChildrenLocked,

	"Debugger.removeBreakpoint":             (*Tab).removeBreakpointLocked,
	"Debugger.setBreakpoint":                (*Tab).setBreakpointLocked,
	"Debugger.setBreakpointByUrl":           (*Tab).setBreakpointLocked,
	"Debugger.setBreakpointOnFunctionCall":  (*Tab).setBreakpointLocked,
	"Debugger.setInstrumentationBreakpoint": (*Tab).setBreakpointLocked,

	"Fetch.enable":                   (*Tab).enableFetchLocked,
	"Fetch.disable":                  (*Tab).disableFetchLocked,
	"Fetch.continueRequest":          (*Tab).handlePausedLocked,
	"Fetch.continueResponse":         (*Tab).handlePausedLocked,
	"Fetch.continueWithAuth":         (*Tab).handlePausedLocked,
	"Fetch.failRequest":              (*Tab).handlePausedLocked,
	"Fetch.fulfillRequest":           (*Tab).handlePausedLocked,
	"Fetch.getResponseBody":          (*Tab).handlePausedLocked,
	"Fetch.takeResponseBodyAsStream": (*Tab).handlePausedLocked,

	"IO.close": (*Tab).closeStreamLocked,

	"Page.addScriptToEvaluateOnNewDocument":    (*Tab).addScriptLocked,
	"Page.removeScriptToEvaluateOnNewDocument": (*Tab).removeScriptLocked,
	"Page.screencastFrameAck":                  (*Tab).ackLocked,
	"Page.setLifecycleEventsEnabled":           (*Tab).setLifecycleLocked,
	"Page.startScreencast":                     (*Tab).startCastLocked,
	"Page.stopScreencast":                      (*Tab).endCastLocked,

	"Runtime.addBinding":              (*Tab).addBindingLocked,
	"Runtime.releaseObject":           (*Tab).releaseObjectLocked,
	"Runtime.releaseObjectGroup":      (*Tab).releaseGroupLocked,
	"Runtime.removeBinding":           (*Tab).removeBindingLocked,
	"Runtime.runIfWaitingForDebugger": (*Tab).runLocked,

	"Target.detachFromTarget": (*Tab).detachLocked,
	"Target.setAutoAttach":    (*Tab).setAutoAttachLocked,
}

func removeView(list []*clientSession, v *clientSession) []*clientSession {
	return slices.DeleteFunc(list, func(o *clientSession) bool { return o == v })
}
