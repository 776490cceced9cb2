package proxy

import (
	"bytes"
	"io"
	"strings"
)

// scanned is how far into a document its head is looked for.
const scanned = 64 << 10

// injector reads a document with a script tag put first into its head, where
// the document's own parser would find the head to begin: after <head>, else
// after <html>, else after the doctype. What has been judged is handed out at
// once, so that a document that streams keeps streaming.
type injector struct {
	src     io.ReadCloser
	tag     []byte
	dropCSP bool // also take policies in meta tags out of the head

	in       []byte // read but not judged
	out      []byte // judged but not handed out
	seen     int    // bytes judged
	inserted bool
	element  string // the element whose text is being passed, such as script
	hasHTML  bool   // the tag <html> is judged
	through  bool   // the rest passes as it is
	err      error  // of src
}

func (j *injector) Close() error { return j.src.Close() }

// Read implements io.Reader.
func (j *injector) Read(p []byte) (int, error) {
	for len(j.out) == 0 {
		if j.through && len(j.in) == 0 {
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

// fill reads once.
func (j *injector) fill(room int) {
	chunk := make([]byte, min(max(room, 512), scanned))
	n, err := j.src.Read(chunk)
	j.in = append(j.in, chunk[:n]...)
	j.err = err
}

// judge moves what can be judged from in to out.
func (j *injector) judge() {
	for !j.through {
		// What lies beyond the limit must not count, or the outcome would
		// depend on how the document was cut into chunks.
		left := scanned - j.seen
		window := j.in[:min(len(j.in), left)]
		last := j.err != nil || len(window) == left
		if len(window) == 0 && !last {
			return
		}
		if len(window) == 0 || !j.step(window) {
			if last {
				j.finish()
			}
			break
		}
	}
	if j.through {
		j.out = append(j.out, j.in...)
		j.in = nil
	}
}

// step judges one token, or reports that it is incomplete.
func (j *injector) step(window []byte) bool {
	if j.seen == 0 {
		if pass, known := byteOrderMark(window); !known {
			return false
		} else if pass < 0 {
			j.through = true // UTF-16: nothing here is as it looks
			return true
		} else if pass > 0 {
			j.pass(pass)
			return true
		}
	}
	if j.element != "" {
		return j.passText(window)
	}
	t, complete := next(window)
	switch {
	case !complete:
		return false
	case t.kind == space || t.kind == comment:
		j.pass(len(t.raw))
	case !j.inserted:
		j.root(t)
	default:
		j.head(t)
	}
	return true
}

// byteOrderMark returns the length of a document's byte order mark, -1 for
// that of UTF-16, and whether this can be known yet.
func byteOrderMark(b []byte) (n int, known bool) {
	known = true
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

// root judges a token before the head.
func (j *injector) root(t token) {
	switch {
	case t.kind == startTag && t.name == "html" && !j.hasHTML:
		j.hasHTML = true
		j.pass(len(t.raw))
	case t.kind == startTag && t.name == "head":
		j.pass(len(t.raw))
		j.insert()
	default:
		j.insert() // the token is judged again, within the head
	}
}

// head judges a token within the head: its first other token ends it.
func (j *injector) head(t token) {
	switch {
	case t.kind == startTag && t.name == "meta" && declaresCSP(t):
		j.skip(len(t.raw))
		return
	case t.kind != startTag:
		j.through = true
		return
	}
	switch t.name {
	case "html", "base", "basefont", "bgsound", "link", "meta":
	case "script", "style", "title", "noscript", "noframes", "template":
		j.element = t.name
	default:
		j.through = true
		return
	}
	j.pass(len(t.raw))
}

// passText passes the text of an element and its end tag.
func (j *injector) passText(window []byte) bool {
	end, found := rawEnd(window, j.element)
	if !found {
		if keep := len("</") + len(j.element); len(window) > keep {
			j.pass(len(window) - keep)
		}
		return false
	}
	t, complete := next(window[end:])
	if !complete {
		j.pass(end)
		return false
	}
	j.pass(end + len(t.raw))
	j.element = ""
	return true
}

// finish lets the rest pass.
func (j *injector) finish() {
	if !j.inserted {
		j.insert()
	}
	j.through = true
}

func (j *injector) insert() {
	j.out = append(j.out, j.tag...)
	j.inserted = true
	j.through = !j.dropCSP
}

func (j *injector) pass(n int) {
	j.out = append(j.out, j.in[:n]...)
	j.skip(n)
}

func (j *injector) skip(n int) {
	j.in = j.in[n:]
	j.seen += n
}
