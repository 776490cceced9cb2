package proxy

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"time"
)

const mark = "<X>"

// injected is a document after the injector, read with a given reader.
func injected(t *testing.T, src io.Reader, dropCSP bool) string {
	t.Helper()
	out, err := io.ReadAll(&injector{src: io.NopCloser(src), tag: []byte(mark), dropCSP: dropCSP})
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func TestInjectPlace(t *testing.T) {
	long := strings.Repeat("x", maxScan)
	for name, tt := range map[string]struct{ in, want string }{
		"head":                     {"<!doctype html><html><head><title>", "<!doctype html><html><head>@@<title>"},
		"upper case, attributes":   {"<!DOCTYPE HTML>\n<HTML lang=en>\n<HEAD class='>'>a", "<!DOCTYPE HTML>\n<HTML lang=en>\n<HEAD class='>'>@@a"},
		"no head":                  {"<!doctype html><html lang=\"a>b\"><body>", "<!doctype html><html lang=\"a>b\">@@<body>"},
		"no html":                  {"<!doctype html>\n<head><title>", "<!doctype html>\n<head>@@<title>"},
		"doctype only":             {"<!doctype html><p>", "<!doctype html>@@<p>"},
		"public doctype":           {`<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0//EN" "x"><html>`, `<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0//EN" "x"><html>@@`},
		"nothing of it":            {"hello <head>", "@@hello <head>"},
		"empty":                    {"", "@@"},
		"head in a comment":        {"<!-- <head> --><html><!-- <head> --><head>", "<!-- <head> --><html><!-- <head> --><head>@@"},
		"conditional comments":     {"<!--[if !IE]><!--><html><!--<![endif]--><head>", "<!--[if !IE]><!--><html><!--<![endif]--><head>@@"},
		"shortest comments":        {"<!--><!---><head>-->", "<!--><!---><head>@@-->"},
		"comment ended by --!>":    {"<!-- --!><head>-->", "<!-- --!><head>@@-->"},
		"frameset":                 {"<html><frameset cols=1>", "<html>@@<frameset cols=1>"},
		"header is not head":       {"<header><head>", "@@<header><head>"},
		"xml declaration":          {"<?xml version='1.0'?><html xmlns='x'><head/>", "<?xml version='1.0'?><html xmlns='x'><head/>@@"},
		"byte order mark":          {"\xef\xbb\xbf<!doctype html><p>", "\xef\xbb\xbf<!doctype html>@@<p>"},
		"broken mark":              {"\xef\xbb", "@@\xef\xbb"},
		"utf-16":                   {"\xff\xfe<\x00h\x00", "\xff\xfe<\x00h\x00"},
		"cut off within a tag":     {"<html><head", "<html>@@<head"},
		"quote in a plain value":   {`<html a=b"><head>`, `<html a=b"><head>@@`},
		"value-less attributes":    {`<html a b = "c>" / d=><head e>`, `<html a b = "c>" / d=><head e>@@`},
		"second html":              {"<html><html><head>", "<html>@@<html><head>"},
		"end tag first":            {"</p><head>", "@@</p><head>"},
		"endless comment":          {"<!--" + long, "@@<!--" + long},
		"head after long comments": {"<!--" + long + ">--!><!doctype html><!--" + long + "--><head>a", "<!--" + long + ">--!><!doctype html><!--" + long + "--><head>@@a"},
		"space and a long tag":     {strings.Repeat(" ", maxScan) + "<html class=" + long + "><head>a", strings.Repeat(" ", maxScan) + "<html class=" + long + "><head>@@a"},
	} {
		want := strings.Replace(tt.want, "@@", mark, 1)
		for _, dropCSP := range []bool{false, true} {
			if got := injected(t, strings.NewReader(tt.in), dropCSP); got != want {
				t.Errorf("%s: got %.80q, want %.80q", name, got, want)
			}
			if got := injected(t, &cutReader{[]byte(tt.in), 1 + len(tt.in)/500}, dropCSP); got != want {
				t.Errorf("%s, cut: got %.80q, want %.80q", name, got, want)
			}
		}
	}
}

func TestInjectDropsMetaPolicy(t *testing.T) {
	const policy = `<meta http-equiv="Content-Security-Policy" content="script-src 'none'">`
	for name, tt := range map[string]struct{ in, want string }{
		"in the head": {"<head><title><meta></title>" + policy + "<link>", "<head>" + mark + "<title><meta></title><link>"},
		"no head":     {"<!doctype html>" + policy + policy + "<p>", "<!doctype html>" + mark + "<p>"},
		"odd spelling": {
			"<head><META content='a>b' HTTP-EQUIV = content-security-policy /><p>", "<head>" + mark + "<p>",
		},
		"other meta":      {"<head><meta charset=utf-8><meta http-equiv=refresh content=1>", "<head>" + mark + "<meta charset=utf-8><meta http-equiv=refresh content=1>"},
		"in a script":     {"<head><script>'" + policy + "'</script>", "<head>" + mark + "<script>'" + policy + "'</script>"},
		"after a script":  {"<head><script>a</scripts></SCRIPT >" + policy, "<head>" + mark + "<script>a</scripts></SCRIPT >"},
		"in a comment":    {"<head><!--" + policy + "-->", "<head>" + mark + "<!--" + policy + "-->"},
		"in the body":     {"<head></head><body>" + policy, "<head>" + mark + "</head><body>" + policy},
		"implied body":    {"<head><div>" + policy, "<head>" + mark + "<div>" + policy},
		"too late":        {"<head><style>" + strings.Repeat("x", maxScan) + "</style>" + policy, "<head>" + mark + "<style>" + strings.Repeat("x", maxScan) + "</style>" + policy},
		"second name":     {"<meta http-equiv=x http-equiv=content-security-policy>", mark + "<meta http-equiv=x http-equiv=content-security-policy>"},
		"in a template":   {"<head><template>" + policy + "<template></template>" + policy + "</template>" + policy, "<head>" + mark + "<template>" + policy + "<template></template>" + policy + "</template>"},
		"escaped script":  {"<head><script><!--<script></script>" + policy + "--></script>" + policy, "<head>" + mark + "<script><!--<script></script>" + policy + "--></script>"},
		"raw in template": {"<head><template><textarea></template></textarea></template>" + policy, "<head>" + mark + "<template><textarea></template></textarea></template>"},
		"unfinished meta": {"<head><meta http-equiv=content-security-policy ", "<head>" + mark + "<meta http-equiv=content-security-policy "},
	} {
		if got := injected(t, strings.NewReader(tt.in), true); got != tt.want {
			t.Errorf("%s: got %.120q, want %.120q", name, got, tt.want)
		}
		if got := injected(t, strings.NewReader(tt.in), false); strings.Replace(got, mark, "", 1) != tt.in {
			t.Errorf("%s: kept policies: got %.120q", name, got)
		}
	}
}

func TestInjectStreams(t *testing.T) {
	for _, first := range []string{"<!doctype html><html><head>", "<head><script>let a", "<p>one"} {
		r, w := io.Pipe()
		j := &injector{src: r, tag: []byte(mark), dropCSP: true}
		go w.Write([]byte(first))
		got := make(chan string)
		go func() {
			buf, have := make([]byte, 100), ""
			for len(have) < len(mark+first)-len("</script") {
				n, _ := j.Read(buf)
				have += string(buf[:n])
			}
			got <- have
		}()
		select {
		case have := <-got:
			if !strings.Contains(have, mark) {
				t.Errorf("%q: read %q", first, have)
			}
		case <-time.After(time.Minute):
			t.Errorf("%q: nothing was handed out before the rest came", first)
		}
		w.Close()
	}
}

// FuzzR58Inject: the document comes out as it went in but for one insertion,
// however it is cut; with policies dropped, nothing else is added.
func FuzzR58Inject(f *testing.F) {
	for _, s := range []string{
		"", "<", "<!doctype html><html><head><title>a</title></head>", "<!-- a --!><head a='>'>", "\xef\xbb\xbf<p>",
		"<head><meta http-equiv=content-security-policy><script></script><style></styl", "</", "<!-", "<html a=\"", "\xff\xfe",
	} {
		f.Add([]byte(s), uint8(3), false)
		f.Add([]byte(s), uint8(1), true)
	}
	f.Fuzz(func(t *testing.T, doc []byte, cut uint8, dropCSP bool) {
		whole := injected(t, bytes.NewReader(doc), dropCSP)
		if cut := injected(t, &cutReader{doc, int(cut%16) + 1}, dropCSP); cut != whole {
			t.Fatalf("cut: %q, whole: %q", cut, whole)
		}
		if dropCSP {
			if !subsequence(whole, mark, string(doc)) {
				t.Fatalf("%q is not made of %q", whole, doc)
			}
			return
		}
		for i := 0; ; i++ {
			at := strings.Index(whole[i:], mark)
			if at < 0 {
				break
			}
			i += at
			if whole[:i]+whole[i+len(mark):] == string(doc) {
				return
			}
		}
		if whole != string(doc) || !bytes.HasPrefix(doc, []byte("\xff\xfe")) && !bytes.HasPrefix(doc, []byte("\xfe\xff")) {
			t.Fatalf("%q became %q", doc, whole)
		}
	})
}

// subsequence reports whether out without one mark is in with bytes left out.
func subsequence(out, mark, in string) bool {
	for i := 0; ; i++ {
		at := strings.Index(out[i:], mark)
		if at < 0 {
			return out == in
		}
		i += at
		rest := in
		found := true
		for _, c := range []byte(out[:i] + out[i+len(mark):]) {
			k := strings.IndexByte(rest, c)
			if found = k >= 0; !found {
				break
			}
			rest = rest[k+1:]
		}
		if found {
			return true
		}
	}
}

// cutReader hands out n bytes at a time.
type cutReader struct {
	rest []byte
	n    int
}

func (r *cutReader) Read(p []byte) (int, error) {
	if len(r.rest) == 0 {
		return 0, io.EOF
	}
	n := copy(p, r.rest[:min(r.n, len(r.rest))])
	r.rest = r.rest[n:]
	return n, nil
}
