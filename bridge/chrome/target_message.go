package chrome

//go:generate go run github.com/mailru/easyjson/easyjson@v0.9.2 -output_filename target_message_easyjson.go target_message.go

// The parts of Chromium's events and answers that the Host decodes. A page with
// many frames sends them by the hundred, and the answer to Target.getTargets
// comes every second while a browser is in use.

// info is a Target.TargetInfo, as far as the Host looks at it.
//
//easyjson:json
type info struct {
	ID      string `json:"targetId"`
	Type    string `json:"type"`
	Title   string `json:"title"`
	URL     string `json:"url"`
	Opener  string `json:"openerId"`
	Context string `json:"browserContextId"`
	Parent  string `json:"parentFrameId"`
	// ParentTarget is the target around a frame or a worker, and the tab around a page.
	ParentTarget string `json:"parentId"`
}

// attachment is the params of Target.attachedToTarget. The other events of
// targets have some of them.
//
//easyjson:json
type attachment struct {
	SessionID string `json:"sessionId"`
	TargetID  string `json:"targetId"`
	Info      info   `json:"targetInfo"`
	Waiting   bool   `json:"waitingForDebugger"`
}

// targetList is the result of Target.getTargets.
//
//easyjson:json
type targetList struct {
	Infos []info `json:"targetInfos"`
}

// pausedDocument is the params of Fetch.requestPaused.
//
//easyjson:json
type pausedDocument struct {
	RequestID string `json:"requestId"`
	FrameID   string `json:"frameId"` // of a page's main frame it is the target's id
	Request   struct {
		URL string `json:"url"`
	} `json:"request"`
}
