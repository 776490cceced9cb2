package export

import (
	"encoding/base64"
	"encoding/json"
	"io"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/cdphub/cdphub/internal/journal"
	"github.com/cdphub/cdphub/internal/version"
)

// The types follow HAR 1.2 (http://www.softwareishard.com/blog/har-12-spec/). Lists
// that it demands are written even if they are empty. -1 means that a number is not
// known. Names that begin with an underscore are extensions.
type (
	harFile struct {
		Log harLog `json:"log"`
	}
	harLog struct {
		Version string     `json:"version"`
		Creator harCreator `json:"creator"`
		Entries []harEntry `json:"entries"`
	}
	harCreator struct {
		Name    string `json:"name"`
		Version string `json:"version"`
	}
	harEntry struct {
		Started  string      `json:"startedDateTime"`
		Time     int64       `json:"time"`
		Request  harRequest  `json:"request"`
		Response harResponse `json:"response"`
		Cache    struct{}    `json:"cache"`
		Timings  harTimings  `json:"timings"`
	}
	harTimings struct {
		Send    int64 `json:"send"`
		Wait    int64 `json:"wait"`
		Receive int64 `json:"receive"`
	}
	harPair struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	}
	harRequest struct {
		Method  string    `json:"method"`
		URL     string    `json:"url"`
		Version string    `json:"httpVersion"`
		Cookies []harPair `json:"cookies"`
		Headers []harPair `json:"headers"`
		Query   []harPair `json:"queryString"`
		Head    int64     `json:"headersSize"`
		Body    int64     `json:"bodySize"`
	}
	harResponse struct {
		Status   int        `json:"status"`
		Text     string     `json:"statusText"`
		Version  string     `json:"httpVersion"`
		Cookies  []harPair  `json:"cookies"`
		Headers  []harPair  `json:"headers"`
		Content  harContent `json:"content"`
		Redirect string     `json:"redirectURL"`
		Head     int64      `json:"headersSize"`
		Body     int64      `json:"bodySize"`
		Error    string     `json:"_failureText,omitempty"`
	}
	harContent struct {
		Size     int    `json:"size"`
		Mime     string `json:"mimeType"`
		Text     string `json:"text,omitempty"`
		Encoding string `json:"encoding,omitempty"`
	}
)

// HAR writes the requests of a recording as HAR 1.2. Cookies are in the headers only,
// redacted.
func HAR(w io.Writer, r *journal.Recording) error {
	file := harFile{harLog{Version: "1.2", Creator: harCreator{"cdphub", version.Current().Version}, Entries: []harEntry{}}}
	for _, e := range r.Entries {
		if e.Load != nil && strings.HasPrefix(e.Load.URL, "http") {
			file.Log.Entries = append(file.Log.Entries, harOf(e))
		}
	}
	out := json.NewEncoder(w)
	out.SetIndent("", " ")
	return out.Encode(file)
}

// harOf gives the whole time to "wait": a recording has no phases of a request.
func harOf(e journal.Entry) harEntry {
	x := e.Load
	content := harContent{Size: len(x.Body), Mime: x.Mime}
	switch {
	case len(x.Body) == 0:
	case utf8.Valid(x.Body):
		content.Text = string(x.Body)
	default:
		content.Text, content.Encoding = base64.StdEncoding.EncodeToString(x.Body), "base64"
	}
	return harEntry{
		Started: time.UnixMilli(e.At).UTC().Format("2006-01-02T15:04:05.000Z"), Time: e.Ms, Timings: harTimings{Wait: e.Ms},
		Request: harRequest{
			Method: x.Method, URL: x.URL, Version: x.Protocol, Cookies: []harPair{}, Headers: harPairs(x.Asked), Query: queryPairs(x.URL), Head: -1, Body: -1,
		},
		Response: harResponse{
			Status: x.Status, Text: x.Reason, Version: x.Protocol, Cookies: []harPair{}, Headers: harPairs(x.Answered), Content: content,
			Redirect: x.Redirect, Head: -1, Body: x.Size, Error: e.Error,
		},
	}
}

// ofTransport are headers that say how the body was sent over the network. A HAR has
// the body decoded, and a program that replays it would decode it again.
var ofTransport = []string{"content-encoding", "content-length", "transfer-encoding"}

func harPairs(headers map[string]string) []harPair {
	list := []harPair{}
	for name, value := range headers {
		if !slices.Contains(ofTransport, strings.ToLower(name)) {
			list = append(list, harPair{name, value})
		}
	}
	slices.SortFunc(list, func(a, b harPair) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// mostParameters of an address are listed: the hub records no address that has more.
const mostParameters = 1 << 10

func queryPairs(address string) []harPair {
	list := []harPair{}
	u, err := url.Parse(address)
	if err != nil {
		return list
	}
	for part := range strings.SplitSeq(u.RawQuery, "&") {
		if len(list) == mostParameters {
			break
		}
		name, value, _ := strings.Cut(part, "=")
		if n, err := url.QueryUnescape(name); err == nil && n != "" {
			v, _ := url.QueryUnescape(value) // a value that is none stays empty
			list = append(list, harPair{n, v})
		}
	}
	return list
}
