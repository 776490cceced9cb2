// The page script of package actions: the hub calls run(verb, args) by
// Runtime.callFunctionOn, and gets JSON text. internal/wiretest compares the
// verbs, their args and their results with the calls in package actions.

/** One verb: what it takes and what it answers. */
export interface Verb<Args, Result> {
  args: Args;
  result: Result;
}

/** A locator. */
export interface Query {
  by: string;
  value?: string;
  name?: string;
  exact?: boolean;
  first?: boolean;
  /** Whether secrets may be used to find the element: the caller may read the page itself. */
  live?: boolean;
  /**
   * Of a ref such as button[0]: the caller has taken snapshots, so that only refs of one are good. Says whether one of
   * them, of whatever document, had this ref.
   */
  taken?: "given" | "never";
  x?: number;
  y?: number;
}

/** The args of every call. */
export interface AnyArgs {
  /** Maximum time to wait for an element to pass the checks, in milliseconds. */
  wait: number;
  /** The caller may only read: nothing is written into the page. */
  reads?: boolean;
  /** The numbers that no other script gives to elements, in ascending order. */
  numbers?: Span[] | null;
  /** The numbers of data-rp-id in this document; only for calls about such elements. */
  ids?: Span[] | null;
}

/** The first number, and the one after the last. */
export type Span = [number, number];

/** For verbs that may concern one element, or the page. */
export interface AboutArgs extends AnyArgs {
  locator?: Query;
}

/** For verbs that concern one element. */
export interface ElementArgs extends AnyArgs {
  locator: Query;
}

export interface PointArgs extends ElementArgs {
  /** From the element's upper left corner. The default is its middle. */
  position?: Position;
  /** Without checks, except that there is such an element. */
  force?: boolean;
  /** The element need not be enabled: for hovering. */
  disabled?: boolean;
  /** The element may be covered by another. */
  covered?: boolean;
}

export interface Position {
  x: number;
  y: number;
}

/** The action point. */
export interface PointResult {
  x: number;
  y: number;
}

export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface BoxesArgs extends AnyArgs {
  locators: Query[];
}

export interface FocusArgs extends AboutArgs {
  /** The caret goes to the end of the text. */
  atEnd?: boolean;
  /** The field is emptied. */
  clear?: boolean;
  /** The element must take text. */
  editable?: boolean;
}

export interface FillArgs extends ElementArgs {
  value: string;
  force?: boolean;
}

export interface FilesArgs extends ElementArgs {
  files: Upload[];
}

export interface Upload {
  name: string;
  type: string;
  /** Base64. */
  data: string;
}

export interface ScrollArgs extends AboutArgs {
  /** CSS pixels. */
  dx?: number;
  dy?: number;
  end?: "top" | "bottom";
  /** Viewports instead of pixels; the signs of dx and dy say where to. */
  pages?: number;
}

export interface WaitArgs extends ElementArgs {
  state: "attached" | "detached" | "visible" | "hidden" | "enabled" | "disabled";
  /** The element gets an id, by which the caller can find it later. */
  tag?: boolean;
}

export interface WaitResult {
  handle: string;
  id: string;
}

export interface YAMLArgs extends AboutArgs {
  refs: boolean;
  /** Whether each element has its position in its own frame's viewport: [box=x,y,width,height]. */
  boxes: boolean;
  /** The prefix of all refs. */
  above: string;
}

export interface YAMLResult {
  text: string;
  count: number;
  title: string;
  url: string;
  /** The frames with documents of another origin. */
  holes: YAMLHole[];
}

/** A frame whose document another page script reads. */
export interface YAMLHole {
  handle: string;
  /** The index of the frame's own line, from 0. */
  line: number;
  /** The prefix of the refs in it. */
  above: string;
}

export interface ElementEntry {
  ref_id: string;
  role: string;
  name: string | null;
  value: string | null;
  state: string[];
  bounds: Box;
  children?: ElementEntry[];
}

export interface ElementsResult {
  page_title: string;
  page_url: string;
  focused_ref: string | null;
  elements: ElementEntry[];
  truncated: boolean;
}

export interface TaggedArgs extends AnyArgs {
  includeHidden?: boolean;
  maxElements?: number;
  viewportOnly?: boolean;
}

export interface TaggedResult {
  markdown: string;
  url: string;
  title: string;
  elementCount: number;
  truncated: boolean;
}

export interface ObserveArgs extends AnyArgs {
  /** The refs that the caller has been given, with role and name of the element: "button|Save". */
  known?: Record<string, string> | null;
  maxElements?: number;
  /** null and an empty list ask for all roles. */
  filterRoles?: string[] | null;
  includeBounds?: boolean;
  stableRefs?: boolean;
  refreshRefs?: boolean;
  includeRefHistory?: boolean;
  incremental?: boolean;
  minimal?: boolean;
}

/** A selector as adapters take it: {"type":"role","role":"button","name":"Save"}. */
export interface Selector {
  type: string;
  value?: string;
  role?: string;
  name?: string;
}

export interface ObservedElement {
  ref: string;
  selector: Selector;
  role: string;
  name?: string;
  value?: string;
  actionHints: string[];
  bounds?: Box;
  tagName: string;
  focused?: boolean;
  disabled?: boolean;
  stability?: string;
  previousRef?: string;
  alternativeSelectors?: Selector[];
}

export interface ObservedChanges {
  added: string[];
  updated: string[];
  removed: string[];
}

export interface ObserveResult {
  elements: ObservedElement[];
  total: number;
  changes?: ObservedChanges;
  url: string;
  title: string;
  viewport: Size;
}

export interface Size {
  width: number;
  height: number;
}

export interface ContentArgs extends AboutArgs {
  /** "html", "text" or "markdown". */
  format: string;
}

export interface ContentResult {
  content: string;
  url: string;
  title: string;
}

export interface StateArgs extends ElementArgs {
  properties: string[];
}

export interface MetricsResult {
  /** devicePixelRatio. */
  scale: number;
  width: number;
  height: number;
}

export interface OverlayArgs extends AnyArgs {
  marks: Mark[];
}

/** A box to paint. */
export interface Mark extends Box {
  /** Beside the box; without one the box is filled. */
  label?: string;
}

export interface ChooseArgs extends ElementArgs {
  values: string[];
}

export interface StorageResult {
  origin: string;
  localStorage: Pair[];
  sessionStorage: Pair[];
}

export interface StoreArgs extends AnyArgs {
  localStorage?: Pair[] | null;
  sessionStorage?: Pair[] | null;
}

export interface Pair {
  name: string;
  value: string;
}

/** The verbs that read the page. Secrets are removed from their texts. */
export interface ReadingVerbs {
  point: Verb<PointArgs, PointResult>;
  hit: Verb<ElementArgs, null>;
  box: Verb<ElementArgs, Box>;
  boxes: Verb<BoxesArgs, Box[]>;
  focus: Verb<FocusArgs, null>;
  fill: Verb<FillArgs, null>;
  /** true, false or "mixed". */
  checked: Verb<ElementArgs, unknown>;
  files: Verb<FilesArgs, null>;
  scroll: Verb<ScrollArgs, null>;
  scrollIntoView: Verb<ElementArgs, null>;
  /** Listens for a drag; the next call says whether one has begun, and stops. */
  dragStarts: Verb<AnyArgs, boolean>;
  /** Waits until the tasks that the page has queued are done. */
  turn: Verb<AnyArgs, null>;
  /** null when there is no such element. */
  wait: Verb<WaitArgs, WaitResult | null>;
  yaml: Verb<YAMLArgs, YAMLResult>;
  elements: Verb<AnyArgs, ElementsResult>;
  tagged: Verb<TaggedArgs, TaggedResult>;
  observe: Verb<ObserveArgs, ObserveResult>;
  content: Verb<ContentArgs, ContentResult>;
  /** The properties that were asked for, and found. */
  state: Verb<StateArgs, Record<string, unknown>>;
  /** How many frames are around the document. */
  depth: Verb<AnyArgs, number>;
  metrics: Verb<AnyArgs, MetricsResult>;
  overlay: Verb<OverlayArgs, null>;
}

/** The verbs for the hub itself, and for callers who may read secrets. */
export interface PrivateVerbs {
  secrets: Verb<AnyArgs, string[]>;
  choose: Verb<ChooseArgs, string[]>;
  storage: Verb<AnyArgs, StorageResult>;
  store: Verb<StoreArgs, null>;
}
