package actions

import (
	"cmp"
	"context"
	"io"
	"slices"

	"github.com/cdphub/cdphub/internal/downloads"
)

// KeptDownload is a file that the hub keeps for a caller.
type KeptDownload = downloads.Kept

// Downloads are the files that a hub keeps for a caller.
type Downloads interface {
	// List lists them, the newest last.
	List(ctx context.Context) ([]KeptDownload, error)
	// Open opens one. The error is downloads.ErrNotKept for an id of none.
	Open(ctx context.Context, id string) (io.ReadCloser, KeptDownload, error)
}

// Download is a file that a page has the browser save.
type Download struct {
	ID        string
	URL       string // redacted
	Suggested string // file name
	State     string // "started", "completed", "canceled"

	Reason string       // why there is no file, of one that is canceled; "" where that is not known
	Kept   KeptDownload // of one that is completed, and that the hub keeps
}

// askForDownloads has the hub keep what pages of a browser context download; "" is the default one. A
// plain browser refuses that, since the command names no folder. The function that it returns waits for
// the answer.
func (b *Browser) askForDownloads(contextID string) (wait func(context.Context)) {
	if b.reads {
		return func(context.Context) {}
	}
	params := obj{"behavior": "allowAndName", "eventsEnabled": true}
	if contextID != "" {
		params["browserContextId"] = contextID
	}
	answer := b.client.Send("", "Browser.setDownloadBehavior", mustJSON(params))
	return func(ctx context.Context) {
		_, err := answer(ctx)
		b.mu.Lock()
		defer b.mu.Unlock()
		b.keeps = b.keeps || err == nil
	}
}

// downloadWillBegin takes Page.downloadWillBegin. The suggested name may come from the
// page, and so hold a secret.
func (p *Page) downloadWillBegin(_ string, e struct{ GUID, URL, SuggestedFilename string }) {
	d := Download{ID: e.GUID, URL: e.URL, Suggested: e.SuggestedFilename, State: "started"}
	p.mu.Lock()
	p.begun = Download{ID: d.ID, URL: downloads.CutURL(d.URL), Suggested: cutText(d.Suggested, longestWord)}
	p.mu.Unlock()
	p.emitDownload(d)
}

// downloadProgress takes Page.downloadProgress, and drops all but the last. From a hub the last is
// dropped, too: CdpHub.downloadFinished says more.
func (p *Page) downloadProgress(_ string, e struct{ GUID, State string }) {
	p.b.mu.Lock()
	kept := p.b.keeps
	p.b.mu.Unlock()
	if e.State == "inProgress" || kept {
		return
	}
	p.mu.Lock()
	d := p.begun
	p.mu.Unlock()
	if d.ID != e.GUID {
		d = Download{ID: e.GUID}
	}
	d.State = e.State
	p.emitDownload(d)
}

// downloadFinished takes CdpHub.downloadFinished, of a page or of what is in one.
func (b *Browser) downloadFinished(e struct {
	State, Reason string
	KeptDownload
},
) {
	d := Download{ID: e.GUID, URL: e.URL, Suggested: e.Name, State: e.State, Reason: e.Reason}
	if e.State == "completed" {
		d.Kept = e.KeptDownload
	}
	if p := b.pageWith(e.TargetID); p != nil {
		p.emitDownload(d)
	}
}

// pageWith finds the page that is a target, or that has it as a frame.
func (b *Browser) pageWith(targetID string) *Page {
	b.mu.Lock()
	page, pages := b.pageOf(targetID), slices.Clone(b.pages)
	b.mu.Unlock()
	if page != nil {
		return page
	}
	for _, p := range pages {
		p.mu.Lock()
		_, has := p.frames.sessions[targetID]
		p.mu.Unlock()
		if has {
			return p
		}
	}
	return nil
}

func (p *Page) emitDownload(d Download) {
	d.ID, d.State, d.URL = cutText(d.ID, longestWord), cutText(d.State, longestWord), p.redactURL(d.URL)
	d.Suggested = p.redact(cutText(d.Suggested, longestWord))
	if d.Kept.ID != "" {
		d.Kept.Name, d.Kept.URL = cmp.Or(d.Suggested, d.Kept.ID), d.URL
	}
	p.b.emit(Event{Kind: DownloadEvents, Page: p, Body: d})
}
