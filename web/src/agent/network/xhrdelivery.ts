// The answer of an XMLHttpRequest that a Client has made up or changed, with the response in every responseType.

import { isMadeUp } from "./draft";
import { Answer, fire } from "./xhranswer";

const NO_BYTES = new Uint8Array();

export class DeliveredAnswer extends Answer {
  private got = new Headers();
  private bytes = NO_BYTES;
  private cached: unknown;

  /** Delivers a response. Script sees only the headers `seen`. */
  async deliver(r: Response, seen: Headers): Promise<void> {
    const { xhr, call } = this;
    const x = call.exchange!;
    x.responded({
      url: r.url || call.url,
      status: r.status,
      statusText: r.statusText,
      headers: Object.fromEntries(r.headers),
      made: isMadeUp(r),
    });
    const received = r.arrayBuffer();
    if (call.size) {
      this.uploaded = true;
      fire(xhr.upload, "loadstart", 0, call.size);
      for (const type of ["progress", "load", "loadend"]) fire(xhr.upload, type, call.size, call.size);
    }
    this.status = r.status;
    this.statusText = r.statusText;
    this.got = seen;
    this.responseURL = (call.shown?.as ?? (r.url || call.url)).split("#")[0];
    if (!this.enter(2)) return;
    let bytes: Uint8Array<ArrayBuffer>;
    try {
      bytes = new Uint8Array(await received);
    } catch {
      x.failed("net::ERR_FAILED");
      if (this.current) this.end("error");
      return;
    }
    if (!this.current) return;
    x.finished(bytes.slice());
    this.bytes = bytes;
    const { length } = bytes;
    const total = this.got.has("content-length") ? length : 0;
    if (length) {
      if (!this.enter(3)) return;
      fire(xhr, "progress", length, total);
    }
    if (!this.current || !this.enter(4)) return;
    fire(xhr, "load", length, total);
    if (this.current) fire(xhr, "loadend", length, total);
  }

  protected override fail(): void {
    super.fail();
    this.got = new Headers();
    this.bytes = NO_BYTES;
    this.cached = undefined;
  }

  // ------------------------------------------------------------ response

  override header(name: string): string | null {
    return this.readyState < 2 ? null : this.got.get(name);
  }

  override headers(): string {
    return this.readyState < 2 ? "" : [...this.got].map(([n, v]) => `${n}: ${v}\r\n`).join("");
  }

  override get responseText(): string {
    return this.readyState < 3 ? "" : new TextDecoder(this.charset()).decode(this.bytes);
  }

  override get responseXML(): Document | null {
    if (this.readyState !== 4 || !this.status) return null;
    return (this.cached ??= this.document()) as Document | null;
  }

  override get response(): unknown {
    const { responseType } = this.xhr;
    if (responseType === "" || responseType === "text") return this.responseText;
    if (this.readyState !== 4 || !this.status) return null;
    if (this.cached === undefined) this.cached = this.typed(responseType);
    return this.cached;
  }

  private typed(type: XMLHttpRequestResponseType): unknown {
    const { win } = this.call;
    if (type === "arraybuffer") {
      const buffer = new win.ArrayBuffer(this.bytes.length);
      new Uint8Array(buffer).set(this.bytes);
      return buffer;
    }
    if (type === "blob") return new win.Blob([this.bytes as Uint8Array<ArrayBuffer>], { type: this.mime() });
    if (type === "document") return this.document();
    try {
      return (win as unknown as typeof globalThis).JSON.parse(new TextDecoder().decode(this.bytes));
    } catch {
      return null;
    }
  }

  private document(): Document | null {
    const mime = this.mime().split(";")[0].trim().toLowerCase();
    const html = mime === "text/html";
    if (!html && !/^(text|application)\/xml$|\+xml$/.test(mime)) return null;
    if (html && this.xhr.responseType !== "document") return null;
    const parsed = new this.call.win.DOMParser().parseFromString(
      this.responseText,
      html ? "text/html" : "application/xml",
    );
    return !html && parsed.querySelector("parsererror") ? null : parsed;
  }

  private mime(): string {
    return this.call.mime ?? this.got.get("content-type") ?? "text/xml";
  }

  private charset(): string {
    const label = /charset="?([^";]+)/i.exec(this.mime())?.[1] ?? "utf-8";
    try {
      return new TextDecoder(label).encoding;
    } catch {
      return "utf-8";
    }
  }
}
