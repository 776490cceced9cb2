package remote

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/cdphub/cdphub/actions"
	"github.com/cdphub/cdphub/internal/downloads"
	"github.com/cdphub/cdphub/internal/wire"
)

// kept are the downloads at a hub, by its HTTP API. A plain browser has none.
type kept struct {
	folder string // http://host/downloads
	header http.Header
}

// maxList is how long a list of downloads may be, in bytes.
const maxList = 4 << 20

// Downloads are the files that the hub with a CDP WebSocket keeps for whoever sends these headers.
func Downloads(socket string, header http.Header) (actions.Downloads, error) {
	u, err := url.Parse(socket)
	if err != nil {
		return nil, err
	}
	u.Scheme = "http" + strings.TrimPrefix(u.Scheme, "ws")
	before, _, _ := strings.Cut(u.Path, "/devtools/browser")
	u.Path, u.RawQuery = before+"/downloads", ""
	return kept{u.String(), header}, nil
}

// List implements actions.Downloads.
func (k kept) List(ctx context.Context) ([]actions.KeptDownload, error) {
	body, err := k.get(ctx, "")
	if err != nil {
		return nil, err
	}
	defer body.Close()
	text, err := io.ReadAll(io.LimitReader(body, maxList))
	var out struct{ Downloads []actions.KeptDownload }
	if err == nil {
		err = wire.Decode(text, &out)
	}
	return out.Downloads, err
}

// Open implements actions.Downloads.
func (k kept) Open(ctx context.Context, id string) (io.ReadCloser, actions.KeptDownload, error) {
	list, err := k.List(ctx)
	if err != nil {
		return nil, actions.KeptDownload{}, err
	}
	for _, d := range list {
		if d.ID == id {
			body, err := k.get(ctx, "/"+url.PathEscape(id))
			return body, d, err
		}
	}
	return nil, actions.KeptDownload{}, downloads.ErrNotKept
}

func (k kept) get(ctx context.Context, path string) (io.ReadCloser, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, k.folder+path, nil)
	if err != nil {
		return nil, err
	}
	r.Header = k.header.Clone()
	a, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, err
	}
	switch a.StatusCode {
	case http.StatusOK:
		return a.Body, nil
	case http.StatusNotFound:
		a.Body.Close()
		return nil, downloads.ErrNotKept
	}
	a.Body.Close()
	return nil, fmt.Errorf("the hub does not give its downloads: %s", a.Status)
}
