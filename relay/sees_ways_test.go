package relay

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/session"
	"github.com/cdphub/cdphub/targets"
)

// way is a column: how somebody gets to see a Target.
type way struct {
	watches  bool // by the rights of a Watcher, not of a Client
	frames   bool // of a Host page; the browser itself tells of its pages
	policies bool // it asks by a Policy, for nobody in particular
	common   bool // nothing that is private is shown this way
	titles   bool // with titles
	files    bool // only to those who may name folders
	shows    func(e *eye, id string) string
}

// ways are the columns, by the method or function that shows something.
var ways = map[string]way{
	"Target.getTargets":                             listWay(`"method":"Target.getTargets"`),
	"Target.getTargets, by filter":                  listWay(`"method":"Target.getTargets","params":{"filter":[{}]}`),
	"Target.getTargets of frames":                   aloneWay(`"method":"Target.getTargets"`),
	"Target.setDiscoverTargets":                     listWay(discovers),
	"Target.setAutoAttach":                          listWay(autoPages),
	"Target.attachToTarget":                         askWay("", "Target.attachToTarget", `,"flatten":true`),
	"Target.attachToTarget of a tab":                askWay("tab", "Target.attachToTarget", `,"flatten":true`),
	"Target.getTargetInfo":                          askWay("", "Target.getTargetInfo", ""),
	"Target.getTargetInfo of a tab":                 askWay("tab", "Target.getTargetInfo", ""),
	"Target.activateTarget":                         askWay("", "Target.activateTarget", ""),
	"Target.closeTarget":                            askWay("", "Target.closeTarget", ""),
	"Target.closeTarget of a hub without a browser": askWay("alone", "Target.closeTarget", ""),
	"CdpHub.mayAct":                                 askWay("pages", "CdpHub.mayAct", ""),
	"CdpHub.grant":                                  askWay("pages", "CdpHub.grant", `,"client":"nobody"`),
	"CdpHub.revoke":                                 askWay("pages", "CdpHub.revoke", ""),
	"Browser.setDownloadBehavior":                   downloadWay(false, false, asksForDownloads),
	"the files of downloads":                        downloadWay(true, false, asksForDownloads),
	"Client.Restore of a page":                      restoreWay(session.Page),
	"Client.Restore of a tab":                       restoreWay(session.Tab),
	"Client.Restore of downloads":                   downloadWay(false, true, restoresDownloads),
	"Client.Restore of their folders":               downloadWay(true, true, restoresDownloads),
	"Client.Restore of discovery": hearWay(true, func(e *eye, id string) string {
		restored(e, ClientState{Subscriptions: []SubscriptionState{{Discover: []byte(`{"discover":true}`)}}})
		return changes(e, id)
	}),
	"Events.TargetChanged": hearWay(true, changes),
	"Events.TargetCreated": hearWay(true, func(e *eye, id string) string {
		i := e.w.infos[id]
		i.ID, i.OpenerID = "NEW", id
		e.w.page.TargetCreated(i)
		return "NEW"
	}),
	"Events.TargetGone": hearWay(true, func(e *eye, id string) string { e.w.page.TargetGone(id); return id }),
	"Events.HostGone":   hearWay(false, func(e *eye, id string) string { e.w.eventsOf(id).HostGone(false); return id }),
	"Hub.Targets": {common: true, policies: true, titles: true, shows: func(e *eye, id string) string {
		return infoIn(e.w.hub.Targets(e.options.Policy), id)
	}},
	"Hub.Target": {common: true, policies: true, titles: true, shows: func(e *eye, id string) string {
		t, _ := e.w.hub.Target(e.options.Policy, id)
		return infoIn([]targets.Info{t}, id)
	}},
	"Client.ConnectPage": {shows: func(e *eye, id string) string { return shownBy(e.c.ConnectPage(e.in, id, func() {})) }},
	"Local.Take":         {shows: func(e *eye, id string) string { return shownBy((&Local{client: e.c}).Take(id, "Bob", LeaseOptions{})) }},
	"Control.WatchedTargets": {watches: true, titles: true, shows: func(e *eye, id string) string {
		var list []targets.Info
		for _, t := range e.w.hub.Control().WatchedTargets(e.watcher) {
			list = append(list, t.Info)
		}
		return infoIn(list, id)
	}},
	"Control.WatchedTarget": {watches: true, titles: true, shows: func(e *eye, id string) string {
		t, _ := e.w.hub.Control().WatchedTarget(e.watcher, id)
		return infoIn([]targets.Info{t.Info}, id)
	}},
	"EndedTarget.Shows": {watches: true, shows: func(e *eye, id string) string {
		e.w.eventsOf(id).TargetGone(id)
		if !e.w.notes.past.Shows(e.watcher) {
			return ""
		}
		return "in the past"
	}},
}

func asksForDownloads(e *eye) {
	e.ask(`"method":"Browser.setDownloadBehavior","params":{"behavior":"allow","eventsEnabled":true,"downloadPath":"/d"}`)
	// A browser keeps the wish for its own pages.
	setDownloads(e.w.hub, &request{client: e.c, args: params{behavior: "allow", eventsEnabled: true, downloadPath: "/d"}}) // the params are valid
}

func restoresDownloads(e *eye) {
	restored(e, ClientState{Downloads: []DownloadState{{Events: true, Folder: "/d"}}})
}

// changes has a Target change.
func changes(e *eye, id string) string {
	i := e.w.infos[id]
	i.Title = "another"
	e.w.page.TargetChanged(i)
	return id
}

func infoIn(list []targets.Info, id string) string {
	for _, t := range list {
		if t.ID == id {
			return fmt.Sprintf("%+v", t)
		}
	}
	return ""
}

// Why a method or function is no column of the table.
const (
	noTarget  = "it names no Target"
	inSession = "it works in a session of the Client, which it has got by a column"
	byKey     = "only somebody who has the key, a secret, can ask"
	ofHub     = "it is for the process, which keeps hubs"
	ofHost    = "it is for a Host, whose Targets these are"
	byWatcher = "whoever asks has found the Target by a column of Watchers"
	toJournal = "its news are for the journal, whose readers are Watchers"
)

// notShown are the methods that the hub answers and the functions of this package that are not
// columns, each with the reason.
var notShown = map[string]string{
	"CdpHub.cancelHandoff": inSession, "CdpHub.handoff": inSession, "CdpHub.getClients": "names of Clients are for all, to grant tabs to",
	"Browser.getVersion": noTarget, "Browser.close": noTarget, "Browser.grantPermissions": noTarget, "Browser.resetPermissions": noTarget,
	"Browser.setPermission": noTarget, "Browser.setWindowBounds": noTarget, "Page.close": inSession, "Page.disable": inSession, "Page.enable": inSession,
	"Page.handleJavaScriptDialog": inSession, "Runtime.runIfWaitingForDebugger": inSession, "Schema.getDomains": noTarget,
	"Security.disable": noTarget, "Security.enable": noTarget, "Security.setIgnoreCertificateErrors": noTarget, "Target.attachToBrowserTarget": noTarget, "Target.createBrowserContext": noTarget,
	"Target.createTarget": "the Target is new, see the transcript own_tabs", "Target.detachFromTarget": inSession,
	"Target.disposeBrowserContext": noTarget, "Target.getBrowserContexts": noTarget, "Target.setRemoteLocations": noTarget,

	"Hub.Active": "httpdiscovery asks it for what Hub.Targets shows", "Hub.Admit": noTarget, "Control.AnswerHandoff": byWatcher, "Control.Ask": toJournal, "Control.AskNow": toJournal, "Control.AwaitBrowser": noTarget, "Hub.AwaitFree": ofHost,
	"Hub.BrowserConnected": noTarget, "Hub.Clients": noTarget, "Hub.Counts": "TestR147CountsOfOthers of package server has its numbers", "Hub.Drain": ofHub,
	"Hub.Drained": ofHub, "Control.Driven": noTarget, "Control.Drivers": byWatcher, "Control.Emulated": byWatcher, "Control.ExpectBrowser": ofHub, "Hub.Free": ofHost, "Control.Grant": "a seer is made by it", "Hub.Held": noTarget,
	"Control.HandoffByKey": byKey, "Control.HandoffOf": byWatcher, "Control.Holder": byWatcher, "Hub.HostConnected": noTarget, "Hub.HostHangs": noTarget, "Hub.Join": noTarget,
	"Hub.JoinLocal": noTarget, "Hub.JoinPage": "it is Client.ConnectPage", "Hub.Lacking": noTarget, "Hub.Name": noTarget, "Control.ObserveLease": toJournal,
	"Control.OpenDialog": byKey, "Control.OpenHandoff": byKey, "Control.Part": ofHub, "Control.Quieted": byWatcher, "Control.ReconnectDelay": ofHost, "Hub.Refresh": noTarget,
	"Control.Restore": "its Targets are those of the Host page", "Control.Revoke": "a seer is made by it", "Hub.SetHost": ofHost, "Control.State": ofHub, "Hub.Stats": noTarget,
	"Control.TabClients": byWatcher, "Control.TakeScript": byKey, "Control.Value": ofHub, "Hub.Control": "its functions are here", "Hub.Version": noTarget, "Control.WatchLeases": byWatcher,

	"Client.AwaitReturn": noTarget, "Client.Connect": noTarget, "Client.Leave": noTarget,
	"Client.Name": noTarget, "Client.Receive": "its methods are columns", "Client.State": "Client.Restore reads it", "Client.Succeed": "a seer is made by it",
	"Local.Answer": inSession, "Local.Call": "its methods are columns", "Local.Event": inSession, "Local.Holds": "by Local.Take", "Local.Leave": noTarget,
	"Local.MayAct": "it is CdpHub.mayAct", "Local.Name": noTarget, "Local.Release": "by Local.Take", "Local.Send": "its methods are columns", "Local.ViewerGone": "by Local.Take",
	"Watcher.SeesFiles": "Control.WatchedTarget asks it, and the journal, see TestNotWeb there",

	"Events.Reannounced": "it is TargetGone and TargetCreated", "Events.Result": inSession, "Events.Fail": inSession, "Events.Event": "to sessions, and downloads to a column",
	"Events.DownloadBegins": "Browser.setDownloadBehavior is the column", "Events.DownloadPart": "of what has begun", "Events.DownloadEnds": "of what has begun",
	"Events.DownloadFinished": inSession, "Events.SessionEvent": inSession, "Events.SessionsEvent": inSession, "Events.Opened": inSession, "Events.Closed": inSession, "Events.PutScript": byKey,
	"Observer.Wants": noTarget, "Observer.Command": toJournal, "Observer.Event": toJournal, "Observer.Detached": toJournal, "Observer.Leased": toJournal, "Observer.Web": toJournal,
	"Observer.Ended": "EndedTarget.Shows decides who hears of it",
}

// TestR280NothingIsOutsideOfTheTable wants each method that the hub answers, each function of a hub,
// a Client and a Watcher, all that a Host can say and all that an Observer hears to be a column of
// the table, or to have a reason.
func TestR280NothingIsOutsideOfTheTable(t *testing.T) {
	names := slices.Collect(maps.Keys(methods))
	for prefix, v := range map[string]any{
		"Hub": &Hub{}, "Control": Control{}, "Client": &Client{}, "Local": &Local{}, "EndedTarget": &EndedTarget{}, "Watcher": Watcher{}, "Events": (*bridge.Events)(nil), "Observer": (*Observer)(nil),
	} {
		of := reflect.TypeOf(v)
		if of.Kind() == reflect.Pointer && of.Elem().Kind() == reflect.Interface {
			of = of.Elem()
		}
		for m := range of.Methods() {
			if _, promoted := reflect.TypeFor[*Hub]().MethodByName(m.Name); promoted && prefix == "Control" {
				continue
			}
			names = append(names, prefix+"."+m.Name)
		}
	}
	for _, name := range names {
		_, column := ways[name]
		column = column || slices.ContainsFunc(slices.Collect(maps.Keys(ways)), func(w string) bool { return strings.HasPrefix(w, name+" of ") })
		if column == (notShown[name] != "") {
			t.Errorf("%s must be a column of the table of who sees what, or have a reason: one of both", name)
		}
	}
	for name := range notShown {
		if !slices.Contains(names, name) {
			t.Errorf("%s is no more: remove its reason", name)
		}
	}
}
