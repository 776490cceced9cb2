// The text/event-stream format (HTML Standard, 9.2), read by fetch: EventSource cannot send the header Authorization.

export interface ServerEvent {
  event: string;
  data: string;
}

/** Parses text in pieces of any size, and calls `got` for each event. */
export class EventParser {
  private rest = "";
  private event = "";
  private data: string[] = [];

  constructor(private readonly got: (event: ServerEvent) => void) {}

  push(text: string): void {
    this.rest += text;
    // A CR at the end may be the first half of CRLF.
    const whole = this.rest.endsWith("\r") ? this.rest.slice(0, -1) : this.rest;
    const lines = whole.split(/\r\n|\r|\n/);
    this.rest = lines.pop()! + this.rest.slice(whole.length);
    for (const line of lines) this.line(line);
  }

  private line(line: string): void {
    if (line === "") {
      if (this.data.length) this.got({ event: this.event || "message", data: this.data.join("\n") });
      this.event = "";
      this.data = [];
      return;
    }
    const colon = line.indexOf(":");
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "event") this.event = value;
    else if (field === "data") this.data.push(value);
  }
}
