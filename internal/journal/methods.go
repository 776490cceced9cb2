package journal

import "time"

// method is a method of CDP that matters to a timeline, as a command or as an event.
// One of command, event and script is set.
type method struct {
	name    string
	domain  string // of an event
	pointer bool   // what is under the pointer or in focus matters to exports
	types   bool   // it has text that must not be kept
	leaves  bool   // the document may go with it
	script  bool   // it runs a script, which may set fields; it is no entry
	command func(*Journal, *line, *command)
	event   func(*Journal, *line, *event)
}

// command is a command of a Client that has ended. Its params are a copy.
type command struct {
	method  *method
	client  string
	session string
	inside  bool
	at      time.Time
	took    time.Duration
	params  []byte // nil: none, or too long to be read
	long    int    // how long the params were, in bytes
	err     string
	notWeb  bool // the page showed no page of the web meanwhile

	ended    time.Time
	x, y     float64  // where it acts; 0 for keys
	document int      // observer.documents when it was sent
	looks    bool     // it is asked what it acts on
	act      act      // the item of the page's log that names what it acts on; none for the zero value
	looked   bool     // it is known what was there before it, or need not be
	logRead  bool     // the page's log was read after it, or need not be
	on       *Element // nil: not known
	typed    *origin  // of what it types, until it is known what it acts on
}

// event is an event of a page. Its params are a copy.
type event struct {
	name    string
	at      time.Time
	session string
	inside  bool
	params  []byte
}

const (
	mouseEvent = "Input.dispatchMouseEvent"
	keyEvent   = "Input.dispatchKeyEvent"
	frameEvent = "Page.frameNavigated"
)

// methods are, by name, the commands that act on a page, and the events that show what it
// does. Commands that run scripts, such as Runtime.callFunctionOn, are most of what programs
// send, and say nothing to a person: only recordings look what the scripts have set.
var methods = withNames(map[string]*method{
	mouseEvent:                           {pointer: true, command: dispatchMouse},
	keyEvent:                             {types: true, pointer: true, command: dispatchKey},
	"Input.insertText":                   {types: true, pointer: true, command: insertText},
	"Input.imeSetComposition":            {types: true, pointer: true, command: insertText},
	"Input.dispatchTouchEvent":           {pointer: true, command: dispatchTouch},
	"Input.synthesizeTapGesture":         {pointer: true, command: tapGesture},
	"Input.synthesizeScrollGesture":      {command: scrollGesture},
	"Input.dispatchDragEvent":            {pointer: true, command: dispatchDrag},
	"DOM.setFileInputFiles":              {command: chooseFiles},
	"Page.navigate":                      {leaves: true, command: noteNavigation},
	"Page.reload":                        {leaves: true, command: plainMethod(Reload, "reloaded the page")},
	"Page.navigateToHistoryEntry":        {leaves: true, command: plainMethod(History, "went to another entry of the history")},
	"Page.setDocumentContent":            {leaves: true, command: plainMethod(Replace, "replaced the document")},
	"Page.close":                         {leaves: true, command: plainMethod(Close, "closed the page")},
	"Page.handleJavaScriptDialog":        {types: true, command: answerDialog},
	"Emulation.setDeviceMetricsOverride": {command: setViewport},
	evaluate:                             {script: true},
	"Runtime.callFunctionOn":             {script: true},
	"Runtime.runScript":                  {script: true},
	frameEvent:                           {domain: "Page", event: frameNavigated},
	"Page.navigatedWithinDocument":       {domain: "Page", event: navigatedWithin},
	"Page.loadEventFired":                {domain: "Page", event: noteLoad},
	"Page.downloadWillBegin":             {domain: "Page", event: downloadBegins},
	"Page.javascriptDialogOpening":       {domain: "Page", event: dialogOpening},
	"Page.javascriptDialogClosed":        {domain: "Page", event: dialogClosed},
	"Runtime.consoleAPICalled":           {domain: "Runtime", event: consoleCalled},
	"Runtime.exceptionThrown":            {domain: "Runtime", event: exceptionThrown},
	"Runtime.executionContextsCleared":   {domain: "Runtime", event: contextsCleared},
	"Log.entryAdded":                     {domain: "Log", event: noteLogEntry},
	"Inspector.targetCrashed":            {domain: "Inspector", event: noteCrash},
	"Network.requestWillBeSent":          {domain: "Network", event: requestSent},
	"Network.responseReceived":           {domain: "Network", event: responseReceived},
	"Network.loadingFinished":            {domain: "Network", event: loadingFinished},
	"Network.loadingFailed":              {domain: "Network", event: loadingFailed},
})

func withNames(list map[string]*method) map[string]*method {
	for name, m := range list {
		m.name = name
	}
	return list
}
