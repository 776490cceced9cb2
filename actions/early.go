package actions

// early runs in each document of a browser before the page's own scripts, in the world of
// the page script, which need not be there yet. It notes fields that are password fields
// for a moment only: secrets.ts reads the set.
const early = `(() => {
	const were = (globalThis.cdphubWerePasswords ??= new WeakSet());
	new MutationObserver((changes) => {
		for (const c of changes) if (c.oldValue?.toLowerCase() === "password") were.add(c.target);
	}).observe(document, { subtree: true, attributeFilter: ["type"], attributeOldValue: true });
})()`

// watchFields installs early in the documents of a session that come from now on.
func (b *Browser) watchFields(session string) {
	b.background(session, "Page.addScriptToEvaluateOnNewDocument", obj{"source": early, "worldName": worldName})
}
