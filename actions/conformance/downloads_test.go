package conformance

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cdphub/cdphub/internal/hubtest"
)

const invoice = "id,total\n1,200\n"

// fetched matches where an answer says that a file is to be had.
var fetched = regexp.MustCompile(`http://[^ /"]+((?:/hub/\w+)?/downloads/(\w+))`)

// TestR333AgentsGetTheirDownloads has a frame and a page of a real browser download a file for an agent of MCP
// and one of the Browser Agent Protocol: each reads in an answer or a
// notification at which address the file is, and fetches it from there.
func TestR333AgentsGetTheirDownloads(t *testing.T) {
	t.Parallel()
	s := newAgents(t, nil)
	for _, kind := range kinds {
		t.Run(string(kind.TargetKind), func(t *testing.T) {
			agent := connectMCP(t, s, kind.prefix)
			agent.use(t, "browser_navigate", object{"url": agent.url + "/downloads.html"})
			said := agent.use(t, "browser_click", object{"target": "#invoice"}, "### Events\n- Downloaded file invoice.csv (15 bytes, text/csv; charset=utf-8): read the resource cdphub://downloads/")
			at := fetched.FindStringSubmatch(said)
			if at == nil {
				t.Fatalf("no address in %s", said)
			}
			if status, body := hubtest.Get(t, s.ClientAddr(), at[1], nil); status != 200 || body != invoice {
				t.Errorf("GET %s: %d %q", at[1], status, body)
			}
			if again := agent.use(t, "browser_snapshot", object{}); strings.Contains(again, "### Events") {
				t.Errorf("the download is in two answers: %s", again)
			}
			list, err := agent.ListResources(within60(t), nil)
			if err != nil || len(list.Resources) != 1 || list.Resources[0].URI != "cdphub://downloads/"+at[2] || list.Resources[0].Name != "invoice.csv" || list.Resources[0].Size != 15 {
				t.Fatalf("the resources are %+v, %v", list, err)
			}
			read, err := agent.ReadResource(within60(t), &sdk.ReadResourceParams{URI: list.Resources[0].URI})
			if err != nil || len(read.Contents) != 1 || read.Contents[0].Text != invoice {
				t.Errorf("the resource is %+v, %v", read, err)
			}
			for _, uri := range []string{"cdphub://downloads/none", "cdphub://downloads/", "file:///etc/passwd", "cdphub://downloads/../" + at[2]} {
				if read, err := agent.ReadResource(within60(t), &sdk.ReadResourceParams{URI: uri}); err == nil {
					t.Errorf("%s is %+v", uri, read)
				}
			}

			bap := s.launched(t, kind.prefix+"/bap")
			bap.must("events/subscribe", `{"types":["download"]}`)
			page := bap.page(s.app.URL + "/downloads.html")
			bap.request("action/click", `{"pageId":"`+page+`","selector":{"type":"css","value":"#evil"}}`)
			if got := bap.Until(`"started"`); !strings.Contains(got, `"method":"notifications/download"`) || !strings.Contains(got, `"suggestedFilename":"evil.html"`) {
				t.Error(got)
			}
			var told struct {
				Params struct {
					State, Address, SuggestedFilename, MimeType, SHA256, PageID string
					Size                                                        int
				}
			}
			got := bap.Until(`"state":"c`)
			if err := json.Unmarshal([]byte(got), &told); err != nil {
				t.Fatal(err)
			}
			p := told.Params
			if p.State != "completed" || p.SuggestedFilename != "evil.html" || p.MimeType != "text/html; charset=utf-8" || p.Size != 25 || len(p.SHA256) != 64 || p.PageID != page {
				t.Errorf("the agent is told %s", got)
			}
			if at := fetched.FindStringSubmatch(p.Address); at == nil {
				t.Errorf("no address in %s", got)
			} else if status, body := hubtest.Get(t, s.ClientAddr(), at[1], nil); status != 200 || body != "<script>alert(1)</script>" {
				t.Errorf("GET %s: %d %q", at[1], status, body)
			}
		})
	}
}

// TestR333ProgramsSaveDownloads has `cdphub mcp` of this machine write a file of the hub to its folder, and a
// second one beside it.
func TestR333ProgramsSaveDownloads(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	folder := t.TempDir()
	agent := stdioMCP(t, s, "--url", s.base("/hub/chromium"), "--output-dir", folder)
	agent.use(t, "browser_navigate", object{"url": agent.url + "/downloads.html"})
	agent.use(t, "browser_click", object{"target": "#invoice"}, `- Downloaded file invoice.csv (15 bytes, text/csv; charset=utf-8) to "`+folder+`/invoice.csv"`)
	agent.use(t, "browser_click", object{"target": "#invoice"}, `to "`+folder+`/invoice (1).csv"`)
	for _, name := range []string{"invoice.csv", "invoice (1).csv"} {
		if text := readFile(t, folder+"/"+name); text != invoice {
			t.Errorf("%s has %q", name, text)
		}
	}
	list, err := agent.ListResources(within60(t), nil)
	if err != nil || len(list.Resources) != 2 {
		t.Fatalf("the resources are %+v, %v", list, err)
	}
	read, err := agent.ReadResource(within60(t), &sdk.ReadResourceParams{URI: list.Resources[1].URI})
	if err != nil || read.Contents[0].Text != invoice {
		t.Errorf("the resource is %+v, %v", read, err)
	}
}
