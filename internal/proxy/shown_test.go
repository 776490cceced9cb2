package proxy

import (
	"bytes"
	"compress/gzip"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"
	"golang.org/x/text/encoding/unicode"
)

// packedAs is a text with content codings applied, in the order of a Content-Encoding.
func packedAs(t *testing.T, codings, text string) string {
	t.Helper()
	for coding := range strings.SplitSeq(codings, ",") {
		var b bytes.Buffer
		var w io.WriteCloser
		switch strings.TrimSpace(coding) {
		case "gzip", "x-gzip", "GZIP":
			w = gzip.NewWriter(&b)
		case "br":
			w = brotli.NewWriter(&b)
		case "deflate":
			w = zlib.NewWriter(&b)
		case "zstd":
			w, _ = zstd.NewWriter(&b)
		case "raw deflate":
			w, _ = flate.NewWriter(&b, 6)
		default:
			continue
		}
		io.WriteString(w, text)
		w.Close()
		text = b.String()
	}
	return text
}

// TestR362Encodings walks the content codings that browsers read: a document has the agent,
// a script is read, and what has no change keeps its bytes.
func TestR362Encodings(t *testing.T) {
	for _, coding := range []string{"", "identity", "gzip", "x-gzip", "GZIP", "br", "deflate", "raw deflate", "zstd", "gzip, br", "br,gzip", "zstd, identity, deflate", "unknown", "gzip, unknown"} {
		name := strings.TrimPrefix(coding, "raw ")
		unknown := strings.Contains(coding, "unknown")
		for _, dest := range []string{"iframe", "script"} {
			text, want := page, ""
			if dest == "script" {
				text = "top.location"
			}
			sent := packedAs(t, coding, text)
			own, _ := serve(t, answer(200, sent, "Content-Type: "+map[string]string{"iframe": forHTML, "script": "text/javascript"}[dest], "Content-Encoding: "+name), nil)
			if want = tagged(own); dest == "script" {
				want = "new function"
			}
			res, body := ask(t, "GET", own+"/", "Sec-Fetch-Dest: "+dest)
			switch {
			case unknown && dest == "iframe" && coding != "unknown":
				want = tagOf(own) + sent // browsers show the bytes
			case unknown && dest == "script":
				continue
			}
			if !strings.HasPrefix(body, want) || res.Header.Get("Content-Encoding") != "" {
				t.Errorf("%s of %s: got %q, %v, want %q", dest, coding, body, res.Header, want)
			}
		}
		sent := packedAs(t, coding, "let a = 1")
		own, _ := serve(t, answer(200, sent, "Content-Type: text/javascript", "Content-Encoding: "+name, `ETag: "1"`), nil)
		if res, body := ask(t, "GET", own+"/", "Sec-Fetch-Dest: script"); body != sent || res.Header.Get("ETag") == "" || res.Header.Get("Content-Encoding") != name {
			t.Errorf("of %s, a script with nothing to change: %q, %v", coding, body, res.Header)
		}
	}
}

// withoutResponse matches what the tag says of the response.
var withoutResponse = regexp.MustCompile(` data-response="[^"]*"`)

// TestR362Documents walks what a document may begin with: doctypes, declarations of its
// encoding and of its type, and bytes in front of them.
func TestR362Documents(t *testing.T) {
	const xhtml, svg = `<html xmlns="http://www.w3.org/1999/xhtml">`, `<s:svg xmlns:s="http://www.w3.org/2000/svg">`
	const subset = `<!DOCTYPE html PUBLIC "a" "b" [ <!ENTITY a "<b>]>"> <!-- ]> ' --> <!ENTITY c 'x'> ]>`
	pad := "<p>" + strings.Repeat("x", 800)
	for name, tt := range map[string]struct{ contentType, before, after, charset string }{
		"a long comment":              {"text/html", "<!--" + strings.Repeat("x", 70<<10) + "--><!doctype html><head>", "<p>", ""},
		"xhtml with a subset":         {"application/xhtml+xml", "<?xml version='1.0' encoding='ISO-8859-1'?>\n" + subset + "<!-- \xe4 --><?a b?>" + xhtml, "<head/><body/></html>", ""},
		"xhtml as xml":                {"text/xml; charset=utf-8", "\xef\xbb\xbf" + xhtml, "</html>", "utf-8"},
		"svg":                         {"image/svg+xml", subset + svg, "</s:svg>", ""},
		"xml that is shown as a tree": {"application/xml", "", "<a><b/></a>", ""},
		"an empty root":               {"application/xhtml+xml", "", `<html xmlns="http://www.w3.org/1999/xhtml"/>`, ""},
		"not xml":                     {"application/xhtml+xml", "", "<html", ""},
		"a late meta":                 {"text/html", "", pad + "<meta charset=shift_jis>", "shift_jis"},
		"http-equiv":                  {"text/html", "", pad + "<meta http-equiv=Content-Type content='text/html; charset=\"KOI8-R\"'>", "koi8-r"},
		"a meta of UTF-16":            {"text/html", "", "<meta charset=utf-16>", "utf-8"},
		"header before meta":          {"text/html; charset=windows-1251", "", "<meta charset=utf-8>", "windows-1251"},
		"mark before header":          {"text/html; charset=windows-1251", "\xef\xbb\xbf", "<p>", "windows-1251"},
		"sniffed":                     {"", "<!DOCTYPE html><html>", "<p>", ""},
	} {
		own, _ := serve(t, answer(200, tt.before+tt.after, "Content-Type: "+tt.contentType), nil)
		res, body := ask(t, "GET", own+"/", "Sec-Fetch-Dest: iframe", "Sec-Fetch-Mode: navigate")
		want := tagOf(own)
		switch {
		case strings.HasPrefix(tt.after, "<a>"), strings.HasPrefix(tt.after, "<html"):
			want = ""
		case strings.Contains(tt.contentType, "xml"):
			want = strings.Replace(want, " ", ` xmlns="http://www.w3.org/1999/xhtml" `, 1)
		}
		if body = withoutResponse.ReplaceAllString(body, ""); body != tt.before+want+tt.after {
			t.Errorf("%s: got %.300q, want %q", name, body, tt.before+want+tt.after)
		}
		if _, charset, _ := strings.Cut(res.Header.Get("Content-Type"), "charset="); charset != tt.charset {
			t.Errorf("%s: Content-Type %s", name, res.Header.Get("Content-Type"))
		}
	}
}

// TestR362UTF16 reads documents and texts in UTF-16, by mark and by header.
func TestR362UTF16(t *testing.T) {
	little, big := unicode.LittleEndian, unicode.BigEndian
	for name, tt := range map[string]struct {
		contentType, mark string
		order             unicode.Endianness
	}{
		"mark":            {"text/html", "\xff\xfe", little},
		"big mark":        {"text/html; charset=utf-8", "\xfe\xff", big},
		"header":          {"text/html; charset=UTF-16", "", little},
		"big header":      {"text/html; charset=utf-16be", "", big},
		"plain text":      {"text/plain; charset=utf-16le", "\xff\xfe", little},
		"text and a mark": {"text/plain", "\xfe\xff", big},
	} {
		format := unicode.UTF16(tt.order, unicode.IgnoreBOM)
		sent, _ := format.NewEncoder().String("<p>\u00e4\U0001f600</p>")
		own, _ := serve(t, answer(200, tt.mark+sent, "Content-Type: "+tt.contentType), nil)
		_, body := ask(t, "GET", own+"/", "Sec-Fetch-Dest: iframe", "Sec-Fetch-Mode: navigate")
		rest, marked := strings.CutPrefix(body, tt.mark)
		text, err := format.NewDecoder().String(rest)
		want := "<p>\u00e4\U0001f600</p>"
		if strings.HasPrefix(tt.contentType, "text/plain") {
			want = "&lt;p&gt;\u00e4\U0001f600&lt;/p&gt;"
		}
		if !marked || err != nil || !strings.Contains(text, want) || !strings.Contains(text, "agent.js") {
			t.Errorf("%s: got %q", name, text)
		}
	}
	if !slices.Equal(codingsOf(map[string][]string{"Content-Encoding": {"gzip", "br, identity"}}), []string{"gzip", "br"}) {
		t.Error("two headers are not read as one")
	}
}
