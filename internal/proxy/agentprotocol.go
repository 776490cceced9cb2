package proxy

import (
	"encoding/json"
	"fmt"
)

// An agent speaks to the proxy over a WebSocket at /__hub/control of the app's
// origin, in JSON text messages. Bodies are base64. Members that are left out
// are optional; unknown ones are ignored.
//
// A message of the agent is a command, and has "do":
//
//	{"do":"state","target":"T","hold":true,"tell":true,"addresses":["http://app/page"],
//	 "extra":{"X-A":"1"},"userAgent":"…","noCache":true,"offline":true}
//	    what its Target wants, and the URLs of its documents. It is the first
//	    message, and comes again when anything has changed.
//	{"do":"navigate","url":"http://app/next","referrer":"http://app/page"}
//	    the main frame is about to ask for this document
//	{"do":"go","id":"R","url":"…","method":"POST","headers":[["X-A","1"]],"body":"aGk=","see":true}
//	    the request, or its response, continues; a request with these changes.
//	    "see" also pauses the response.
//	{"do":"fulfill","id":"R","status":200,"phrase":"OK","headers":[["X-A","1"]],"body":"aGk="}
//	    this is the response
//	{"do":"fail","id":"R","error":"net::ERR_FAILED"}
//	    there is no response
//	{"do":"body","id":"R"}
//	    asks for the body of a response that is paused
//
// A message of the proxy is an event, and has "what":
//
//	{"what":"state","id":""}
//	    the last "state" has taken effect
//	{"what":"request","id":"R","url":"…","method":"GET","headers":{"X-A":"1"},"body":"aGk=","dest":"image",
//	 "mode":"no-cors","referrer":"…","held":true,"main":true,"redirects":[…]}
//	    a request that page script does not see. "held": it waits for go,
//	    fulfill or fail. "main": it is for the document of the main frame.
//	    "redirects" are as in data-response, see hop.
//	{"what":"response","id":"R","status":200,"statusText":"OK","headers":{"x-a":"1"},"key":"K","held":true}
//	    or "error":"net::ERR_FAILED" in place of the status. "held": it waits
//	    for go, fulfill, fail or body. "key" names the body below /__hub/body/.
//	{"what":"body","id":"R","body":"aGk="}
//	    the answer to "body"
//	{"what":"end","id":"R","length":2}
//	    the last event of a request: the body has been read
//	{"what":"failed","id":"R","error":"net::ERR_ABORTED"}
//	    the last event of a request that has no response. With "download", the
//	    name of a file, the browser saves the response: it has "url" and "key".
//	{"what":"extra","id":"","url":"…","method":"GET","sent":{"Accept":"*/*"},
//	 "status":200,"statusText":"OK","headers":{"x-a":"1\n2"}}
//	    the response to a request of script, which it sees less of

// targetState is the command "state".
type targetState struct {
	Target    string            `json:"target"`    // id of the Target at the hub
	Hold      bool              `json:"hold"`      // its requests are paused
	Tell      bool              `json:"tell"`      // its requests are announced, paused or not
	Extra     map[string]string `json:"extra"`     // headers for all its requests
	UserAgent string            `json:"userAgent"` // "" leaves the browser's
	NoCache   bool              `json:"noCache"`
	Offline   bool              `json:"offline"`
	Addresses []string          `json:"addresses"` // of its documents
	// Credentials are "name:password" in base64, for all requests from now on.
	Credentials string `json:"credentials"`
}

// navigateCommand is the command "navigate".
type navigateCommand struct {
	URL      string `json:"url"`
	Referrer string `json:"referrer"`
}

// decision is a command about a paused request: one of the four types below.
type decision interface{ decides() }

func (continueRequest) decides() {}
func (fulfillRequest) decides()  {}
func (failRequest) decides()     {}
func (getBody) decides()         {}

// continueRequest is the command "go". What is zero is not changed.
type continueRequest struct {
	URL     string      `json:"url"`
	Method  string      `json:"method"`
	Headers [][2]string `json:"headers"`
	Body    *[]byte     `json:"body"`
	See     bool        `json:"see"`     // pause the response, too
	Cookies string      `json:"cookies"` // those that script can read now
}

// fulfillRequest is the command "fulfill".
type fulfillRequest struct {
	Status  int         `json:"status"`
	Phrase  string      `json:"phrase"`  // "" is the usual one for the status
	Headers [][2]string `json:"headers"` // nil keeps those of a response that is paused
	Body    *[]byte     `json:"body"`    // nil keeps that of a response that is paused
}

// failRequest is the command "fail".
type failRequest struct {
	Error string `json:"error"` // as Chromium names it: net::ERR_FAILED
}

// getBody is the command "body".
type getBody struct{}

// readCommand reads a message of an agent. The id is that of a paused request, or "".
// An unknown command lets its request continue: a newer agent then does not wait for
// an answer that never comes.
func readCommand(message []byte) (id string, command any, err error) {
	var head struct {
		Do string `json:"do"`
		ID string `json:"id"`
	}
	if err := json.Unmarshal(message, &head); err != nil {
		return "", nil, fmt.Errorf("read a command: %w", err)
	}
	switch head.Do {
	case "state":
		command, err = decodeAs[targetState](message)
	case "navigate":
		command, err = decodeAs[navigateCommand](message)
	case "go":
		command, err = decodeAs[continueRequest](message)
	case "fulfill":
		command, err = decodeAs[fulfillRequest](message)
	case "fail":
		command, err = decodeAs[failRequest](message)
	case "body":
		command = getBody{}
	default:
		command = continueRequest{}
	}
	if err != nil {
		err = fmt.Errorf("read the command %q: %w", head.Do, err)
	}
	return head.ID, command, err
}

func decodeAs[T any](message []byte) (command T, err error) {
	err = json.Unmarshal(message, &command)
	return command, err
}

// agentEvent is an event of the proxy. What says which of the other members it has;
// the others are left out. encoding/json writes Body as base64.
type agentEvent struct {
	What       string            `json:"what"`
	ID         string            `json:"id"`
	URL        string            `json:"url,omitempty"`
	Method     string            `json:"method,omitempty"`
	Headers    map[string]string `json:"headers,omitempty"`
	Body       []byte            `json:"body,omitempty"`
	Dest       string            `json:"dest,omitempty"` // Sec-Fetch-Dest
	Mode       string            `json:"mode,omitempty"` // Sec-Fetch-Mode
	Referrer   string            `json:"referrer,omitempty"`
	Held       bool              `json:"held,omitempty"`
	Main       bool              `json:"main,omitempty"`
	Redirects  []hop             `json:"redirects,omitempty"`
	Status     int               `json:"status,omitempty"`
	StatusText string            `json:"statusText,omitempty"`
	Key        string            `json:"key,omitempty"`
	Length     int64             `json:"length,omitempty"` // bytes of the body
	Error      string            `json:"error,omitempty"`
	Download   string            `json:"download,omitempty"` // the file's name
	Sent       map[string]string `json:"sent,omitempty"`     // headers that the app's server got
}

// mustEncode is JSON of a value made of strings, numbers and booleans alone,
// which always has one.
func mustEncode(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return text
}
