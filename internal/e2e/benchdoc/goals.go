package main

import (
	"slices"
	"strings"
)

// group is a section of the page.
type group struct {
	title, text string
	goals       []goal
}

// goal is a bound for one figure of a benchmark.
type goal struct {
	Title     string
	Benchmark string // without the word Benchmark, and with _ for spaces
	Unit      string // as the benchmark reports it
	Of        string // the unit, as the page says it
	Goal      float64
	AtLeast   bool   // the figure is to be at least the goal, not at most
	Limit     string // what stands in the way, where the goal is not met
}

// What stands in the way, by profiles of the case; their shares are of the hub's CPU time.
const (
	limitSmall    = "System calls 30 %, the Go scheduler 18 % (futex 10 %), wsconn.write 14 %, wsconn.header 12 %."
	limitNodes    = "Each byte is checked once to be JSON (wire.scanContainer 31 %), and the numbers and lists of a command against their bounds (bounds.Exceeds 30 %); system calls 20 %."
	limitFair     = "With the floods: system calls 44 % (writes 24 %, reads 7 %, epoll 13 %), the Go scheduler 24 % (futex 10 %), wire.ReadObject 8 %."
	limitEvent    = "CPU time of all processes for an event: the page's thread 29 % (of it a quarter in the control, too), the I/O threads of the page and of Chromium's network service 19 %, the browser's process 17 % (as in the control), the Worker 14 %, the hub 13 %, the client 5 %."
	limitClick    = "13 round trips one after the other, of 0.4 to 1.8 ms each in the control, and 0.2 ms more through the hub; beside them up to one frame (16.7 ms) until an IntersectionObserver runs."
	limitSnapshot = "In the page: the 16 properties by which an element may make a stacking context about a third, the rectangles of texts a tenth, garbage collection 12 %, getBoundingClientRect 9 %, JSON 6 %. None of the properties tells of another, so that all are read of most elements."
	limitDriven   = "Of the page's time with fetch: three events to the client 18 % (postMessage 16 %, which wakes another thread each time), where the request was made 3 %, calls of built-ins by way of the agent's tables 7 %; fetch itself 18 %. XMLHttpRequest is the same within 3 %."
	limitLogging  = "A call has an event at once, so that a page that hangs has told what it did last: postMessage 16 to 30 %, writing and reading the stack 10 %, JSON 7 %, what is in the objects 7 %, to note the place of the call 5 %, calls of built-ins by way of the agent's tables 15 %. To send calls together would take the first away, not the rest."
	limitFollow   = "An event for each change: 67 % of the page's time, of it the sending 30 % (postMessage 21 %). The page's own changes take 14 %."
	limitFetch    = "Of the page's time: the wrapper 2.5 %, calls of the built-ins by way of the agent's tables 2 %, timers of the lifecycle event networkIdle 2 %; fetch itself 28 %."
	limitXHR      = "Of the page's time: the wrapper of send 2 %, that of open 1 %, calls of the built-ins by way of the agent's tables 2.5 %; send itself 20 %."
	limitConsole  = "No client is attached. The call, and the place of it, is kept for clients that come later; its stack is not written until then."
	limitStart    = "Of the agent's own time: the tables of the built-ins as they are before the page's scripts 40 %, calls by way of them 11 %, scripts for new documents 6 %, listeners 5 %. To parse and compile it comes on top."
	limitSize     = "What every page may need before a part can be loaded: the wrappers of what it asks the network with, workers, windows and frames, and Runtime."
)

var goals = []group{
	{
		"The hub", "CPU time of the hub's process for each operation, as a multiple of that of the splice, for frames of the same size and number.",
		[]goal{
			hub("Round trips, one at a time, 100 B", "round_trip,_one_at_a_time,_100_B", 1.5, ""),
			hub("Round trips, bursts of 64, 100 B", "round_trip,_bursts_of_64,_100_B", 2, limitSmall),
			hub("Round trips, bursts of 64, 4 KiB in one string", "round_trip,_bursts_of_64,_4_KiB_in_one_string", 1.5, limitSmall),
			hub("Round trips of 8 Clients, bursts of 64, 4 KiB in one string", "round_trip_of_8_Clients,_bursts_of_64,_4_KiB_in_one_string", 1.5, ""),
			hub("Round trips, bursts of 64, 4 KiB of nodes", "round_trip,_bursts_of_64,_4_KiB_of_nodes", 2, limitNodes),
			hub("Round trips, bursts of 8, 256 KiB of nodes", "round_trip,_bursts_of_8,_256_KiB_of_nodes", 2, limitNodes),
			hub("An event to 1 session", "event_to_1_session", 3, ""),
			hub("An event to 1,000 sessions", "event_to_1000_sessions", 3, ""),
			hub("An event of the agent to 100 sessions", "event_of_an_agent_to_100_sessions", 3, ""),
			hub("Target.getTargets", "getTargets,_5000_Targets,_5000_sessions", 2, ""),
			hub("Target.getTargets after each change", "getTargets,_the_same,_after_a_change_each_time", 2, ""),
			hub("Attach and detach, bursts of 16", "attach_and_detach,_bursts_of_16", 2, ""),
		},
	},
	{
		"Neighbours", "Round trips of one Client while other programs flood hubs of the same process, against the same floods of another process.",
		[]goal{
			{"p99 beside two flooded hubs", "Fair", "p99/control", "times the control", 2, false, limitFair},
			{"Speed beside two flooded hubs", "Fair", "speed/control", "of the control", 0.6, true, limitFair},
		},
	},
	{
		"Memory", "Live heap and stacks of the hub's process, for each.",
		[]goal{
			{"Idle Client", "Memory/idle_Client", "kB", "kB", 8, false, ""},
			{"Idle Host on a hub of its own", "Memory/idle_Host_on_a_hub_of_its_own", "kB", "kB", 8, false, ""},
			{"Hub with a Host, two Targets and two Clients", "Memory/hub_with_a_Host,_two_Targets_and_two_Clients", "kB", "kB", 25, false, ""},
		},
	},
	{
		"The whole way", "From a page to a client, in an iframe through the agent and in a browser behind the hub, against Chromium itself.",
		[]goal{
			whole("An event to 1 session", "frame", "Events/1", 2, limitEvent),
			whole("An event to 100 sessions", "frame", "Events/100", 1, ""),
			whole("An event to 1,000 sessions", "frame", "Events/1000", 1, ""),
			whole("An event to 1 session", "browser", "Events/1", 1.5, ""),
			whole("An event to 1,000 sessions", "browser", "Events/1000", 1.5, ""),
			whole("A click by Playwright", "frame", "Clicks/Playwright", 1.5, ""),
			whole("A click by Puppeteer", "frame", "Clicks/Puppeteer", 1.5, limitClick),
			whole("A click by Playwright", "browser", "Clicks/Playwright", 1.5, ""),
			whole("A click by Puppeteer", "browser", "Clicks/Puppeteer", 1.5, limitClick),
		},
	},
	{
		"Round trips of an action", "How often an action of an action API waits for the page or its browser, on a page with six iframes of other origins, once it knows the page.",
		slices.Concat(trips("Click"), trips("Fill"), trips("Press")),
	},
	{
		"Large pages", "50,000 nodes as a whole, against Chromium itself.",
		[]goal{
			whole("DOM.getDocument", "frame", "LargePage/DOM.getDocument", 2, ""),
			whole("Accessibility.getFullAXTree", "frame", "LargePage/Accessibility.getFullAXTree", 2, ""),
			whole("DOMSnapshot.captureSnapshot", "frame", "LargePage/DOMSnapshot.captureSnapshot", 2, limitSnapshot),
		},
	},
	{
		"Large answers", "The longest wait of a client for small answers of its own page, while another client gets one large answer of another page, against Chromium itself.",
		[]goal{
			whole("Beside an answer of 20 MB", "browser", "LargeAnswers/20_MB", 2, ""),
			whole("Beside an answer of 60 MB", "browser", "LargeAnswers/60_MB", 2, ""),
		},
	},
	{
		"A page without a client", "What a page's own work takes with the agent, against the same page without it; and the agent's first script.",
		[]goal{
			pageLoop("DOM changes", "dom", ""),
			pageLoop("fetch", "fetch", limitFetch),
			pageLoop("XMLHttpRequest", "xhr", limitXHR),
			pageLoop("Timers", "timers", ""),
			pageLoop("Console", "console", limitConsole),
			{"Start of the agent", "AgentStart", "ms", "ms", 5, false, limitStart},
			{"First script, packed by gzip", "AgentSize", "kB", "kB", 60, false, limitSize},
		},
	},
	{
		"A page with a client", "The same work with a Playwright attached to the page; and the frames a second that the page shows while its DOM changes 10,000 times a second, each change in a turn of its own.",
		[]goal{
			drivenLoop("DOM changes", "dom", 1.15, ""),
			drivenLoop("fetch", "fetch", 1.15, limitDriven),
			drivenLoop("XMLHttpRequest", "xhr", 1.15, limitDriven),
			drivenLoop("Timers", "timers", 1.15, ""),
			drivenLoop("Console", "console", 2, limitLogging),
			{"Frames under load", "Storm/client=attached", "frames/s", "a second", 50, true, ""},
			{"Frames under load, against the page without", "Storm/client=attached", "with/without", "times without", 0.95, true, ""},
			{"Frames under load, the client follows the DOM", "Storm/client=following", "frames/s", "a second", 50, true, limitFollow},
		},
	},
}

func hub(title, name string, most float64, limit string) goal {
	return goal{title, "Hub/" + name, "hub/splice", "times the splice", most, false, limit}
}

func whole(title, side, name string, most float64, limit string) goal {
	where := map[string]string{"frame": ", in an iframe", "browser": ", in a browser"}[side]
	return goal{title + where, name, side + "/direct", "times Chromium", most, false, limit}
}

func trips(action string) (list []goal) {
	for _, p := range []struct{ name, where string }{
		{"frame/page", "in an iframe"},
		{"frame/child", "in an iframe of another origin in it"},
		{"browser/page", "in a browser"},
		{"browser/child", "in an iframe of another process there"},
	} {
		list = append(list, goal{action + ", " + p.where, "RoundTrips/" + p.name + "/" + strings.ToLower(action), "trips", "round trips", 4, false, ""})
	}
	return list
}

func drivenLoop(title, name string, most float64, limit string) goal {
	return goal{title, "DrivenLoop", name + "-ratio", "times without", most, false, limit}
}

func pageLoop(title, name, limit string) goal {
	return goal{title, "PageLoop", name + "-ratio", "times without", 1.02, false, limit}
}
