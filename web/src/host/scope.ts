import type { FromCore, ToCore } from "../wire/core";

/** The global scope of a dedicated Worker, or its stand-in on the main thread. */
export interface Scope {
  postMessage(message: FromCore, transfer: Transferable[]): void;
  onmessage: ((event: { data: ToCore }) => void) | null;
}
