// Text in a slot: its slot gets the events, and with it what encloses the slot
// in the shadow tree. As in Chromium 156 with trusted input.
await visit("/slotted", {
  html: `<style>body{margin:0} my-button,your-button{position:fixed;left:10px;font:20px/30px monospace}</style>
<my-button id=plain style="top:10px">Plain text</my-button>
<my-button id=bold style="top:60px"><b>Bold text</b></my-button>
<your-button id=outer style="top:110px">Text in two</your-button>
<my-button id=off style="top:160px">Disabled</my-button>
<script>
  window.log = [];
  class MyButton extends HTMLElement {
    constructor() {
      super();
      const root = this.attachShadow({ mode: "open" });
      root.innerHTML = '<button style="padding:0;border:0;font:inherit"><slot></slot></button>';
      const button = root.firstChild;
      for (const type of ["pointerdown", "mousedown", "focus", "click", "mouseenter"])
        button.addEventListener(type, (e) => log.push(type + " " + this.id + " " + (e.composedPath()[0].localName)));
    }
  }
  customElements.define("my-button", MyButton);
  customElements.define("your-button", class extends HTMLElement {
    constructor() {
      super();
      this.attachShadow({ mode: "open" }).innerHTML = "<my-button id=inner style='position:static'><slot></slot></my-button>";
    }
  });
  off.shadowRoot.firstChild.disabled = true;
<\/script>`,
});
const click = async (y) => {
  for (const type of ["mouseMoved", "mousePressed", "mouseReleased"])
    await cdp("Input.dispatchMouseEvent", { type, x: 30, y, button: "left", clickCount: 1 });
  return value("log.splice(0)");
};
const events = (id, target) => [
  `mouseenter ${id} button`,
  `pointerdown ${id} ${target}`,
  `mousedown ${id} ${target}`,
  `focus ${id} button`,
  `click ${id} ${target}`,
];
is(await click(25), events("plain", "slot"), "text");
is(await click(75), events("bold", "b"), "an element");
is(await click(125), events("inner", "slot"), "text in the slot of a slot");
is(await click(175), ["mouseenter off button", "pointerdown off slot"], "a disabled button");
await cdp("DOM.getDocument");
const { nodeId } = await cdp("DOM.getNodeForLocation", { x: 30, y: 25 });
is((await cdp("DOM.describeNode", { nodeId })).node.localName, "my-button", "the parent of the text");
