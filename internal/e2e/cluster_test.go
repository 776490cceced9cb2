package e2e

import (
	"strings"
	"testing"
	"time"

	"github.com/cdphub/cdphub/internal/e2e/harness"
)

// startCluster starts the nodes of docs/cluster.md, and a Host page of the first one,
// which the third one knows.
func startCluster(t *testing.T) (a, b, c *harness.Hub, s *site) {
	t.Helper()
	nodes := harness.StartNodes(t)
	a, b, c = nodes[0], nodes[1], nodes[2]
	s = newSite(t)
	s.useHub("http://" + harness.StartBalancer(t, a.HostAddr, b.HostAddr, c.HostAddr))
	startBrowser(t, s.host.URL+"/host/1", false)
	a.AwaitTarget(t, "app-1", "Field book") // it is asked first, and owns the hub
	c.AwaitTarget(t, "app-1", "Field book")
	return a, b, c, s
}

// TestClusterOwnerDies has Clients of the third node drive a Host page of the first,
// which is then killed: the page comes to another node, and the Clients connect again.
func TestClusterOwnerDies(t *testing.T) {
	onlyHub(t)
	a, b, c, s := startCluster(t)

	playwright := harness.StartRemote(t, "http://"+c.ClientAddr, s.app.URL)
	agent := newClient(t, &endpoint{site: s, port: c.Port(t)})
	clicks := func(want string) {
		t.Helper()
		if out, err := agent.run("click", "#plus"); err != nil {
			t.Fatalf("agent-browser: %v\n%s", err, out)
		}
		playwright.Run(t, `
			browser = await chromium.connectOverCDP(endpoint);
			[page] = browser.contexts()[0].pages();
			await page.getByRole("button", { name: "Add one" }).click();`)
		s.expect(t, appPage, text("count"), want)
	}
	clicks(`"2"`)

	lost := playwright.Begin(t, `await page.evaluate("new Promise(() => {})")`)
	begun := time.Now()
	a.Kill()
	if _, err := harness.Result(t, lost, harness.Started); err == nil || !strings.Contains(err.Error(), "closed") {
		t.Errorf("what ran when the node died ended with %v, want an error", err)
	}
	t.Logf("Playwright learns of it after %v", time.Since(begun))
	c.AwaitTarget(t, "app-1", "Field book")
	t.Logf("the page is at another node after %v", time.Since(begun))
	clicks(`"4"`)
	t.Logf("both Clients have worked on after %v", time.Since(begun))

	for _, n := range []*harness.Hub{b, c} {
		if status, list := n.Get(t, "GET", "/json/list"); status != 200 || !strings.Contains(list, `"app-1"`) {
			t.Errorf("a node that is left lists %d %s", status, list)
		}
	}
}

// TestR214FramesGoOnAfterADrain has a Playwright with a named session work in a frame,
// through the third node, while the node that owns the hub ends by SIGTERM: no click is
// lost or done twice.
func TestR214FramesGoOnAfterADrain(t *testing.T) {
	onlyHub(t)
	a, b, c, s := startCluster(t)
	link := harness.StartResuming(t, "ws://"+c.ClientAddr+"/devtools/browser?session=work&grace=5m")
	playwright := harness.StartRemote(t, link.URL, s.app.URL)
	playwright.Run(t, `
		browser = await chromium.connectOverCDP(endpoint);
		[page] = browser.contexts()[0].pages();
		await page.route("**/nowhere", (route) => route.fulfill({ body: "from the route" }));
		await page.exposeFunction("counted", (n) => { seen = n; });
		seen = 0;
		work = async (times) => {
			for (let n = 0; n < times; n++) {
				await page.getByRole("button", { name: "Add one" }).click();
				const data = await page.evaluate(async () => (await fetch("/nowhere")).text());
				if (data !== "from the route") throw new Error("the route is gone: " + data);
			}
			await page.evaluate((n) => counted(n), times);
			return seen;
		};
		await work(5);`)
	done := playwright.Begin(t, `return work(35)`)
	begun := time.Now()
	a.Stop(t)
	t.Logf("the node has ended after %v", time.Since(begun))
	value, err := harness.Result(t, done, harness.Started)
	n, lost := link.Resumed()
	if err != nil || value != "35" || n < 1 || len(lost) > 0 {
		t.Fatalf("%s, %v; the connection was resumed %d times, with the gaps %q", value, err, n, lost)
	}
	t.Logf("all clicks after %v", time.Since(begun))
	s.expect(t, appPage, text("count"), `"40"`)
	if status, list := b.Get(t, "GET", "/sessions"); status != 200 || !strings.Contains(list, `"work"`) {
		t.Errorf("the sessions at another node: %d %s", status, list)
	}
}
