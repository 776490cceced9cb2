package chrome

import "runtime"

// baseArgs are the arguments of every browser. Most of them are what Playwright
// and Puppeteer use too (GoogleChrome/chrome-launcher, docs/chrome-flags-for-tools.md).
var baseArgs = []string{
	// Nothing to ask and nothing to fetch: a start is quick and goes nowhere.
	"--no-first-run",
	"--no-default-browser-check",
	"--disable-background-networking",
	"--disable-component-update",
	"--disable-default-apps",
	"--disable-sync",
	"--disable-breakpad", // no crash reports are sent
	"--password-store=basic",
	"--use-mock-keychain", // macOS asks for a password otherwise

	// Pages keep running in the background.
	"--disable-background-timer-throttling",
	"--disable-backgrounding-occluded-windows",
	"--disable-renderer-backgrounding",

	// What a Client asks for happens, and nothing is in its way.
	"--disable-back-forward-cache", // Playwright's goBack waits for ever otherwise
	"--disable-hang-monitor",       // no dialog about a page that is busy
	"--disable-popup-blocking",     // what a script opens becomes a Target
	"--disable-prompt-on-repost",   // nor about sending a form again
	"--enable-automation",          // no offers to save passwords; navigator.webdriver says what is so
	"--force-color-profile=srgb",   // screenshots are alike everywhere
	// No offers to translate, no search for televisions, no downloads of hints,
	// and http:// stays what it is.
	"--disable-features=Translate,MediaRouter,OptimizationHints,HttpsUpgrades",
}

// windowSize leaves 1280 × 720 to a page: a window without a display has bars, too,
// of 143 pixels in Chromium 156 with --enable-automation. A later --window-size wins.
const windowSize = "--window-size=1280,863"

// mouse has pages find the mouse of a desktop, which Clients move, where the machine has none:
// (hover: hover) and (pointer: fine) match (HoverType and PointerType of Blink's
// public/mojom/webpreferences). Without it, pages show what they have for phones.
const mouse = "--blink-settings=primaryHoverType=2,availableHoverTypes=2,primaryPointerType=4,availablePointerTypes=4"

// arguments are those of a browser with this profile. The user's own arguments come late:
// of contradicting arguments Chromium takes the last. Those of Options.Network and Isolate
// come after them.
func (o *Options) arguments(profile string) []string {
	args := append([]string{"--user-data-dir=" + profile}, baseArgs...)
	if !o.Headed {
		args = append(args, "--headless", "--hide-scrollbars", "--mute-audio", windowSize, mouse)
	}
	if o.NoSandbox {
		args = append(args, "--no-sandbox")
	}
	if runtime.GOOS == "linux" {
		args = append(args, "--disable-dev-shm-usage") // 64 MiB in most containers, and pages crash when it is full
	}
	args = append(args, o.Args...)
	return append(args, o.network()...)
}
