package proxy

import (
	"bytes"
	"io"
	"strings"

	"golang.org/x/net/html"

	"github.com/cdphub/cdphub/internal/proxy/rewrite"
)

// maxScan is how much of the head is read for policies, in bytes, once the tag is in.
// Before it there are comments and the doctype only, which may be long.
const (
	maxScan   = 64 << 10
	maxBefore = 16 << 20
)

// injector reads a document with a script tag put first into its head: after
// <head>, else after <html>, else after the doctype. These are the places where
// a parser that meets anything else begins the head by itself (HTML standard,
// sections 13.2.6.4.1 to 13.2.6.4.3). Bytes are passed on as soon as it is known
// what becomes of them, so that a document that streams keeps streaming.
type injector struct {
	src     io.ReadCloser
	tag     []byte
	dropCSP bool // also remove policies in meta tags from the head

	in       []byte // read from src, and not judged
	ahead    int    // bytes at the start of in that were passed on already
	scanned  int    // bytes at the start of in that have no whole token
	out      []byte // passed on, and not yet returned by Read
	judged   int    // bytes of the document
	inserted bool
	hasHTML  bool   // the tag <html> was judged
	raw      string // the element whose text the next byte is part of
	element  string // the element of the head whose content is passed on as it is
	depth    int    // how often it is open: templates may nest
	done     bool   // the rest is passed on as it is
	err      error  // of src
}

func (j *injector) Close() error { return j.src.Close() }

// Read implements io.Reader. It returns what was judged, or once the head is done,
// what src gives, without a copy.
func (j *injector) Read(p []byte) (int, error) {
	for len(j.out) == 0 {
		if j.done && len(j.in) == 0 {
			if j.err != nil {
				return 0, j.err
			}
			return j.src.Read(p)
		}
		if j.err == nil {
			j.fill(len(p))
		}
		j.judge()
	}
	n := copy(p, j.out)
	j.out = j.out[n:]
	return n, nil
}

// fill reads once. A second read could wait, and hold back bytes that are known
// already.
func (j *injector) fill(room int) {
	chunk := make([]byte, min(max(room, 512), maxScan))
	n, err := j.src.Read(chunk)
	j.in = append(j.in, chunk[:n]...)
	j.err = err
}

// judge moves the bytes whose fate is known from in to out.
func (j *injector) judge() {
	inserted := j.inserted
	if !j.done {
		part, last := j.part()
		if last || j.mayProgress(part) {
			if j.scan(part); j.inserted && !inserted {
				part, last = j.part()
				j.scan(part)
			}
		}
		switch {
		case j.done:
		case last:
			j.finish()
		default:
			j.passAhead()
		}
	}
	if j.done {
		j.out = append(j.out, j.in[j.ahead:]...)
		j.in, j.ahead = nil, 0
	}
}

// part is what may be judged of what has come, and whether no more can be. What lies beyond
// the limit must not count, or the outcome would depend on how the document was cut into
// chunks.
func (j *injector) part() (part []byte, last bool) {
	left := maxBefore - j.judged
	if j.inserted {
		left = maxScan - j.judged
	}
	part = j.in[:min(len(j.in), left)]
	return part, j.err != nil || len(part) == left
}

// scan judges the whole tokens of a part. A token that is cut off at the end stays in
// in.
func (j *injector) scan(part []byte) {
	if j.judged == 0 && !j.inserted {
		mark, known := byteOrderMark(part)
		switch {
		case !known:
			return
		case mark < 0: // UTF-16: nothing here is as it looks
			j.done = true
			return
		}
		j.pass(mark)
		part = part[mark:]
	}
	s := newScanner(part, j.raw)
	inserted := j.inserted
	for more := true; more && !j.done && j.inserted == inserted; { // with the tag comes another limit
		more = j.step(s.next())
	}
	rest, _ := j.part()
	j.scanned = len(rest)
}

// mayProgress reports whether a part may have a whole token since it was last
// scanned. Except for the first bytes, which may be text, a token ends with >. So
// a document that comes byte by byte is not scanned from the token's start for
// each. A comment ends with more than that.
func (j *injector) mayProgress(part []byte) bool {
	const undecided = len("</")
	if j.scanned <= undecided+1 {
		return true
	}
	if !j.inserted && bytes.HasPrefix(part, []byte("<!--")) {
		come := part[j.scanned-3:]
		j.scanned = len(part)
		return bytes.Contains(come, []byte("-->")) || bytes.Contains(come, []byte("--!>"))
	}
	if bytes.IndexByte(part[j.scanned:], '>') < 0 {
		j.scanned = len(part)
		return false
	}
	return true
}

// passAhead passes on what has come of an element of the head: whatever its end
// may be, all of it is.
func (j *injector) passAhead() {
	if j.element == "" {
		return
	}
	part, _ := j.part()
	j.out = append(j.out, j.in[j.ahead:len(part)]...)
	j.ahead = len(part)
}

// byteOrderMark returns the length of a document's byte order mark, -1 for
// that of UTF-16, and whether this can be known yet.
func byteOrderMark(b []byte) (n int, known bool) {
	known = len(b) > 0
	for _, mark := range []string{"\xef\xbb\xbf", "\xfe\xff", "\xff\xfe"} {
		switch {
		case bytes.HasPrefix(b, []byte(mark)) && len(mark) == 2:
			return -1, true
		case bytes.HasPrefix(b, []byte(mark)):
			return len(mark), true
		case strings.HasPrefix(mark, string(b)):
			known = false
		}
	}
	return 0, known
}

// step judges one token. It reports false when more of the document must come
// first.
func (j *injector) step(t token) bool {
	switch {
	case t.kind == html.ErrorToken:
		return false
	case j.element != "":
		return j.content(t)
	case t.kind == html.TextToken:
		return j.text(t)
	case !t.whole:
		return false
	case t.kind == html.CommentToken || t.kind == html.DoctypeToken:
		j.pass(t.size)
		return true
	}
	if !j.inserted {
		if j.root(t) {
			return true
		}
	}
	if !j.done {
		j.head(t)
	}
	return true
}

// content passes on a token within an element of the head.
func (j *injector) content(t token) bool {
	if !t.whole {
		return false
	}
	j.pass(t.size)
	switch t.kind {
	case html.StartTagToken:
		j.enter(t)
	case html.EndTagToken:
		j.raw = ""
		if t.name == j.element {
			if j.depth--; j.depth == 0 {
				j.element = ""
			}
		}
	}
	return true
}

// enter records that an element begins within the head.
func (j *injector) enter(t token) {
	if rewrite.IsRaw(t.name) {
		j.raw = t.name
	}
	if t.name == j.element {
		j.depth++
	}
}

// text judges a text between tags: white space belongs to what is around it,
// anything else begins the body.
func (j *injector) text(t token) bool {
	rest := string(j.in[t.space:min(t.size, t.space+len("</x"))])
	j.pass(t.space)
	switch {
	case !t.whole && (rest == "" || rest == "<" || rest == "</"):
		return false // these may be the first bytes of a tag
	case rest != "":
		j.finish()
	}
	return true
}

// root judges a tag before the head, and reports whether it stays before it.
func (j *injector) root(t token) bool {
	switch {
	case t.kind == html.StartTagToken && t.name == "html" && !j.hasHTML:
		j.hasHTML = true
		j.pass(t.size)
		return true
	case t.kind == html.StartTagToken && t.name == "head":
		j.pass(t.size)
		j.insert()
		return true
	}
	j.insert()
	return false
}

// head judges a tag within the head. One that is not for the head ends it.
func (j *injector) head(t token) {
	if t.csp {
		j.skip(t.size)
		return
	}
	if t.kind != html.StartTagToken {
		j.done = true
		return
	}
	switch t.name {
	case "html", "base", "basefont", "bgsound", "link", "meta":
	case "script", "style", "title", "noscript", "noframes", "template":
		j.element = t.name
		j.enter(t)
	default:
		j.done = true
		return
	}
	j.pass(t.size)
}

// finish has the rest of the document passed on as it is. The tag comes even into an
// empty document, so that each document has an agent.
func (j *injector) finish() {
	if !j.inserted {
		j.insert()
	}
	j.done = true
}

func (j *injector) insert() {
	j.out = append(j.out, j.tag...)
	j.inserted, j.judged = true, 0
	j.done = !j.dropCSP
}

// pass passes on the next n bytes.
func (j *injector) pass(n int) {
	if n > j.ahead {
		j.out = append(j.out, j.in[j.ahead:n]...)
	}
	j.skip(n)
}

func (j *injector) skip(n int) {
	j.in = j.in[n:]
	j.ahead = max(0, j.ahead-n)
	j.judged += n
}
