// What a picture needs of the network and of the browser's memory, as data: URLs. A picture is drawn in one go and loads
// afterwards, so that it shows one moment: what is not there yet is a token in its text until then.

import { canvasMethods, contextOf, fetch, pictureOfFrame } from "./natives";
import * as dom from "./dom";

/** What has been loaded, by address, newest last; of a document, which shows an image as it was at its first use. */
const loaded = new Map<string, string>();
const MAX_LOADED = 200;
const MAX_CHARS = 30_000_000;
let chars = 0;

/** An image that shows nothing. */
const EMPTY = "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7";
const TOKEN = /resource:(\d+):/g;
const URLS = /url\(("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[^)"']*)\)/g;
const IMAGE_SET = /(?:-webkit-)?image-set\((?:[^()"]|"[^"]*"|\((?:[^()"]|"[^"]*")*\))*\)/g;

/** What the documents of a picture need together. */
interface Shared {
  wanted: string[];
  data: (string | Promise<string>)[];
  documents: Document[];
  /** Elements of other files: the address with the id, and the id in the picture. */
  externals: Map<string, string>;
}

export class Resources {
  /** Ids of SVG elements that the document refers to. */
  readonly ids = new Set<string>();

  constructor(
    private readonly doc: Document,
    private readonly shared: Shared = { wanted: [], data: [], documents: [], externals: new Map() },
  ) {
    shared.documents.push(doc);
  }

  /** Those of a document in a frame. */
  of(doc: Document): Resources {
    return new Resources(doc, this.shared);
  }

  get documents(): readonly Document[] {
    return this.shared.documents;
  }

  /** The id in the picture of an SVG element of another file. */
  external(url: string): string {
    const { externals } = this.shared;
    let id = externals.get(url);
    if (!id) externals.set(url, (id = `external-${externals.size}`));
    return id;
  }

  /** A data: URL, or a token for it, of an image or of a file. */
  address(url: string, isFile = false): string {
    if (/^data:/i.test(url)) return url;
    const known = loaded.get(url);
    if (known !== undefined) return known;
    const { wanted, data } = this.shared;
    let i = wanted.indexOf(url);
    if (i < 0) {
      i = wanted.push(url) - 1;
      data[i] = isFile ? fileAt(url) : imageAt(url);
    }
    return `resource:${i}:`;
  }

  /** A token for the picture of a frame of another origin. */
  frame(owner: Element): string {
    const { wanted, data } = this.shared;
    const i = wanted.push("") - 1;
    data[i] = pictureOfFrame(owner).then((picture) => (picture ? `data:image/png;base64,${picture}` : EMPTY));
    return `resource:${i}:`;
  }

  /** A CSS value with the addresses in it replaced. */
  inline = (value: string, isFile = false): string =>
    value.replace(IMAGE_SET, chosen).replace(URLS, (all, quoted: string) => {
      const url = /^["']/.test(quoted) ? unescape(quoted.slice(1, -1)) : quoted;
      const id = this.idOf(url);
      if (id !== undefined) {
        this.ids.add(id);
        return `url("#${CSS.escape(id)}")`;
      }
      return url ? `url("${this.address(url, isFile).replace(/"/g, "%22")}")` : all;
    });

  /** The id that an address within the document names. */
  idOf(url: string): string | undefined {
    const at = url.indexOf("#");
    if (at < 0 || /^data:/i.test(url)) return undefined;
    const before = url.slice(0, at);
    if (before && before !== this.doc.URL.split("#")[0] && before !== this.doc.baseURI.split("#")[0]) return undefined;
    return decode(url.slice(at + 1));
  }

  /** Loads what is wanted. */
  async load(): Promise<void> {
    const { wanted, data } = this.shared;
    await Promise.all(wanted.map(async (_, i) => (data[i] = await data[i])));
  }

  /** The text with what has been loaded in the place of the tokens; undefined where something has not been. */
  fill(text: string): string | undefined {
    const { wanted, data } = this.shared;
    if (wanted.some((_, i) => typeof data[i] !== "string")) return undefined;
    return text.replace(TOKEN, (_, i) => data[Number(i)] as string);
  }

  /** The elements of other SVG files that the picture refers to. */
  async externalElements(): Promise<string> {
    let text = "";
    for (const [url, id] of this.shared.externals) {
      const [file, name] = url.split("#");
      const source = await fileAt(file);
      const doc = new DOMParser().parseFromString(textOf(source), "image/svg+xml");
      const el = doc.getElementById(decode(name ?? ""));
      if (!el) continue;
      el.id = id;
      text += new XMLSerializer().serializeToString(el);
    }
    return text && `<svg xmlns="${dom.SVG}" width="0" height="0" style="position:absolute">${text}</svg>`;
  }
}

/** The text in a base64 data: URL. */
const textOf = (url: string): string =>
  new TextDecoder().decode(Uint8Array.from(atob(url.slice(url.indexOf(",") + 1)), (c) => c.charCodeAt(0)));

const decode = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

const unescape = (text: string): string =>
  text.replace(/\\(?:([0-9a-f]{1,6})\s?|(.))/gi, (_, hex, char) =>
    hex ? String.fromCodePoint(parseInt(hex, 16)) : char,
  );

/** The image of an image-set() that fits the screen. */
function chosen(set: string): string {
  const options = [
    ...set.matchAll(/(url\((?:"[^"]*"|[^)]*)\)|[\w-]+-gradient\((?:[^()]|\([^()]*\))*\))\s*([\d.]+)(?:x|dppx)/g),
  ];
  const sorted = options.map(([, image, x]) => ({ image, x: Number(x) })).sort((a, b) => a.x - b.x);
  return (sorted.find(({ x }) => x >= devicePixelRatio) ?? sorted[sorted.length - 1])?.image ?? set;
}

async function fileAt(url: string): Promise<string> {
  const data = (await fetched(url)) ?? EMPTY;
  keep(url, data);
  return data;
}

/**
 * An image that the document shows. The browser has it in memory: it makes no request for it, which the document's
 * service worker and its server would see, and it has the image of a blob that was revoked.
 */
async function imageAt(url: string): Promise<string> {
  const data = (await painted(url)) ?? (await fetched(url)) ?? EMPTY;
  keep(url, data);
  return data;
}

function keep(url: string, data: string): void {
  if (loaded.has(url) || data === EMPTY) return;
  loaded.set(url, data);
  chars += data.length;
  for (const [old, text] of loaded) {
    if (loaded.size <= MAX_LOADED && chars <= MAX_CHARS) break;
    loaded.delete(old);
    chars -= text.length;
  }
}

async function fetched(url: string): Promise<string | undefined> {
  try {
    const response = await fetch(url);
    if (!response.ok) return undefined;
    return await dataUrl(await response.blob(), url);
  } catch {
    return undefined;
  }
}

function dataUrl(blob: Blob, url = ""): Promise<string> {
  return new Promise((resolve) => {
    const reader = new FileReader();
    reader.onload = () => resolve(typed(String(reader.result), url));
    reader.onerror = () => resolve(EMPTY);
    reader.readAsDataURL(blob);
  });
}

/** A data: URL needs the right type where the file has none: browsers look into files, and an SVG image has no magic number. */
const typed = (data: string, url: string): string =>
  /\.svg([?#]|$)/i.test(url) ? data.replace(/^data:[^;,]*/, "data:image/svg+xml") : data;

/** How many times as large an image is drawn that may be drawn larger than it is. */
const FINER = 4;
const MAX_SIDE = 2_000;

/** What the browser draws of an image; undefined where script may not read it. */
async function painted(url: string): Promise<string | undefined> {
  const image = dom.newImage();
  image.src = url;
  try {
    await image.decode();
  } catch {
    return EMPTY; // the document does not show it either
  }
  const { naturalWidth: width, naturalHeight: height } = image;
  if (!/\.svg([?#]|$)/i.test(url)) return drawn(image, width, height);
  // An SVG image of no size of its own is as large as the box that it is in; the browser says 300 by 150, or less.
  if (width === 300 || height === 150) return undefined;
  const times = Math.min(FINER, MAX_SIDE / Math.max(width, height));
  const data = drawn(image, width * times, height * times);
  if (!data) return undefined;
  const svg = `<svg xmlns="${dom.SVG}" width="${width}" height="${height}"><image width="${width}" height="${height}" href="${data}"/></svg>`;
  return `data:image/svg+xml;base64,${btoa(svg)}`;
}

/** What a canvas makes of an image, a video or a canvas; undefined where script may not read it. */
export function drawn(source: CanvasImageSource, width: number, height: number): string | undefined {
  const canvas = dom.newCanvas();
  canvas.width = width;
  canvas.height = height;
  try {
    const { drawImage, toDataURL } = canvasMethods();
    drawImage.call(contextOf(canvas), source, 0, 0, width, height);
    return toDataURL.call(canvas);
  } catch {
    return undefined;
  }
}

/** The pixels of images by what they show, so that an image is encoded once. */
const pixels = new WeakMap<Element, { url: string; data: string }>();

/** What an `img` element shows: its own pixels, which need no request and are those of a revoked blob, too. */
export function imageOf(img: HTMLImageElement, resources: Resources): string | undefined {
  const url = dom.own<string>(img, "currentSrc");
  const width = dom.own<number>(img, "naturalWidth"),
    height = dom.own<number>(img, "naturalHeight");
  if (!url || !dom.own<boolean>(img, "complete")) return undefined;
  if (/^data:|\.svg([?#]|$)/i.test(url)) return resources.address(url);
  if (!width || !height) return undefined;
  const known = pixels.get(img);
  if (known?.url === url) return known.data;
  const data = drawn(img, width, height);
  if (!data || data === EMPTY) return resources.address(url);
  pixels.set(img, { url, data });
  return data;
}
