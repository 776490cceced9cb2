package server

import (
	"fmt"
	"mime"
	"net/http"
	"strings"
	"time"

	"github.com/cdphub/cdphub/internal/auth"
	"github.com/cdphub/cdphub/internal/downloads"
	"github.com/cdphub/cdphub/relay"
	"github.com/cdphub/cdphub/server/internal/front"
)

// newDownloads returns the function for relay.Options. Below dir, Clients may name folders.
func newDownloads(kept *downloads.Store, dir string) (func() (relay.DownloadFile, error), error) {
	root := downloads.Dir("")
	if dir != "" {
		var err error
		if root, err = downloads.ResolveDir(dir); err != nil {
			return nil, fmt.Errorf("download directory: %w", err)
		}
	}
	return func() (relay.DownloadFile, error) {
		f, err := kept.Create(root)
		if err != nil {
			return nil, err // a nil *downloads.File would be no nil DownloadFile
		}
		return f, nil
	}, nil
}

// ownPath is before the paths of the hub of a request, as its client reaches it.
func ownPath(r *http.Request) string { return auth.OwnAddressOf(r).HTTP() + front.RouteOf(r).Prefix }

// boxOf has the downloads that a Client may fetch: those that its token has asked for at this hub.
func (s *Server) boxOf(r *http.Request, pass auth.Pass) downloads.Box {
	by := downloads.Owner{Hub: front.RouteOf(r).Hub, Account: pass.Account()}
	// tabs=own in a URL makes an owner of its own for each request. A token that sees only its own tabs
	// has one owner.
	if pass.Grant.OwnTabs {
		by.Tabs = pass.Owner
	}
	return s.kept.Box(by, ownPath(r)+relay.DownloadsPath)
}

// withFull serves those whose scope allows downloads.
func withFull(serve http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if g := auth.PassOf(r).Grant; !g.Includes(auth.ScopeFull) {
			http.Error(w, "Not allowed: downloads need a token of scope full; this one has "+g.Scope.String()+".", http.StatusForbidden)
			return
		}
		serve(w, r)
	}
}

// listDownloads lists what the asker's token has downloaded, the newest last:
//
//	GET /downloads    {"downloads":[…]}
func (s *Server) listDownloads(w http.ResponseWriter, r *http.Request) {
	list, _ := s.boxOf(r, auth.PassOf(r)).List(r.Context()) // a Box of this process has no errors
	front.WriteJSON(w, http.StatusOK, map[string]any{"downloads": list})
}

// serveDownload serves a file that the asker's token has downloaded, or deletes it:
// GET, HEAD and DELETE /downloads/ID.
func (s *Server) serveDownload(w http.ResponseWriter, r *http.Request) {
	box, id := s.boxOf(r, auth.PassOf(r)), strings.TrimPrefix(front.RouteOf(r).Path, relay.DownloadsPath)
	if r.Method == http.MethodDelete {
		if !box.Delete(id) {
			refuseUnknownDownload(w)
			return
		}
		w.WriteHeader(http.StatusNoContent)
		return
	}
	f, kept, err := box.OpenFile(id)
	if err != nil {
		refuseUnknownDownload(w)
		return
	}
	defer f.Close()
	// The file is a stranger's: no browser may show it as a page of the hub, or guess what it is.
	h := w.Header()
	h.Set("Content-Type", kept.Type)
	h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": kept.Name}))
	h.Set("Content-Security-Policy", "sandbox; default-src 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "private, no-store")
	h.Set("ETag", `"`+kept.SHA256+`"`)
	http.ServeContent(w, r, "", time.UnixMilli(kept.Time), f)
}

// refuseUnknownDownload answers a request for an id that the asker has no file of.
func refuseUnknownDownload(w http.ResponseWriter) {
	text := downloads.ErrNotKept.Error()
	http.Error(w, strings.ToUpper(text[:1])+text[1:]+".", http.StatusNotFound)
}
