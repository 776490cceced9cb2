package siege

import "context"

// scripted is an attack by a page alone.
func scripted(name string, in setup, quick bool, source string) attack {
	return attack{name: name, in: in, quick: quick, begin: func(ctx context.Context, a *attacker) { a.script(ctx, source) }}
}

// endless repeats a statement in bursts, so that the page's other tasks run between them.
func endless(statement string) string {
	return "let i = 0; (function again() { for (let n = 0; n < 500; n++, i++) { " + statement + " } setTimeout(again, 0); })()"
}

// noTimer repeats a statement in one task that never ends.
func noTimer(statement string) string { return "for (let i = 0;; i++) { " + statement + " }" }

// pageAttacks are pages that run without any Client.
func pageAttacks() []attack {
	return []attack{
		scripted("a loop of history.replaceState", browsers, true, noTimer("history.replaceState(i, '', '?' + i)")),
		scripted("tasks of history.replaceState", browsers, false, endless("history.replaceState(i, '', '?' + i)")),
		scripted("a loop of history.replaceState with long addresses", browsers, false, "const long = 'x'.repeat(1.9e6);"+noTimer("history.replaceState(i, '', '?' + i + long)")),
		scripted("a loop of history.pushState", browsers, false, noTimer("history.pushState(i, '', '?' + i)")),
		scripted("a loop of location.hash", browsers, false, noTimer("location.hash = i")),
		scripted("a loop of history.back and forward", browsers, false, "history.pushState(0, '', '?a');"+endless("history.back(); history.forward()")),
		scripted("a loop of document.title", browsers, false, noTimer("document.title = i")),
		scripted("a loop of document.title with long titles", browsers, false, "const long = 'x'.repeat(1e6);"+endless("document.title = i + long")),
		scripted("a loop that does nothing", browsers, false, noTimer("")),
		scripted("console.log of 300 MB", browsers, false, "console.log('x'.repeat(300e6))"),
		scripted("a loop of console.log", browsers, false, endless("console.log(i, {i})")),
		scripted("a loop of console.log with long texts", browsers, false, "const long = 'x'.repeat(1e6);"+endless("if (i % 50 === 0) console.log(i + long)")),
		scripted("errors without an end", browsers, false, endless("setTimeout(() => { throw new Error(i) })")),
		scripted("alerts without an end", browsers, false, noTimer("alert(i)")),
		scripted("popups without an end", browsers, false, "setInterval(() => open('/blank?' + Math.random()), 20)"),
		scripted("popups that close", browsers, false, "setInterval(() => open('/blank').close(), 20)"),
		scripted("frames without an end", browsers, false, "setInterval(() => { if (frames.length < 500) document.body.append(Object.assign(document.createElement('iframe'), {src: '/blank?' + frames.length})) }, 5)"),
		scripted("frames that come and go", browsers, false, "setInterval(() => { const f = document.createElement('iframe'); document.body.append(f); f.remove(); }, 1)"),
		scripted("workers without an end", browsers, false, "const w = URL.createObjectURL(new Blob(['for(;;);'])); for (let i = 0; i < 40; i++) new Worker(w)"),
		scripted("workers that come and go", browsers, false, "const w = URL.createObjectURL(new Blob([''])); setInterval(() => new Worker(w).terminate(), 2)"),
		scripted("messages without an end", browsers, false, endless("postMessage(i, '*')")),
		scripted("channels without an end", browsers, false, "const c = new BroadcastChannel('c'); "+endless("c.postMessage('x'.repeat(1000))")),
		scripted("requests without an end", browsers, false, "setInterval(() => { for (let i = 0; i < 50; i++) fetch('/blank?' + i).catch(() => {}) }, 10)"),
		scripted("images without an end", browsers, false, "setInterval(() => { for (let i = 0; i < 50; i++) new Image().src = '/blank?' + Math.random() }, 10)"),
		scripted("sockets without an end", browsers, false, "setInterval(() => { for (let i = 0; i < 20; i++) new WebSocket('ws://' + location.host) }, 10)"),
		scripted("navigations without an end", browsers, false, "setInterval(() => location.href = '/script?' + Math.random(), 1)"),
		scripted("reloads without an end", browsers, false, "sessionStorage.n = 1; setInterval(() => location.reload(), 1)"),
		scripted("downloads without an end", browsers, false, "setInterval(() => { const a = document.createElement('a'); a.href = '/file'; a.download = 'f'; a.click() }, 5)"),
		scripted("forms without an end", browsers, false, "setInterval(() => { const f = document.createElement('form'); f.action = '/blank'; f.target = 'x' + Math.random(); document.body.append(f); f.submit() }, 20)"),
		scripted("a canvas of a billion pixels", browsers, false, "setInterval(() => { const c = document.createElement('canvas'); c.width = c.height = 16384; c.getContext('2d').fillRect(0, 0, 9, 9); document.body.append(c); if (document.body.children.length > 8) document.body.innerHTML = '' }, 100)"),
		scripted("a document of a million nodes by itself", browsers, false, "document.body.innerHTML = '<b></b>'.repeat(1e6)"),
		scripted("an element of a billion pixels", browsers, false, "document.body.innerHTML = '<div style=\"width:1e9px;height:1e9px;background:linear-gradient(red,blue)\">'"),
		scripted("animations without an end", browsers, false, "for (let i = 0; i < 2000; i++) { const d = document.body.appendChild(document.createElement('div')); d.textContent = 'x'; d.animate([{transform:'scale(9)', filter:'blur(9px)'},{transform:'none'}], {duration: 50, iterations: Infinity}) }"),
		scripted("a gigabyte", browsers, false, "const all = []; const t = setInterval(() => { all.push(new Uint8Array(5e7).fill(1)); if (all.length > 20) clearInterval(t) }, 10)"),
		scripted("storage without an end", browsers, false, endless("try { localStorage['k' + i] = 'x'.repeat(1000) } catch { localStorage.clear() }")),
		scripted("databases without an end", browsers, false, "setInterval(() => indexedDB.open('db' + Math.random()), 2)"),
		scripted("cookies without an end", browsers, false, endless("document.cookie = 'k' + i + '=' + i")),
		scripted("printing without an end", browsers, false, "setInterval(print, 5)"),
		scripted("full screen without an end", browsers, false, "setInterval(() => document.documentElement.requestFullscreen().catch(() => {}), 1)"),
		scripted("moves of the window", browsers, false, endless("resizeTo(i % 3000, i % 2000); moveTo(i, i)")),
		scripted("focus without an end", browsers, false, endless("focus(); document.querySelector('input').focus(); document.querySelector('button').focus()")),
		scripted("permissions without an end", browsers, false, "setInterval(() => { Notification.requestPermission(); navigator.geolocation.getCurrentPosition(() => {}) }, 1)"),
	}
}
