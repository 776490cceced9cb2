// DOMSnapshot.NodeTreeSnapshot.

import type { Protocol } from "../cdp";
import { Rare, type Strings } from "./strings";
import { documentIn } from "../realms";

/** What the agent knows of nodes and frames. */
export interface Ids {
  idOfNode(node: Node): number;
  frameIdOf(doc: Document): string;
}

/** Elements that react to a click, as far as page script can see. It cannot see event listeners. */
const CLICKABLE =
  "a[href],area[href],input:enabled,button:enabled,summary,[onclick],[onmousedown],[onmouseup],[contenteditable]:not([contenteditable=false])";

export class Nodes {
  private readonly parentIndex: number[] = [];
  private readonly nodeType: number[] = [];
  private readonly nodeName: number[] = [];
  private readonly nodeValue: number[] = [];
  private readonly backendNodeId: number[] = [];
  private readonly attributes: number[][] = [];
  private readonly shadowRootType = new Rare();
  private readonly textValue = new Rare();
  private readonly inputValue = new Rare();
  private readonly contentDocumentIndex = new Rare();
  private readonly currentSourceURL = new Rare();
  private readonly inputChecked: number[] = [];
  private readonly optionSelected: number[] = [];
  private readonly isClickable: number[] = [];

  /** `queue` holds the documents of the snapshot; those of frames are added. */
  constructor(
    private readonly strings: Strings,
    private readonly ids: Ids,
    private readonly queue: Document[],
  ) {}

  /** Adds a node and all below it, in order, calling `seen` for each with its index. `mode` is that of the shadow tree it is in. */
  walk(node: Node, seen: (node: Node, index: number) => void, parent = -1, mode?: ShadowRootMode): void {
    const index = this.add(node, parent, mode);
    seen(node, index);
    const el = node.nodeType === Node.ELEMENT_NODE ? (node as Partial<Element & HTMLSlotElement>) : undefined;
    // In the order of the flat tree, as in Chromium: the contents of a shadow root replace its host's children.
    const root = el?.shadowRoot;
    const assigned = (mode && el?.assignedNodes?.()) || [];
    for (const child of assigned) this.walk(child, seen, index, modeOf(child));
    if (assigned.length) return;
    for (let child = (root ?? node).firstChild; child; child = child.nextSibling)
      this.walk(child, seen, index, root ? root.mode : mode);
  }

  private add(node: Node, parent: number, mode?: ShadowRootMode): number {
    const { strings } = this;
    const index = this.parentIndex.push(parent) - 1;
    this.nodeType.push(node.nodeType);
    this.nodeName.push(strings.index(node.nodeName));
    this.nodeValue.push(strings.index(node.nodeValue));
    this.backendNodeId.push(this.ids.idOfNode(node));
    const el = node.nodeType === Node.ELEMENT_NODE ? (node as Element) : undefined;
    this.attributes.push(el ? this.attributesOf(el) : []);
    if (mode) this.shadowRootType.set(index, strings.index(mode));
    if (el) this.addElement(el, index);
    return index;
  }

  /** By getAttributeNames: el.attributes would make an object for each attribute. */
  private attributesOf(el: Element): number[] {
    const list: number[] = [];
    for (const name of el.getAttributeNames()) {
      // getAttribute of an HTML element does not find a name in upper case, which setAttributeNS may give.
      const value = el.getAttribute(name) ?? [...el.attributes].find((a) => a.name === name)?.value;
      list.push(this.strings.index(name), this.strings.index(value));
    }
    return list;
  }

  private addElement(el: Element, index: number): void {
    const { strings } = this;
    if (el.matches(CLICKABLE)) this.isClickable.push(index);
    switch (el.localName) {
      case "input": {
        const { value, checked } = el as HTMLInputElement;
        this.inputValue.set(index, strings.index(value));
        if (checked) this.inputChecked.push(index);
        break;
      }
      case "textarea":
        this.textValue.set(index, strings.index((el as HTMLTextAreaElement).value));
        break;
      case "option":
        if ((el as HTMLOptionElement).selected) this.optionSelected.push(index);
        break;
      case "img":
        this.currentSourceURL.set(index, strings.index((el as HTMLImageElement).currentSrc));
        break;
      case "iframe": {
        const doc = documentIn(el as HTMLIFrameElement);
        if (doc) this.contentDocumentIndex.set(index, this.queue.push(doc) - 1);
      }
    }
  }

  snapshot(): Protocol.DOMSnapshot.NodeTreeSnapshot {
    const { strings: _s, ids: _i, queue: _q, inputChecked, optionSelected, isClickable, ...rest } = this;
    const none = { index: [], value: [] };
    return {
      ...rest,
      inputChecked: { index: inputChecked },
      optionSelected: { index: optionSelected },
      isClickable: { index: isClickable },
      pseudoType: none,
      pseudoIdentifier: none,
      originURL: none,
    };
  }
}

/** The mode of the shadow tree that a node is in. */
function modeOf(node: Node): ShadowRootMode | undefined {
  return (node.getRootNode() as Partial<ShadowRoot>).mode;
}
