// Runs once in each document, in an isolated world, and leaves a function there. It answers what is under the
// pointer and in focus, what has been set in fields without typing, and what a person can read.
() => {
  const { document: top, performance, getComputedStyle } = globalThis;
  const key = Symbol.for("cdphub.journal");
  if (globalThis[key]) return;
  const acts = "button, a[href], input, select, textarea, option, label, summary, [role], [contenteditable], [onclick], [data-testid], h1, h2, h3, h4, h5, h6, img";
  const squeeze = (s) => (s || "").replace(/\s+/g, " ").trim();
  const inputs = { checkbox: "checkbox", radio: "radio", range: "slider", number: "spinbutton", search: "searchbox", button: "button", submit: "button", reset: "button", image: "button" };
  const noRole = new Set(["password", "date", "time", "datetime-local", "month", "week", "color", "file", "hidden"]);
  const tags = { button: "button", textarea: "textbox", option: "option", h1: "heading", h2: "heading", h3: "heading", h4: "heading", h5: "heading", h6: "heading", img: "img", li: "listitem", td: "cell", th: "columnheader" };
  const role = (e) => {
    const own = e.getAttribute("role");
    if (own) return own.trim().split(/\s+/)[0];
    const tag = e.localName;
    if (tag === "a") return e.hasAttribute("href") ? "link" : "";
    if (tag === "select") return e.multiple || e.size > 1 ? "listbox" : "combobox";
    if (tag === "input") return noRole.has(e.type) ? "" : inputs[e.type] || (e.hasAttribute("list") ? "combobox" : "textbox");
    return tags[tag] || "";
  };

  // ------------------------------------------------------------------ names
  const isHidden = (e) => {
    const style = getComputedStyle(e);
    return style.display === "none" || style.visibility !== "visible" || e.getAttribute("aria-hidden") === "true";
  };
  const pseudo = (e, which) => /^"(.*)"$/.exec(getComputedStyle(e, which).content)?.[1] || "";
  // What is inside, as assistive technology reads it: not as it is drawn, in capitals for example.
  const inside = (e, left = { nodes: 500 }) => {
    let out = pseudo(e, "::before");
    for (const n of e.localName === "slot" ? e.assignedNodes() : (e.shadowRoot || e).childNodes) {
      if (left.nodes-- < 0) break;
      if (n.nodeType === 3) out += n.data;
      if (n.nodeType !== 1 || /^(input|select|textarea)$/.test(n.localName) || n.isContentEditable || isHidden(n)) continue;
      const text = n.getAttribute("aria-label") || (n.localName === "img" ? n.alt : inside(n, left));
      out += getComputedStyle(n).display.startsWith("inline") ? text : ` ${text} `;
    }
    return out + pseudo(e, "::after");
  };
  const byIds = (e, ids) => squeeze(ids.split(/\s+/).map((id) => e.getRootNode().getElementById?.(id)).map((o) => (o ? inside(o) : "")).join(" "));
  const labelled = (e) => (e.labels ? squeeze([...e.labels].map((l) => inside(l)).join(" ")) : "") || squeeze(e.getAttribute("aria-label"));
  // Only of these the name comes from what is inside: what is inside a field was typed.
  const fromContent = new Set(["button", "link", "heading", "option", "tab", "menuitem", "menuitemcheckbox", "menuitemradio", "checkbox", "radio", "switch", "cell", "columnheader", "treeitem", "listitem"]);
  const nameOf = (e, r) => {
    const by = e.getAttribute("aria-labelledby");
    const named = (by && byIds(e, by)) || squeeze(e.getAttribute("aria-label"));
    if (named) return named;
    if (e.localName === "input" && ["button", "submit", "reset"].includes(e.type)) return squeeze(e.value) || { submit: "Submit", reset: "Reset" }[e.type] || "";
    const label = labelled(e);
    if (label) return label;
    if (e.localName === "img" || e.type === "image") return squeeze(e.getAttribute("alt"));
    const content = fromContent.has(r) && !e.isContentEditable ? squeeze(inside(e)) : "";
    return content || squeeze(e.getAttribute("title") || e.getAttribute("placeholder"));
  };

  // --------------------------------------------------------------- locators
  const css = (e) => {
    const root = e.getRootNode();
    const one = (s) => {
      try {
        return root.querySelectorAll(s).length === 1;
      } catch {
        return false;
      }
    };
    const esc = globalThis.CSS.escape;
    const parts = [];
    for (let at = e; at && at.localName !== "html"; at = at.parentElement) {
      if (at.id && one(`#${esc(at.id)}`)) {
        parts.unshift(`#${esc(at.id)}`);
        break;
      }
      const same = at.parentNode ? [...at.parentNode.children].filter((c) => c.localName === at.localName) : [at];
      parts.unshift(same.length > 1 ? `${at.localName}:nth-of-type(${same.indexOf(at) + 1})` : at.localName);
      if (one(parts.join(" > "))) break;
    }
    return (root.host ? `${css(root.host)} >>> ` : "") + parts.join(" > ");
  };
  const documentIn = (frame) => {
    try {
      return /^i?frame$/.test(frame?.localName) ? frame.contentDocument : null;
    } catch {
      return null;
    }
  };
  // The selectors of the frames around an element, the outermost first.
  const framesOf = (e) => {
    const list = [];
    for (let doc = e.ownerDocument; doc !== top; ) {
      const frame = doc.defaultView?.frameElement;
      if (!frame) return list;
      list.unshift(css(frame));
      doc = frame.ownerDocument;
    }
    return list;
  };
  const deep = (root) => [...root.querySelectorAll("*")].flatMap((e) => [...(e.matches(acts) ? [e] : []), ...(e.shadowRoot ? deep(e.shadowRoot) : [])]);
  // Which one of those that people know by the same words, from 1; 0: it is the only one, -1: there are too many.
  const nth = (e, words) => {
    const wanted = words(e);
    if (!wanted) return 0;
    const all = e.getRootNode().host ? deep(e.ownerDocument) : [...e.ownerDocument.querySelectorAll(acts)];
    const like = all.filter((o) => o.localName === e.localName || role(o) === role(e));
    if (like.length > 300) return -1;
    const same = like.filter((o) => words(o) === wanted && o.getClientRects().length);
    return same.length > 1 ? same.indexOf(e) + 1 : 0;
  };
  const ways = [
    (e) => role(e) && nameOf(e, role(e)) && `${role(e)} ${nameOf(e, role(e))}`,
    (e) => labelled(e),
    (e) => squeeze(e.getAttribute("placeholder")),
  ];
  // As in web/src/actions/secrets.ts; isSecret of element.go has the rest, the names of fields.
  const passwords = new WeakSet();
  const isSecret = (e) => {
    if (e.type === "password") passwords.add(e);
    return passwords.has(e) || e.closest("[data-sensitive]") !== null || /(^|\s)(cc-[\w-]+|one-time-code|current-password|new-password)(\s|$)/i.test(e.getAttribute("autocomplete") || "");
  };
  const describe = (e, x, y) => {
    if (!e || e === e.ownerDocument.body || e === e.ownerDocument.documentElement || /^i?frame$/.test(e.localName)) return null;
    const r = role(e);
    const box = e.getBoundingClientRect();
    const which = nth(e, ways.find((way) => way(e)) || ways[0]);
    const field = /^(input|select|textarea)$/.test(e.localName) ? (e.localName === "input" ? e.type : e.localName) : "";
    const words = which < 0 ? {} : { role: r, name: r ? nameOf(e, r) : "", label: labelled(e), placeholder: squeeze(e.getAttribute("placeholder")), nth: which };
    const called = field ? ["name", "id", "aria-label", "placeholder", "title"].map((a) => e.getAttribute(a) || "").concat(labelled(e)) : [];
    return { ...words, testId: e.getAttribute("data-testid") || "", css: css(e), frames: framesOf(e), input: field, min: e.getAttribute("min") || "", secret: isSecret(e), called, dx: Math.round(x - box.left), dy: Math.round(y - box.top) };
  };
  // The element that people mean is the nearest one with a part to play.
  const actor = (e) => {
    for (let at = e; at; at = at.getRootNode().host) if (at.closest(acts)) return at.closest(acts);
    return e;
  };
  const under = (doc, x, y) => {
    let e = doc.elementFromPoint(x, y);
    for (let inner; (inner = e?.shadowRoot?.elementFromPoint(x, y)) && inner !== e; ) e = inner;
    const within = documentIn(e);
    if (!within) return e ? describe(actor(e), x, y) : null;
    const box = e.getBoundingClientRect();
    return under(within, x - box.left - e.clientLeft, y - box.top - e.clientTop);
  };
  const focused = () => {
    let e = top.activeElement;
    for (let inner; (inner = e?.shadowRoot?.activeElement || documentIn(e)?.activeElement); ) e = inner;
    return describe(e, 0, 0);
  };

  // ------------------------------------ what has been done and set, in this order
  const log = [];
  let byUser = -Infinity; // when the user has acted last
  const put = (item, e, x = 0, y = 0) => {
    if (log.length >= 200) log.shift();
    log.push({ ...item, of: e, on: describe(e, x, y), at: performance.now() });
  };
  const add = (change, e) => {
    const last = log[log.length - 1];
    if (last?.of === e && last.do === change.do) log.pop();
    put(change, e);
  };
  // The events of a command come to the element that it acts on, whatever has happened since it was sent.
  let keyed = false; // what comes next is of a key
  const noteAct = (event) => {
    byUser = performance.now();
    const e = event.composedPath()[0];
    const ofKey = keyed;
    keyed = event.type === "keydown" && event.key.length === 1;
    if (/down$/.test(event.type)) {
      fresh.clear();
      acted = true;
    }
    if (e?.nodeType !== 1) return;
    if (event.type === "pointerdown") put({ act: "press" }, actor(e), event.clientX, event.clientY);
    if (event.type === "keydown") put({ act: "key", key: event.key.length > 1 ? event.key : "" }, e);
    if (event.type === "beforeinput" && !ofKey && event.inputType.startsWith("insert")) put({ act: "text", length: [...(event.data || "")].length }, e);
  };
  const noteValue = (event) => {
    const e = event.composedPath()[0];
    // What a Frame Agent types is not trusted either, but has a type.
    const scripted = !event.isTrusted && !event.inputType;
    if (e?.nodeType !== 1) return;
    if (e.localName === "select") return add({ do: "select", key: e.value, values: [...e.selectedOptions].map((o) => squeeze(o.label)) }, e);
    if (e.localName !== "input" && e.localName !== "textarea") return;
    if (e.type === "file") return event.type === "change" && add({ do: "upload", length: e.files.length }, e);
    if (/^(date|time|datetime-local|month|week)$/.test(e.type)) return e.value && add({ do: "fill", length: e.value.length }, e);
    if (/^(range|color)$/.test(e.type)) return add({ do: "fill", length: e.value.length, values: [e.value] }, e);
    if (!scripted) return;
    if (/^(checkbox|radio)$/.test(e.type)) return add({ do: e.checked ? "check" : "uncheck", script: true }, e);
    if (!/^(button|submit|reset|image|hidden)$/.test(e.type) && performance.now() - byUser > 1000) add({ do: "fill", length: [...e.value].length, script: true }, e);
  };
  const noteClick = (event) => {
    // A page that clicks while its user acts does so by itself.
    if (!event.isTrusted && performance.now() - byUser > 1000) add({ do: "click", script: true }, actor(event.composedPath()[0]));
  };
  const watch = (doc) => {
    for (const frame of doc.querySelectorAll("iframe, frame")) if (documentIn(frame)) watch(documentIn(frame));
    // Again and again: document.open removes all listeners, and a listener that is there is not added twice.
    for (const type of ["input", "change"]) doc.addEventListener(type, noteValue, true);
    for (const type of ["pointerdown", "pointerup", "keydown", "keyup", "beforeinput"]) doc.addEventListener(type, noteAct, true);
    doc.addEventListener("click", noteClick, true);
  };

  // ------------------------------------------------- what a person can read
  const fresh = new Set(); // elements whose text is new since the last action
  let acted = false;
  new globalThis.MutationObserver((list) => {
    for (const m of list)
      for (const n of m.type === "characterData" ? [m.target] : m.addedNodes) {
        const e = n.nodeType === 1 ? n : n.parentElement;
        if (e && acted && fresh.size < 200) fresh.add(e);
      }
  }).observe(top, { childList: true, subtree: true, characterData: true });
  const isRead = (e) => e.isConnected && e.checkVisibility?.({ visibilityProperty: true, opacityProperty: true }) !== false && e.getClientRects().length && !e.closest("[aria-hidden=true], [contenteditable], input, textarea, select, script, style");
  const leaves = (e) => (e.children.length === 0 ? [e] : [...e.querySelectorAll("*")].slice(0, 100).filter((c) => c.children.length === 0));
  const texts = () => {
    const list = new Set();
    for (const e of fresh)
      for (const leaf of leaves(e)) {
        if (list.size >= 5) return [...list];
        const text = squeeze(leaf.textContent);
        if (text.length > 1 && isRead(leaf) && !leaf.closest("h1, h2, h3, h4, h5, h6, [role=heading]")) list.add(text);
      }
    return [...list];
  };
  const reads = () => {
    if (top.readyState !== "complete") return null;
    const headings = [...top.querySelectorAll("h1, h2, h3, [role=heading]")].slice(0, 50).filter(isRead).map((e) => nameOf(e, "heading"));
    return { title: squeeze(top.title), headings: headings.slice(0, 5), texts: texts() };
  };

  watch(top);
  Object.defineProperty(globalThis, key, {
    value: (what, x, y) => {
      watch(top);
      const now = performance.now();
      const list = log.splice(0).map(({ of, at, ...item }) => ({ ...item, ago: now - at }));
      const answer = { born: performance.timeOrigin, age: now, log: list };
      if (what === "log") return answer;
      answer.reads = reads();
      if (what === "reads") return answer;
      return { ...answer, under: under(top, x, y), focus: focused() };
    },
  });
}
