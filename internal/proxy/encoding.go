package proxy

import (
	"bufio"
	"compress/gzip"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"
)

// decoders make readers of what a content coding has packed (IANA, HTTP Content Coding
// Registry). They read a first part of it at once.
var decoders = map[string]func(*bufio.Reader) (io.Reader, error){
	"gzip":    func(r *bufio.Reader) (io.Reader, error) { return gzip.NewReader(r) },
	"x-gzip":  func(r *bufio.Reader) (io.Reader, error) { return gzip.NewReader(r) },
	"br":      func(r *bufio.Reader) (io.Reader, error) { return brotli.NewReader(r), nil },
	"deflate": readDeflate,
	"zstd": func(r *bufio.Reader) (io.Reader, error) {
		d, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			return nil, err
		}
		return d.IOReadCloser(), nil
	},
}

// maxWindow is the largest window of zstd that browsers take, in bytes (RFC 9659).
const maxWindow = 8 << 20

// readDeflate reads "deflate", which servers send with the header of zlib, as RFC 9110 has it,
// and without. Browsers read both.
func readDeflate(r *bufio.Reader) (io.Reader, error) {
	head, err := r.Peek(2)
	if err == nil && head[0]&0x0f == 8 && (int(head[0])<<8|int(head[1]))%31 == 0 {
		return zlib.NewReader(r)
	}
	return flate.NewReader(r), nil
}

// acceptedCodings are those of the content codings in an Accept-Encoding that the proxy can read, too.
func acceptedCodings(header []string) string {
	var list []string
	for member := range strings.SplitSeq(strings.Join(header, ","), ",") {
		name, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(member)), ";")
		if decoders[strings.TrimSpace(name)] != nil {
			list = append(list, strings.TrimSpace(member))
		}
	}
	if len(list) == 0 {
		return "identity"
	}
	return strings.Join(list, ", ")
}

// codingsOf are the content codings of a response, in the order in which they were
// applied. It is nil where there is one that browsers do not know: they then show the bytes
// as they are.
func codingsOf(h http.Header) []string {
	var list []string
	for name := range strings.SplitSeq(strings.ToLower(strings.Join(h.Values("Content-Encoding"), ",")), ",") {
		name = strings.TrimSpace(name)
		if name == "" || name == "identity" {
			continue
		}
		if decoders[name] == nil {
			return nil
		}
		list = append(list, name)
	}
	return list
}

// unpackBody makes the body of a response what was packed, and removes the headers that
// described the packed bytes.
func unpackBody(res *http.Response) {
	if len(res.Header["Content-Encoding"]) == 0 {
		return
	}
	for _, coding := range slices.Backward(codingsOf(res.Header)) {
		res.Body = &unpacker{src: res.Body, decode: decoders[coding]}
	}
	res.Header.Del("Content-Encoding")
	res.Header.Del("Content-Length")
	res.ContentLength = -1
}

// unpacker decodes what it reads. It begins with the first Read and not before, so that a
// slow body streams. An empty body stays empty, as that of a response to HEAD.
type unpacker struct {
	src    io.ReadCloser
	decode func(*bufio.Reader) (io.Reader, error)
	out    io.Reader
	err    error
}

// Read implements io.Reader.
func (u *unpacker) Read(b []byte) (int, error) {
	if u.out == nil && u.err == nil {
		start := bufio.NewReader(u.src)
		if _, u.err = start.Peek(1); u.err == nil {
			u.out, u.err = u.decode(start)
		}
	}
	if u.err != nil {
		return 0, u.err
	}
	return u.out.Read(b)
}

// Close implements io.Closer.
func (u *unpacker) Close() error {
	if c, is := u.out.(io.Closer); is {
		c.Close()
	}
	return u.src.Close()
}
