// The part of the Navigation API that the agent uses. Firefox ESR and Safari 16 have none.

interface HistoryEntry {
  index: number;
  url: string | null;
  key: string;
  sameDocument: boolean;
}
export interface NavigateEvent extends Event {
  canIntercept: boolean;
  hashChange: boolean;
  downloadRequest: string | null;
  navigationType: "push" | "replace" | "reload" | "traverse";
  userInitiated: boolean;
  formData: FormData | null;
  /** Not in every browser. */
  sourceElement?: Element | null;
  destination: { url: string; sameDocument: boolean };
  intercept(options?: object): void;
}
export interface Navigation extends EventTarget {
  entries(): HistoryEntry[];
  currentEntry: HistoryEntry | null;
  traverseTo(key: string): { committed: Promise<unknown>; finished: Promise<unknown> };
}
export interface NavigationCurrentEntryChangeEvent extends Event {
  navigationType: string | null;
}

declare global {
  interface Window {
    navigation?: Navigation;
  }
}
