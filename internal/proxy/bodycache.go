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
	// bodyPath is below prefix. The agent fetches the body of its document there,
	// as the upstream has sent it.
	bodyPath = "/body/"
	// maxBody and maxBodies limit one body and all bodies of the cache, in bytes.
	maxBody   = 4 << 20
	maxBodies = 20 << 20
	// bodyTimeout is how long a request waits for a body that is not complete.
	bodyTimeout = 10 * time.Second
)

// bodyCache keeps the bodies of the last responses for the agents: a page script
// cannot read the body of its own document. mu guards all members, and text and
// discarded of each body.
type bodyCache struct {
	mu    sync.Mutex `stays:"a cache, bounded in bytes"`
	byKey map[string]*cachedBody
	order list.List // keys, the oldest first
	size  int
}

// cachedBody is a response body that is copied into the cache as the browser's
// response is read from it. It needs no second request.
type cachedBody struct {
	io.ReadCloser
	cache       *bodyCache
	contentType string
	text        bytes.Buffer
	ended       chan struct{} // closed at the end of the body
	once        sync.Once
	discarded   bool // too long, cut off, or evicted
}

// add returns a body that is copied as it is read, and its key: at least 128 random
// bits, which only the agent gets.
func (b *bodyCache) add(body io.ReadCloser, contentType string) (io.ReadCloser, string) {
	key, k := rand.Text(), &cachedBody{ReadCloser: body, cache: b, contentType: contentType, ended: make(chan struct{})}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.byKey[key] = k
	b.order.PushBack(key)
	return k, key
}

// Read implements io.Reader.
func (k *cachedBody) Read(p []byte) (int, error) {
	n, err := k.ReadCloser.Read(p)
	k.cache.grow(k, p[:n])
	if err != nil {
		k.end(err == io.EOF)
	}
	return n, err
}

// Close implements io.Closer.
func (k *cachedBody) Close() error {
	k.end(false)
	return k.ReadCloser.Close()
}

// end marks the body as complete, or as void when it was cut off. A part of a body
// would pass for the whole.
func (k *cachedBody) end(whole bool) {
	k.once.Do(func() {
		k.cache.mu.Lock()
		k.discarded = k.discarded || !whole
		k.cache.mu.Unlock()
		close(k.ended)
	})
}

// grow appends to a body, and evicts the oldest bodies when the cache is full. A body
// of more than maxBody is not kept at all.
func (b *bodyCache) grow(k *cachedBody, part []byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if k.discarded {
		return
	}
	if k.text.Len()+len(part) > maxBody {
		b.size -= k.text.Len()
		k.text, k.discarded = bytes.Buffer{}, true
		return
	}
	k.text.Write(part)
	for b.size += len(part); b.size > maxBodies || b.order.Len() > maxChains; {
		key, _ := b.order.Remove(b.order.Front()).(string)
		oldest := b.byKey[key]
		delete(b.byKey, key)
		b.size -= oldest.text.Len()
		oldest.text, oldest.discarded = bytes.Buffer{}, true
	}
}

// ServeHTTP serves a body to its own origin. Others do not know its key. It waits for
// a body that is still being read.
func (b *bodyCache) ServeHTTP(w http.ResponseWriter, r *http.Request) {
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
	// After the time-out the part that came is answered: a stream may never end.
	select {
	case <-k.ended:
	case <-time.After(bodyTimeout):
	case <-r.Context().Done():
	}
	b.mu.Lock()
	text, void := bytes.Clone(k.text.Bytes()), k.discarded
	b.mu.Unlock()
	if void {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	if strings.HasPrefix(k.contentType, "image/") { // an img element may show nothing else
		w.Header().Set("Content-Type", k.contentType)
	}
	// Without it, a browser could run the bytes as what they look like.
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Cache-Control", "no-store")
	w.Write(text) //nolint:errcheck // the browser may have gone
}
