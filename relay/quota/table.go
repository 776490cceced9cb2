package quota

// Resource is something of which a process, a hub or an address has a limited amount.
type Resource int

// The resources. Each has a row in the table.
const (
	Clients Resource = iota
	Calls
	Sessions
	Parked
	Paused
	Browsers
	BrowserQueue
	Tabs
	Sandboxes
	Connections
	Viewers
	EventStreams
	MCPSessions
	BAPConnections
	BAPSessions
	ActionCalls
	Uploads
	Hubs
	Memory
	NamedMemory
	TimelineMemory
	Timelines
	TimelineQueue
	Recordings
	Downloads
	resources // how many there are
)

// Limit is a row of the table: how much there is of a resource, and what happens when a
// token wants more than its part.
type Limit struct {
	Name   string // the label of the metric
	Unit   string // in texts for people: "16 of 64 sandboxes"
	One    string // Unit of one; "" where nothing is refused
	Option string // of the command line, which raises the total; "" for none
	Total  int64  // where no option says another; 0: there is always an option, or it is computed
	Roles  string // whose tokens use it, beside those of Clients: "host"
	// Evicts says that nothing is refused: when the total is exceeded, the token that has
	// most loses some of what it has.
	Evicts bool
}

// Table has a row for each Resource.
var Table = [resources]Limit{
	Clients:        {Name: "clients", Unit: "Clients of this hub", One: "Client of this hub", Option: "--max-clients", Total: 1024},
	Calls:          {Name: "calls", Unit: "commands in flight of this hub", One: "command in flight of this hub", Option: "--max-calls", Total: 65536},
	Sessions:       {Name: "sessions", Unit: "sessions of this hub", One: "session of this hub", Option: "--max-sessions", Total: 65536},
	Parked:         {Name: "parked_commands", Unit: "commands that wait for the browser of this hub", One: "command that waits for the browser of this hub", Total: 64},
	Paused:         {Name: "paused_commands", Unit: "commands that wait for a page that a person has", One: "command that waits for a page that a person has", Total: 256},
	Browsers:       {Name: "browsers", Unit: "browsers", One: "browser", Option: "--max-browsers", Total: 8},
	BrowserQueue:   {Name: "browser_queue", Unit: "places in the queue for a browser", One: "place in the queue for a browser", Total: 1000},
	Tabs:           {Name: "tabs", Unit: "tabs in the browser of this hub", One: "tab in the browser of this hub", Total: 1000},
	Sandboxes:      {Name: "sandboxes", Unit: "sandboxes", One: "sandbox", Option: "--max-sandboxes", Total: 64},
	Connections:    {Name: "connections", Unit: "WebSocket connections from this address", One: "WebSocket connection from this address", Option: "--max-connections", Total: 4096, Roles: "host"},
	Viewers:        {Name: "viewers", Unit: "live views", One: "live view", Total: 4096},
	EventStreams:   {Name: "event_streams", Unit: "streams of the dashboard's state to this address", One: "stream of the dashboard's state to this address", Total: 64},
	MCPSessions:    {Name: "mcp_sessions", Unit: "MCP sessions", One: "MCP session", Total: 1000},
	BAPConnections: {Name: "bap_connections", Unit: "connections of the Browser Agent Protocol from this address", One: "connection of the Browser Agent Protocol from this address", Option: "--bap-connections", Total: 10},
	BAPSessions:    {Name: "bap_sessions", Unit: "BAP sessions that can be resumed", One: "BAP session that can be resumed", Total: 1000},
	ActionCalls:    {Name: "action_calls", Unit: "requests of action APIs without an answer", One: "request of action APIs without an answer", Total: 4096},
	Uploads:        {Name: "upload_bytes", Unit: "bytes of files that are being uploaded", One: "byte of files that are being uploaded", Total: 256 << 20},
	Hubs:           {Name: "hubs", Unit: "hubs", One: "hub", Total: 1 << 16},
	Memory:         {Name: "memory_bytes", Unit: "bytes of memory", Option: "--memory-budget", Roles: "host", Evicts: true},
	NamedMemory:    {Name: "session_memory_bytes", Unit: "bytes of named sessions", Total: 256 << 20, Evicts: true},
	TimelineMemory: {Name: "timeline_bytes", Unit: "bytes of timelines", Total: 64 << 20, Evicts: true},
	Timelines:      {Name: "timelines", Unit: "timelines", Total: 4096, Evicts: true},
	TimelineQueue:  {Name: "timeline_queue_bytes", Unit: "bytes of events that wait for the timelines", One: "byte of events that waits for the timelines", Total: 32 << 20},
	Recordings:     {Name: "recording_bytes", Unit: "bytes of recordings", Option: "--record-size", Total: 1 << 30, Evicts: true},
	Downloads:      {Name: "download_bytes", Unit: "bytes of downloads", Option: "--download-size", Total: 1 << 30, Evicts: true},
}
