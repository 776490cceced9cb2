package archtest

import (
	"go/ast"
	"go/token"
	"strconv"
	"strings"
	"testing"
)

// waitingFolders are the packages of the product in which Clients, pages and people wait.
var waitingFolders = []string{
	"actions", "actions/bap", "actions/hooks", "actions/jsonrpc", "actions/mcp", "actions/ndjson", "actions/remote", "bridge", "bridge/page", "bridge/chrome",
	"internal/browsers", "internal/cluster", "internal/cluster/nats", "internal/journal", "internal/link", "internal/live", "internal/named", "internal/proxy", "relay/quota", "relay", "server", "session", "targets", "internal/urlpolicy", "internal/wsconn",
}

// uninterrupted are the functions that no row of a table interrupts, by the tests that do it in
// another way, or by why nothing can be wrong after the wait.
var uninterrupted = map[string]string{
	"loop: what it does next depends on nothing from before the wait": "journal.Journal.run journal.Journal.work actions.Page.frameNavigated live.View.dropBlind " +
		"actions.NewScheduler actions.Scheduler.End actions.Scheduler.Browser natsdir.sweeper.run natsdir.sweeper.round membership.Member.Sweep bap.connection.receive " +
		"server.Server.waitForSessions server.Server.giveBackQuiet membership.nodeCollector.collect mcp.session.awaitDownloads",
	"it notes what the other end is, which stays so": "actions.Browser.askForDownloads",
	"callback: it logs, counts or asks again, and finds its session by its id": "page.aliveness.start chrome.Host.Refresh chrome.Host.askSizeLocked " +
		"chrome.Host.followHeavyLocked relay.Hub.feelLocked chrome.outbox.Handled chrome.Host.disposeLocked chrome.Host.noteScaleLocked relay.hostReturn.expect relay.targetDialogs.settleLocked",
	"TestStuckPageIsWithdrawn TestPagesThatAnswerAreKept TestNewPagesAreNotWatched TestPageThatHangsIsNoticedByWhoLooks": "chrome.Host.askStuck " +
		"chrome.Host.awaitPageLocked chrome.Host.lookAtLocked chrome.Host.watchLocked chrome.Host.withdrawSoonLocked chrome.Host.probeLocked chrome.Host.introduceLocked",
	"TestStreamsOfOthersAreUnknown TestR118R281WhoSeesWhatInABrowser":                  "chrome.Host.streamLocked chrome.Host.findWindowLocked",
	"TestPoolStartsOnDemand TestHealthFollowsStarts":                                   "browsers.Pool.Check browsers.Pool.leave browsers.Pool.startLocked",
	"bounded by the page or the call, whose locks TestR287InterruptedActions looks at": "actions.Page.rawTree actions.Page.ArmDialog actions.Page.showBlank actions.Page.navigationFailure",
	"TestRefLimits TestR313Sights":                                                     "actions.Page.Observe actions.Page.SnapshotElements actions.Browser.Sights",
	"the session refuses what has ended":                                               "bap.onPageOf",
	"TestConsents":                                                                     "actions.Consents.Check",
	"TestSessions TestSessionEndsWithServer TestOrder": "bap.closeBrowser bap.closePage bap.destroyContext bap.interceptRequests bap.launchBrowser bap.listContexts " +
		"bap.continueRequest bap.session.detach bap.session.release bap.endSession",
	"TestCallsAreBounded TestSessionsEndWithTheirToken TestTabsAreTheClientsOwn": "mcp.addRoute mcp.call.newTabs mcp.call.routePage mcp.emulateMedia " +
		"mcp.session.check mcp.session.open mcp.session.pageOf",
	"an answer is taken out of the list before it is given":               "remote.client.Send",
	"TestCutAtEveryByte TestFlowControl TestDeadlinesStand TestNewerWins": "link.Dialer.Dial link.Pipe.Read link.Pipe.Write link.deadline.arm link.newPipe link.side.connect",
	"TestR202GraceTime TestR205RandomCuts":                                "named.Session.waitLocked named.stream.trimLaterLocked",
	"TestS05NodeIsCutOff TestLostRequests TestDrainDuringARenewal TestReservationsOfANodeThatIsBack": "natsdir.Directory.Claim natsdir.Directory.Close natsdir.Directory.MayEnd " +
		"natsdir.Directory.Owner natsdir.Directory.ReserveBrowser natsdir.Directory.node natsdir.Directory.readNodes natsdir.Directory.renew natsdir.Directory.tellStays " +
		"natsdir.Directory.writeReservedOnce natsdir.Open natsdir.firstAnswer natsdir.claim.check",
	"TestHold TestHoldDocuments TestR296Limits": "proxy.agentRegistry.await proxy.agentRegistry.findTarget proxy.bodyCache.ServeHTTP proxy.handler.intercept " +
		"proxy.handler.serveFailure proxy.handler.serveHub",
	"TestHubsComeAndGo": "relay.Hubs.release",
	"TestClusterHubMovesWhileAClientWaits TestS04OwnerIsSilent TestClusterDrain TestS05OwnerIsCutOff": "server.Server.drain forward.Forwarder.AtOwner forward.Forwarder.Forward " +
		"server.login.findHub membership.Member.Locate membership.Member.PlaceUnowned membership.Member.takeWith membership.Forward.Send",

	"TestR287TokenThatEndsAtOnce":  "mcp.Handler.keep",
	"TestR288InterruptedSandboxes": "server.Server.Hub",
	"TestSandboxes":                "sandboxes.Table.begin",

	"TestF06ParkedPeer TestWaitBelow TestCancel TestDialThrough": "wsconn.Conn.Serve wsconn.Conn.Start wsconn.Conn.finish wsconn.Conn.park wsconn.Conn.waitUntil wsconn.DialThrough",
}

// TestR285WaitsAreInterrupted finds each function that acts on shared state after it has
// waited: it takes a lock after it has received, sent, called with a context, or let a lock
// go; or a timer or an answer calls it. What was true before may be wrong then. A test of its
// package interrupts it, and names it ("live.Viewer.take"); or there is a reason why not.
func TestR285WaitsAreInterrupted(t *testing.T) {
	found, reasons := map[string]bool{}, map[string]string{}
	for reason, list := range uninterrupted {
		for _, function := range strings.Fields(list) {
			reasons[function] = reason
		}
	}
	for _, folder := range waitingFolders {
		waits, named := readFolder(t, folder)
		for name, at := range waits {
			found[name] = true
			reason := reasons[name]
			for _, word := range strings.Fields(reason) {
				if strings.HasPrefix(word, "Test") && !named[word] {
					t.Errorf("%s: there is no %s", at, word)
				}
			}
			switch {
			case named[name] && reason != "":
				t.Errorf("%s: a test names %s: take out its reason", at, name)
			case !named[name] && reason == "":
				t.Errorf("%s: %s acts after it has waited: interrupt it in a test that names it, or give the reason", at, name)
			}
		}
	}
	for name := range reasons {
		if !found[name] {
			t.Errorf("%s does not wait any more: take out its reason", name)
		}
	}
	if len(found) < 50 {
		t.Errorf("only %d functions were found", len(found))
	}
}

// readFolder finds the functions of a package that act after a wait, and the names and texts in its tests.
func readFolder(t *testing.T, folder string) (waits map[string]token.Position, texts map[string]bool) {
	t.Helper()
	waits, texts = map[string]token.Position{}, map[string]bool{}
	files, locking := []*goFile{}, map[string]bool{}
	for _, file := range goFiles(t) {
		if outer, _, _ := strings.Cut(file.folder(), "/internal/"); outer != folder { // the tests of server are those of its rooms, too
			continue
		}
		isTest := file.isTest()
		ast.Inspect(file.ast, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.BasicLit:
				if text, err := strconv.Unquote(n.Value); isTest && err == nil {
					texts[text] = true
				}
			case *ast.FuncDecl:
				if isTest {
					texts[n.Name.Name] = true
				} else if n.Body != nil {
					locking[n.Name.Name] = locking[n.Name.Name] || locks(n.Body)
				}
			}
			return true
		})
		if !isTest {
			files = append(files, file)
		}
	}
	for _, file := range files {
		for _, d := range file.ast.Decls {
			if f, is := d.(*ast.FuncDecl); is && f.Body != nil && actsAfterWait(f.Body, locking) {
				waits[file.ast.Name.Name+"."+functionName(f)] = file.position(f.Pos())
			}
		}
	}
	return waits, texts
}

// locks reports whether a function takes a lock itself.
func locks(body *ast.BlockStmt) (found bool) {
	ast.Inspect(body, func(n ast.Node) bool {
		if call, is := n.(*ast.CallExpr); is && strings.HasSuffix(textOf(call.Fun), ".Lock") {
			found = true
		}
		return true
	})
	return found
}

// functionName is the name of a function, with the type of its receiver: "Viewer.take".
func functionName(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return f.Name.Name
	}
	return strings.TrimPrefix(textOf(f.Recv.List[0].Type), "*") + "." + f.Name.Name
}

// textOf is an expression of names and selectors: "v.mu.Lock"; other parts of it are left out.
func textOf(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return textOf(e.X) + "." + e.Sel.Name
	case *ast.StarExpr:
		return "*" + textOf(e.X)
	case *ast.CallExpr:
		return textOf(e.Fun) + "()"
	}
	return ""
}

// actsAfterWait reports whether a function, or a function literal in it, takes a lock after a
// wait. In a loop, what stands before the wait follows it, too.
func actsAfterWait(body *ast.BlockStmt, locking map[string]bool) bool {
	s := scan{locking: locking, unlocked: map[string]token.Pos{}, passes: map[ast.Node]bool{}}
	ast.Inspect(body, s.visit)
	for _, wait := range s.waits {
		for _, lock := range s.locks {
			if lock > wait || s.inLoop(wait, lock) {
				return true
			}
		}
	}
	for _, literal := range s.literals {
		if actsAfterWait(literal.Body, locking) {
			return true
		}
	}
	return s.later
}

// scan is what was found in the body of one function.
type scan struct {
	locking      map[string]bool // functions of the package that take a lock
	waits, locks []token.Pos
	unlocked     map[string]token.Pos // by the lock
	loops        []ast.Node
	passes       map[ast.Node]bool // what does not wait: it is deferred, runs in a goroutine, or has a default
	literals     []*ast.FuncLit
	later        bool // a timer or an answer calls one of them
}

func (s *scan) inLoop(wait, lock token.Pos) bool {
	for _, l := range s.loops {
		if l.Pos() < min(wait, lock) && max(wait, lock) < l.End() {
			return true
		}
	}
	return false
}

func (s *scan) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.FuncLit:
		s.literals = append(s.literals, n)
		return false
	case *ast.ForStmt, *ast.RangeStmt:
		s.loops = append(s.loops, n)
	case *ast.DeferStmt:
		s.passes[n.Call] = true
	case *ast.GoStmt:
		s.passes[n.Call] = true
	case *ast.SelectStmt:
		s.selects(n)
	case *ast.AssignStmt:
		s.assigns(n)
	case *ast.SendStmt:
		s.waitAt(n)
	case *ast.UnaryExpr:
		if n.Op == token.ARROW {
			s.waitAt(n)
		}
	case *ast.CallExpr:
		if !s.passes[n] {
			s.calls(n)
		}
	}
	return true
}

func (s *scan) waitAt(n ast.Node) {
	if !s.passes[n] {
		s.waits = append(s.waits, n.Pos())
	}
}

// selects takes a select as one wait, and as none if it has a default.
func (s *scan) selects(n *ast.SelectStmt) {
	waits := true
	for _, c := range n.Body.List {
		comm := c.(*ast.CommClause).Comm
		if comm == nil {
			waits = false
			continue
		}
		ast.Inspect(comm, func(part ast.Node) bool {
			s.passes[part] = true
			return true
		})
	}
	if waits {
		s.waits = append(s.waits, n.Pos())
	}
}

// assigns finds functions for an answer, and calls that only derive a context.
func (s *scan) assigns(n *ast.AssignStmt) {
	switch textOf(n.Lhs[0]) {
	case "ctx":
		s.passes[n.Rhs[0]] = true
	case "a.observe", "a.rewrite":
		s.later = s.later || s.acts(n.Rhs[0], false)
	}
}

// acts reports whether a function that a timer or an answer calls takes a lock. One with a
// name may.
func (s *scan) acts(e ast.Expr, byName bool) (found bool) {
	if name := textOf(e); byName && name != "" && name != "nil" {
		return true
	}
	ast.Inspect(e, func(n ast.Node) bool {
		if call, is := n.(*ast.CallExpr); is {
			name := textOf(call.Fun)
			name = name[strings.LastIndex(name, ".")+1:]
			found = found || s.locking[name] || name == "Lock"
		}
		return true
	})
	return found
}

func (s *scan) calls(n *ast.CallExpr) {
	text := textOf(n.Fun)
	of, name := text[:max(strings.LastIndex(text, "."), 0)], text[strings.LastIndex(text, ".")+1:]
	switch name {
	case "Lock", "RLock", "lock":
		s.locks = append(s.locks, n.Pos())
		if at, was := s.unlocked[of]; was {
			s.waits = append(s.waits, at)
		} else if at, was := s.unlocked["h.mu"]; was && name == "lock" { // connection.lock locks Hub.mu
			s.waits = append(s.waits, at)
		}
	case "Unlock", "RUnlock":
		s.unlocked[of] = n.Pos()
	case "Wait":
		s.waits = append(s.waits, n.Pos())
	case "AfterFunc", "ask", "AskNow", "askLocked", "askInLocked", "sendLocked":
		if len(n.Args) == 0 {
			break
		}
		s.later = s.later || s.acts(n.Args[len(n.Args)-1], name == "AfterFunc" || name == "ask")
	default:
		if strings.HasSuffix(name, "Locked") || s.locking[name] && strings.Contains(of, ".") {
			s.locks = append(s.locks, n.Pos())
		}
		if len(n.Args) > 0 && of != "context" && name != "Err" {
			switch textOf(n.Args[0]) {
			case "ctx", "within", "r.Context()", "s.ctx", "d.ctx":
				s.waits = append(s.waits, n.Pos())
			}
		}
	}
}
