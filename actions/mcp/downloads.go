package mcp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/dustin/go-humanize/english"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cdphub/cdphub/actions"
	"github.com/cdphub/cdphub/internal/downloads"
)

// Downloads. The section Events of a tool's answer lists the files that pages have downloaded since the
// answer before. A client reads them as resources, or fetches them by their address. A session with a
// folder for files also writes them there.

// uriPrefix is before the ids of downloads, in the URIs of resources.
const uriPrefix = "cdphub://downloads/"

// ending is how long a call waits for the end of downloads that it has begun.
const ending = 3 * time.Second

// maxReportedDownloads is how many ended downloads one answer describes; it counts the others.
const maxReportedDownloads = 20

// downloadLog is what a session knows of downloads. session.mu guards it.
type downloadLog struct {
	begun   int               // how many there have been
	running map[string]string // the names of those under way, by id; "" once an answer has listed the download
	ended   []actions.Download
	lost    int           // how many more than maxReportedDownloads have ended
	changed chan struct{} // gets an item when one ends
}

func newDownloadLog() downloadLog {
	return downloadLog{running: make(map[string]string), changed: make(chan struct{}, 1)}
}

// note takes an event.
func (l *downloadLog) note(d actions.Download) {
	if d.State == "started" {
		l.begun++
		if len(l.running) < maxReportedDownloads {
			l.running[d.ID] = cmp.Or(d.Suggested, d.ID)
		}
		return
	}
	delete(l.running, d.ID)
	if len(l.ended) < maxReportedDownloads {
		l.ended = append(l.ended, d)
	} else {
		l.lost++
	}
	select {
	case l.changed <- struct{}{}:
	default:
	}
}

// begunDownloads is how many downloads the session has begun.
func (s *session) begunDownloads() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.downloads.begun
}

// awaitDownloads waits until no download is under way, at most for the time ending. It does not wait if none
// has begun since begunDownloads was before.
func (s *session) awaitDownloads(ctx context.Context, before int) {
	ctx, cancel := context.WithTimeout(ctx, ending)
	defer cancel()
	for {
		s.mu.Lock()
		over := s.downloads.begun == before || len(s.downloads.running) == 0
		s.mu.Unlock()
		if over {
			return
		}
		select {
		case <-s.downloads.changed:
		case <-ctx.Done():
			return
		}
	}
}

// reportDownloads returns a line for each download that has begun or ended since the last call.
func (s *session) reportDownloads(ctx context.Context) (lines []string) {
	s.mu.Lock()
	ended, lost := s.downloads.ended, s.downloads.lost
	s.downloads.ended, s.downloads.lost = nil, 0
	for id, name := range s.downloads.running {
		if name != "" {
			lines = append(lines, fmt.Sprintf("- Downloading file %s: a later answer will say how it has ended", oneLine(name)))
			s.downloads.running[id] = ""
		}
	}
	s.mu.Unlock()
	for _, d := range ended {
		lines = append(lines, s.describeDownload(ctx, d))
	}
	if lost > 0 {
		lines = append(lines, fmt.Sprintf("- %d more downloads have ended: see the resources", lost))
	}
	return lines
}

// describeDownload is the line of a download that has ended.
func (s *session) describeDownload(ctx context.Context, d actions.Download) string {
	name, k := oneLine(d.Suggested), d.Kept
	if k.ID == "" {
		why := ""
		if d.Reason != "" {
			why = ": " + oneLine(d.Reason)
		}
		return fmt.Sprintf("- Download of file %s was canceled%s", name, why)
	}
	line := fmt.Sprintf("- Downloaded file %s (%s, %s)", name, english.Plural(int(k.Size), "byte", ""), k.Type)
	if path, err := s.saveDownload(ctx, k); err != nil {
		line += fmt.Sprintf(", which cannot be written here: %v", err)
	} else if path != "" {
		return line + fmt.Sprintf(" to %q", path)
	}
	if s.caller.Downloads != nil {
		line += ": read the resource " + uriPrefix + k.ID
	}
	if k.Address != "" {
		line += fmt.Sprintf(", or fetch %s with the token of this connection", k.Address)
	}
	return line
}

// saveDownload writes a download to the folder for files, under a name that is free; path is "" where
// there is no folder.
func (s *session) saveDownload(ctx context.Context, k actions.KeptDownload) (path string, err error) {
	if s.files.Write == "" || s.caller.Downloads == nil {
		return "", nil
	}
	f, _, err := s.caller.Downloads.Open(ctx, k.ID)
	if err != nil {
		return "", err
	}
	defer f.Close()
	root, err := s.files.makeFolder()
	if err != nil {
		return "", err
	}
	defer root.Close()
	return downloads.WriteNumbered(root, k.Name, f)
}

// resources answers what clients ask about resources: those are the downloads.
func (s *session) resources(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		if s.caller.Downloads == nil {
			return next(ctx, method, req)
		}
		switch p := req.GetParams().(type) {
		case *sdk.ListResourcesParams:
			return s.listResources(ctx)
		case *sdk.ReadResourceParams:
			return s.readResource(ctx, p.URI)
		}
		return next(ctx, method, req)
	}
}

func (s *session) listResources(ctx context.Context) (*sdk.ListResourcesResult, error) {
	list, err := s.caller.Downloads.List(ctx)
	if err != nil {
		return nil, err
	}
	out := &sdk.ListResourcesResult{Resources: []*sdk.Resource{}}
	for _, k := range list {
		out.Resources = append(out.Resources, &sdk.Resource{
			URI: uriPrefix + k.ID, Name: k.Name, MIMEType: k.Type, Size: k.Size, Description: "Downloaded file, SHA-256 " + k.SHA256,
		})
	}
	return out, nil
}

// readResource reads a download, if it is not too large for an answer.
func (s *session) readResource(ctx context.Context, uri string) (*sdk.ReadResourceResult, error) {
	id, is := strings.CutPrefix(uri, uriPrefix)
	if !is {
		return nil, sdk.ResourceNotFoundError(uri)
	}
	f, k, err := s.caller.Downloads.Open(ctx, id)
	if errors.Is(err, downloads.ErrNotKept) {
		return nil, sdk.ResourceNotFoundError(uri)
	} else if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxAttached+1))
	if err != nil {
		return nil, err
	}
	if len(data) > maxAttached {
		return nil, fmt.Errorf("the file has %d bytes, a resource at most %d: fetch %s", k.Size, maxAttached, k.Address)
	}
	c := &sdk.ResourceContents{URI: uri, MIMEType: k.Type}
	if isText(k.Type) && utf8.Valid(data) {
		c.Text = string(data)
	} else {
		c.Blob = data
	}
	return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{c}}, nil
}
