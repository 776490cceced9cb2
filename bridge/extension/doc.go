// Package extension is the Host behind a browser's extension: it lends the hub those tabs that the user of that browser
// shares. The extension forwards commands and events of chrome.debugger, which has one session for each tab, and
// enforces what the user has consented to. All that makes one session many is here and in bridge/share, so nothing
// is lost when the browser ends the extension's worker.
//
// # Wire
//
// One JSON text frame is one message; unknown kinds and members are ignored, and result, error and params come last. A
// tab is named by the targetId that Chromium gives its page. From the extension:
//
//	{"kind":"hello","v":1,"install":"I","product":"Chrome/156.0.0.0","userAgent":"…"}
//	{"kind":"tabs","tabs":[{"target":"T","url":"…","title":"…","opener":"T0"}]}   all that are shared
//	{"kind":"tab","tab":{…}}                       one is shared now, or has changed
//	{"kind":"gone","target":"T","reason":"…"}      one is shared no more; the reason is for Clients to read
//	{"kind":"detached","target":"T","reason":"…"}  chrome.debugger has let go of a tab that goes on
//	{"kind":"answer","id":7,"result":{…}}          or "error":{"code":-32000,"message":"…"}
//	{"kind":"event","target":"T","session":"S","method":"Page.loadEventFired","params":{…}}
//
// From the hub:
//
//	{"kind":"welcome","v":1,"own":["127.0.0.1:9222"]}
//	                                               the answer to hello; before it the extension names no tab. Own are
//	                                               host and port of the hub's own pages: no tab that shows one is shared
//	{"kind":"attach","id":7,"target":"T"}          to be answered; a Client has come to this tab
//	{"kind":"detach","target":"T"}                 the last one has left it
//	{"kind":"cdp","id":8,"target":"T","session":"S","method":"Page.enable","params":{…}}   to be answered
//	{"kind":"close","id":9,"target":"T"}           to be answered: a Client closes this tab
//	{"kind":"drivers","target":"T","clients":["agent"]}   who is attached to a tab, by name
//	{"kind":"stop","target":"T","reason":"…"}      the tab cannot be driven, and is shared no more
//	{"kind":"alive"}                               every 20 s, since Chromium ends a worker that hears nothing for 30 s
//
// The session of a cdp and an event is absent for the tab itself; others are those that Chromium announces with
// Target.attachedToTarget. Ids are numbers, and none comes twice on a connection. There is no event of a tab before the
// answer to its attach, and none after its detach. The extension refuses commands that the user has not consented to with an
// error of code -32000.
//
// The install is a secret of 22 to 128 characters, which the extension makes once. A hello with the same install on
// the same hub goes on with the tabs of the connection before, also while that one is still open. After a lost
// connection (1001, 1005, 1006, 1013, 4100, 4101) the hub keeps tabs and sessions for Options.Grace: Clients see
// executionContextsCleared, and then all that they have set is set again. 1000 is good-bye.
//
// An extension owes its hello within 10 s (4502), and gets 4503 or 1009 for what is too large. It has at most
// 8,192 tabs. Ids of targets have at most 256 bytes, those of sessions 128; a title is cut at 4 KiB, a URL at 64
// KiB. A message that is not valid is logged and ignored.
package extension
