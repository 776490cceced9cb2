// Says inside an image that a rasteriser has drawn it: a tEXt chunk in PNG
// (RFC 2083, 4.2.3), a comment in JPEG (ITU T.81, B.2.4.5), an XMP chunk in
// WebP (RFC 9649, 2.7.1.5).

const LABEL = "cdphub DOM rasteriser";

/** The image with the label in it; the bytes of another kind of file as they are. */
export function label(image: Uint8Array): Uint8Array {
  const kind = text(image.subarray(0, 12));
  if (kind.startsWith("\x89PNG")) return labelPng(image);
  if (kind.startsWith("\xff\xd8")) return insert(image, 2, segment(LABEL));
  if (kind.startsWith("RIFF") && kind.endsWith("WEBP")) return labelWebp(image);
  return image;
}

// -------------------------------------------------------------------- PNG

const IHDR_END = 8 + 25;

function labelPng(png: Uint8Array): Uint8Array {
  const body = bytes(`tEXtSoftware\0${LABEL}`);
  const chunk = new Uint8Array(body.length + 8);
  const view = new DataView(chunk.buffer);
  view.setUint32(0, body.length - 4);
  chunk.set(body, 4);
  view.setUint32(4 + body.length, crc32(body));
  return insert(png, IHDR_END, chunk);
}

function crc32(data: Uint8Array): number {
  let crc = ~0;
  for (const byte of data) {
    crc ^= byte;
    for (let i = 0; i < 8; i++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc >>> 0;
}

// ------------------------------------------------------------------- JPEG

function segment(comment: string): Uint8Array {
  const length = comment.length + 2;
  return bytes(`\xff\xfe${String.fromCharCode(length >> 8, length & 255)}${comment}`);
}

// ------------------------------------------------------------------- WebP

const XMP_FLAG = 4;
const ALPHA_FLAG = 16;

/** Only a file that begins with VP8X may have further chunks, so VP8X is added if it is missing. */
function labelWebp(webp: Uint8Array): Uint8Array {
  const xmp =
    `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">` +
    `<rdf:Description rdf:about="" xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmp:CreatorTool="${LABEL}"/></rdf:RDF></x:xmpmeta>`;
  const body = xmp.length % 2 ? `${xmp} ` : xmp;
  const chunk = new Uint8Array(8 + body.length);
  chunk.set(bytes("XMP "), 0);
  new DataView(chunk.buffer).setUint32(4, body.length, true);
  chunk.set(bytes(body), 8);
  const extended = insert(extend(webp), Infinity, chunk);
  extended[20] |= XMP_FLAG;
  new DataView(extended.buffer).setUint32(4, extended.length - 8, true);
  return extended;
}

function extend(webp: Uint8Array): Uint8Array {
  const view = new DataView(webp.buffer, webp.byteOffset);
  const first = text(webp.subarray(12, 16));
  if (first === "VP8X") return webp;
  const lossless = first === "VP8L";
  const packed = view.getUint32(21, true); // of VP8L: two times 14 bits, then whether there is alpha
  const width = lossless ? (packed & 0x3fff) + 1 : view.getUint16(26, true) & 0x3fff;
  const height = lossless ? ((packed >> 14) & 0x3fff) + 1 : view.getUint16(28, true) & 0x3fff;
  const header = new Uint8Array(18);
  header.set(bytes("VP8X\x0a"), 0);
  header[8] = lossless && packed & (1 << 28) ? ALPHA_FLAG : 0;
  for (const [at, n] of [
    [12, width - 1],
    [15, height - 1],
  ]) {
    header.set([n & 255, (n >> 8) & 255, n >> 16], at);
  }
  return insert(webp, 12, header);
}

// ------------------------------------------------------------------ bytes

function insert(into: Uint8Array, at: number, part: Uint8Array): Uint8Array {
  const where = Math.min(at, into.length);
  const all = new Uint8Array(into.length + part.length);
  all.set(into.subarray(0, where), 0);
  all.set(part, where);
  all.set(into.subarray(where), where + part.length);
  return all;
}

function bytes(s: string): Uint8Array {
  return Uint8Array.from(s, (c) => c.charCodeAt(0));
}

function text(data: Uint8Array): string {
  return String.fromCharCode(...data);
}
