package proxy

import (
	"bytes"
	"io"
	"mime"
	"net/http"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"github.com/cdphub/cdphub/internal/proxy/rewrite"
)

// endianOf says in which order a document in UTF-16 has its bytes, and how long its byte
// order mark is, which wins over the Content-Type (WHATWG Encoding, section 6).
func endianOf(res *http.Response) (order unicode.Endianness, mark int, is bool) {
	start := peekBody(res)
	switch {
	case bytes.HasPrefix(start, []byte("\xff\xfe")):
		return unicode.LittleEndian, 2, true
	case bytes.HasPrefix(start, []byte("\xfe\xff")):
		return unicode.BigEndian, 2, true
	case bytes.HasPrefix(start, []byte("\xef\xbb\xbf")):
		return unicode.LittleEndian, 0, false
	}
	switch charsetOf(res) {
	case "utf-16", "utf-16le", "unicode", "ucs-2", "iso-10646-ucs-2", "csunicode", "unicodefeff":
		return unicode.LittleEndian, 0, true
	case "utf-16be", "unicodefffe":
		return unicode.BigEndian, 0, true
	}
	return unicode.LittleEndian, 0, false
}

func charsetOf(res *http.Response) string {
	_, params, err := mime.ParseMediaType(res.Header.Get("Content-Type"))
	if err != nil {
		return ""
	}
	return strings.ToLower(strings.TrimSpace(params["charset"]))
}

// decodeUTF16 returns the body of a document in UTF-16 as UTF-8, the bytes that stood
// before it, and what makes UTF-16 of it again. Other documents, whose tags are of single
// bytes, stay as they are.
func decodeUTF16(res *http.Response) (body io.Reader, before []byte, after func(io.Reader) io.Reader) {
	order, mark, is := endianOf(res)
	if !is {
		return res.Body, nil, func(r io.Reader) io.Reader { return r }
	}
	before = bytes.Clone(peekBody(res)[:mark])
	io.CopyN(io.Discard, res.Body, int64(mark)) //nolint:errcheck // it was seen
	format := unicode.UTF16(order, unicode.IgnoreBOM)
	return transform.NewReader(res.Body, format.NewDecoder()), before, func(r io.Reader) io.Reader {
		return transform.NewReader(r, format.NewEncoder())
	}
}

// declareCharset says in the Content-Type which encoding a document names in a meta element
// among its first 1024 bytes, where browsers look for it (HTML Standard, "prescan a byte
// stream"): with the agent's tag before it, it may be further away.
func declareCharset(res *http.Response) {
	start := peekBody(res)
	if charsetOf(res) != "" || bytes.HasPrefix(start, []byte("\xef\xbb\xbf")) || bytes.HasPrefix(start, []byte("\xff\xfe")) || bytes.HasPrefix(start, []byte("\xfe\xff")) {
		return
	}
	switch name := metaCharset(start); {
	case name == "":
	case strings.HasPrefix(name, "utf-16"):
		res.Header.Set("Content-Type", "text/html; charset=utf-8")
	case !strings.ContainsAny(name, " \"';,\t\n"):
		res.Header.Set("Content-Type", "text/html; charset="+name)
	}
}

// metaCharset is the encoding that the first meta element names which names one.
func metaCharset(start []byte) string {
	z := rewrite.NewTokenizer(start, "")
	for {
		kind := z.Next()
		if kind == html.ErrorToken || !z.Whole() {
			return ""
		}
		if kind != html.StartTagToken && kind != html.SelfClosingTagToken {
			continue
		}
		t := z.Token()
		attr := map[string]string{}
		for _, a := range t.Attr {
			attr[a.Key] = strings.ToLower(strings.TrimSpace(a.Val))
		}
		if t.Data != "meta" {
			continue
		}
		if attr["charset"] != "" {
			return attr["charset"]
		}
		if attr["http-equiv"] == "content-type" {
			if _, name, has := strings.Cut(attr["content"], "charset="); has {
				name, _, _ = strings.Cut(name, ";")
				return strings.Trim(name, "\"' ")
			}
		}
	}
}
