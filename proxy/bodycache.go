package proxy

import (
	"bytes"
	"container/list"
	"crypto/rand"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"
)

const (
	// bodyPath is where documents of the app's origin fetch the text that the
	// upstream sent for them.
	bodyPath = "/body/"
	// maxBody bounds one text that is kept, maxBodies all of them.
	maxBody   = 4 << 20
	maxBodies = 20 << 20
	// bodyWait bounds how long a text is waited for that is still coming.
	bodyWait = 10 * time.Second
)

// bodies keeps the texts of the last documents.
type bodies struct {
	mu    sync.Mutex
	byKey map[string]*keptBody
	order list.List // of keys, the oldest first
	size  int
}

// keptBody collects what is read from a document's body.
type keptBody struct {
	io.ReadCloser
	all         *bodies
	contentType string
	text        bytes.Buffer
	ended       chan struct{} // closed at its end
	once        sync.Once
	void        bool // too long, or cut off
}

// keep returns a body that is kept as it is read, and its key.
func (b *bodies) keep(body io.ReadCloser, contentType string) (io.ReadCloser, string) {
	key, k := rand.Text(), &keptBody{ReadCloser: body, all: b, contentType: contentType, ended: make(chan struct{})}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.byKey[key] = k
	b.order.PushBack(key)
	return k, key
}

// Read implements io.Reader.
func (k *keptBody) Read(p []byte) (int, error) {
	n, err := k.ReadCloser.Read(p)
	k.all.grow(k, p[:n])
	if err != nil {
		k.end(err == io.EOF)
	}
	return n, err
}

// Close implements io.Closer.
func (k *keptBody) Close() error {
	k.end(false)
	return k.ReadCloser.Close()
}

func (k *keptBody) end(whole bool) {
	k.once.Do(func() {
		k.all.mu.Lock()
		k.void = k.void || !whole
		k.all.mu.Unlock()
		close(k.ended)
	})
}

// grow adds to a text, and drops the oldest ones where there is too much.
func (b *bodies) grow(k *keptBody, part []byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if k.void {
		return
	}
	if k.text.Len()+len(part) > maxBody {
		b.size -= k.text.Len()
		k.text, k.void = bytes.Buffer{}, true
		return
	}
	k.text.Write(part)
	for b.size += len(part); b.size > maxBodies || b.order.Len() > maxChains; {
		key, _ := b.order.Remove(b.order.Front()).(string)
		oldest := b.byKey[key]
		delete(b.byKey, key)
		b.size -= oldest.text.Len()
		oldest.text, oldest.void = bytes.Buffer{}, true
	}
}

// ServeHTTP hands out a text to the origin that it belongs to: nobody else
// knows its key.
func (b *bodies) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if site := r.Header.Get("Sec-Fetch-Site"); site != "" && site != "same-origin" {
		http.NotFound(w, r)
		return
	}
	b.mu.Lock()
	k := b.byKey[strings.TrimPrefix(r.URL.Path, strings.TrimSuffix(prefix, "/")+bodyPath)]
	b.mu.Unlock()
	if k == nil {
		http.NotFound(w, r)
		return
	}
	select {
	case <-k.ended:
	case <-time.After(bodyWait):
	case <-r.Context().Done():
	}
	b.mu.Lock()
	text, void := bytes.Clone(k.text.Bytes()), k.void
	b.mu.Unlock()
	if void {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	if strings.HasPrefix(k.contentType, "image/") { // an img element may show nothing else
		w.Header().Set("Content-Type", k.contentType)
	}
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Cache-Control", "no-store")
	w.Write(text) //nolint:errcheck // the browser has gone
}
