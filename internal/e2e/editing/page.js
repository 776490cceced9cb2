// The document of the tests: reset(kind) builds an editable, and state() returns the log since.

const kinds = {
  text: `<input id=e value="one two three">`,
  search: `<input id=e type=search value="one two three">`,
  number: `<input id=e type=number value="123456789">`,
  email: `<input id=e type=email value="ab@cd.ef">`,
  password: `<input id=e type=password value="one two">`,
  date: `<input id=e type=date value="2024-05-06">`,
  time: `<input id=e type=time value="12:34">`,
  readonly: `<input id=e readonly value="one two three">`,
  maxlength: `<input id=e maxlength=14 value="one two three">`,
  textarea: `<textarea id=e>one two\nthree four</textarea>`,
  rich: `<div id=e contenteditable><p>one <b>two</b> three</p><p>four five</p></div>`,
  plain: `<div id=e contenteditable=plaintext-only>one two three</div>`,
  editcontext: `<div id=e tabindex=0>one two three</div>`,
  design: `<p id=e>one <b>two</b> three</p>`,
  "shadow input": `<div id=h></div>`,
  "shadow rich": `<div id=h></div>`,
  none: `<p id=e>one <b>two</b> three</p>`,
};

const POINTER = "pointerdown pointerup pointermove pointercancel mousedown mouseup mousemove click dblclick auxclick contextmenu";
const KEYS = "keydown keypress keyup";
const EDITS = "beforeinput input change textInput select selectstart selectionchange copy cut paste beforecopy beforecut beforepaste compositionstart compositionupdate compositionend";
const DRAGS = "dragstart drag dragenter dragover dragleave drop dragend";
const FOCUS = "focus blur focusin focusout";

let lines = [];
const changes = new Set();
let e;

const name = (t) =>
  t === window ? "window" : t === document ? "document" : !t ? String(t) : t.nodeType === 3 ? "#text" : t.id || t.nodeName || t.constructor.name;

/** The place of a node below the editable, or below the document. */
function where(node, offset) {
  if (!node) return "null";
  let path = "";
  for (let n = node; n !== e && n.parentNode && n !== document.body; n = n.parentNode)
    path = `/${[...n.parentNode.childNodes].indexOf(n)}${path}`;
  return `${e?.contains(node) ? "e" : "page"}${path}:${offset}`;
}

/** The document's selection, and that of a text control. */
function selection() {
  const root = e?.getRootNode();
  const s = (root?.getSelection ? root : document).getSelection();
  const own = e && "selectionStart" in e && e.selectionStart !== null ? `${e.selectionStart}-${e.selectionEnd} ${e.selectionDirection} ` : "";
  return `${own}${s.type} ${where(s.anchorNode, s.anchorOffset)} ${where(s.focusNode, s.focusOffset)} "${s}"`;
}

function content() {
  return !e ? "" : "value" in e ? e.value : e.innerHTML;
}

function transfer(data) {
  if (!data) return String(data);
  return `{${data.types.join()} ${data.effectAllowed} ${data.types.includes("text/plain") ? JSON.stringify(data.getData("text/plain")) : ""}}`;
}

/** A TextEvent that script makes is never composed. */
const flags = (ev) =>
  (ev.bubbles ? "b" : "") + (ev.cancelable ? "c" : "") + (ev.composed && ev.type !== "textInput" ? "o" : "") + (ev.defaultPrevented ? "p" : "");
const modifiers = (ev) => ["ctrlKey", "shiftKey", "altKey", "metaKey"].filter((m) => ev[m]).map((m) => m.slice(0, -3)).join("+");

const props = {
  KeyboardEvent: (ev) => [ev.key, ev.code, ev.keyCode, ev.charCode, ev.which, ev.location, ev.repeat, ev.isComposing, modifiers(ev)],
  MouseEvent: (ev) => [ev.button, ev.buttons, ev.which, ev.detail, modifiers(ev), name(ev.relatedTarget)],
  PointerEvent: (ev) => [ev.button, ev.buttons, ev.which, ev.detail, modifiers(ev), ev.pressure, ev.pointerType],
  DragEvent: (ev) => [ev.button, ev.buttons, transfer(ev.dataTransfer)],
  InputEvent: (ev) => [
    ev.inputType,
    JSON.stringify(ev.data),
    ev.isComposing,
    transfer(ev.dataTransfer),
    ev.getTargetRanges().map((r) => `${where(r.startContainer, r.startOffset)}..${where(r.endContainer, r.endOffset)}`).join(),
  ],
  TextEvent: (ev) => [JSON.stringify(ev.data)],
  ClipboardEvent: (ev) => [transfer(ev.clipboardData)],
  FocusEvent: (ev) => [name(ev.relatedTarget)],
  TextUpdateEvent: (ev) => [ev.updateRangeStart, ev.updateRangeEnd, JSON.stringify(ev.text), ev.selectionStart, ev.selectionEnd],
  CharacterBoundsUpdateEvent: (ev) => [ev.rangeStart, ev.rangeEnd],
};

function note(ev) {
  const target = ev.composedPath()[0];
  if (target === window) return;
  // Made by script, it does not leave a shadow tree.
  if (ev.type === "textInput" && e.getRootNode() !== document) return;
  const kind = ev.constructor.name;
  // It comes from a queue, once for several changes: when and how often is up to the browser's load.
  if (ev.type === "selectionchange") return void changes.add(`selectionchange ${name(target)} ${flags(ev)}`);
  // Script cannot move the focus without the caret, as a press of the mouse does.
  const state = kind === "FocusEvent" ? [] : [JSON.stringify(content()), selection()];
  lines.push([ev.type, name(target), kind, flags(ev), ...(props[kind]?.(ev) ?? []), ...state].join(" "));
}
for (const type of `${POINTER} ${KEYS} ${EDITS} ${DRAGS} ${FOCUS}`.split(" ")) addEventListener(type, note, true);

/** Resolves once the browser has fired what it has queued. */
const settled = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))));

async function reset(kind) {
  document.activeElement?.blur();
  getSelection().removeAllRanges();
  document.designMode = "off";
  document.body.innerHTML = kinds[kind];
  if (kind === "shadow input") h.attachShadow({ mode: "open" }).innerHTML = `${style.outerHTML}${kinds.text}`;
  if (kind === "shadow rich") h.attachShadow({ mode: "open" }).innerHTML = `${style.outerHTML}${kinds.rich}`;
  e = document.getElementById("e") ?? h.shadowRoot.getElementById("e");
  document.body.insertAdjacentHTML("beforeend", `<button id=other>other</button><div id=rest>rest of it</div>`);
  if (kind === "design") document.designMode = "on";
  if (kind === "editcontext") edit(e);
  await settled();
  lines = [];
  changes.clear();
  return "";
}

/** An editor as pages write them: its text is that of the EditContext, its selection that of the document. */
function edit(el) {
  const context = (el.editContext = new EditContext({ text: el.textContent }));
  const show = () => {
    el.textContent = context.text;
    const node = el.firstChild ?? el;
    getSelection().setBaseAndExtent(node, context.selectionStart, node, context.selectionEnd);
  };
  const state = () => `${JSON.stringify(context.text)} ${context.selectionStart}-${context.selectionEnd}`;
  for (const type of ["textupdate", "characterboundsupdate", "textformatupdate", "compositionstart", "compositionend"])
    context.addEventListener(type, (ev) => {
      lines.push([type, ev.target === context, ev.constructor.name, flags(ev), ...(props[ev.constructor.name]?.(ev) ?? []), state()].join(" "));
      if (type === "textupdate") show();
    });
  document.onselectionchange = () => {
    const s = getSelection();
    if (!el.isConnected) document.onselectionchange = null;
    else if (el.contains(s.anchorNode)) context.updateSelection(Math.min(s.anchorOffset, s.focusOffset), Math.max(s.anchorOffset, s.focusOffset));
  };
  el.addEventListener("beforeinput", () => lines.push(`state ${state()}`));
}

/** The point before a character of the editable's line, in the viewport. */
function pointAt(index, line = 0) {
  const box = e.getBoundingClientRect();
  const width = measured.measureText("0").width;
  return { x: box.left + e.clientLeft + index * width + 1, y: box.top + e.clientTop + 15 + 30 * line };
}
const measured = document.createElement("canvas").getContext("2d");
measured.font = "20px monospace";

/** Ends a step of a gesture. */
async function step(what) {
  await settled();
  lines.push(...[...changes].sort());
  changes.clear();
  lines.push(`= ${what} ${JSON.stringify(content())} ${selection()}`);
  return "";
}

function take() {
  const list = lines;
  lines = [];
  return list.join("\n");
}
