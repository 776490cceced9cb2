package proxy

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"strings"
)

// maxProlog is how far into a document of XML its root is looked for, in bytes.
const maxProlog = 16 << 20

// xmlInjector reads a document of XML with a script tag put first into its root, if that is
// of XHTML or SVG, whose scripts run. Browsers show any other as a tree, which the tag would
// turn into plain text.
type xmlInjector struct {
	src  io.Reader
	tag  []byte
	in   []byte // read from src, and not judged
	out  []byte // judged, and not yet returned by Read
	done bool   // the rest is passed on as it is
	err  error  // of src
}

// Read implements io.Reader.
func (x *xmlInjector) Read(p []byte) (int, error) {
	for len(x.out) == 0 {
		if x.done {
			if x.err != nil {
				return 0, x.err
			}
			return x.src.Read(p)
		}
		chunk := make([]byte, 64<<10)
		n, err := x.src.Read(chunk)
		x.in, x.err = append(x.in, chunk[:n]...), err
		if err == nil && bytes.IndexByte(chunk[:n], '>') < 0 && len(x.in) < maxProlog {
			continue
		}
		at, known := rootStart(x.in)
		if !known && err == nil && len(x.in) < maxProlog {
			continue
		}
		x.done = true
		if x.out = x.in; at > 0 {
			x.out = slices.Concat(x.in[:at], x.tag, x.in[at:])
		}
		x.in = nil
	}
	n := copy(p, x.out)
	x.out = x.out[n:]
	return n, nil
}

// rootStart returns where the content of the root begins, and whether that can be known
// yet. It is 0 where there is no place for a script.
func rootStart(text []byte) (at int, known bool) {
	plain := bytes.Clone(text)
	for i, c := range plain { // an encoding that the decoder does not know
		if c >= 0x80 {
			plain[i] = '?'
		}
	}
	d := xml.NewDecoder(bytes.NewReader(plain))
	d.Strict = false
	d.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil }
	for {
		t, err := d.RawToken()
		if err != nil {
			var bad *xml.SyntaxError
			cut := errors.Is(err, io.EOF) || errors.As(err, &bad) && strings.Contains(bad.Msg, "unexpected EOF")
			return 0, !cut
		}
		root, is := t.(xml.StartElement)
		if !is {
			continue
		}
		if at = int(d.InputOffset()); runsScripts(root) && at >= 2 && text[at-2] != '/' {
			return at, true
		}
		return 0, true
	}
}

// runsScripts reports whether an element is of XHTML or of SVG.
func runsScripts(e xml.StartElement) bool {
	for _, a := range e.Attr {
		declares := a.Name.Space == "" && a.Name.Local == "xmlns" && e.Name.Space == "" || a.Name.Space == "xmlns" && a.Name.Local == e.Name.Space
		if declares {
			return a.Value == "http://www.w3.org/1999/xhtml" || a.Value == "http://www.w3.org/2000/svg"
		}
	}
	return false
}
