// Closes popovers and dialogs by Escape and by a press outside of them. Browsers do so only for trusted input.

import { type Spot, send } from "./point";
import { pathOf } from "../../flattree";

declare global {
  interface HTMLDialogElement {
    /** Older browsers have neither it nor requestClose. */
    closedBy?: string;
  }
}

/** Closes what Escape closes: the last popover with light dismiss, or else the last modal dialog. */
export function closeByKey(doc: Document): void {
  const popover = openPopovers(doc).at(-1);
  if (popover) return popover.hidePopover();
  const dialog = [...doc.querySelectorAll<HTMLDialogElement>("dialog:modal")].at(-1) as HTMLDialogElement | undefined;
  if (dialog && dialog.closedBy !== "none") requestClose(dialog);
}

/** Closes what a press outside closes, when the mouse has been pressed and released there. */
export function closeByPress(from: Element[], spot: Spot): void {
  const doc = spot.win.document;
  const path = pathOf(spot.el);
  for (const popover of openPopovers(doc).reverse()) {
    const opener = (e: Element): boolean => e.getAttribute("popovertarget") === popover.id && popover.id !== "";
    const inside = (p: Element[]): boolean => p.some((e) => e === popover || opener(e));
    if (!inside(path) && !inside(from)) popover.hidePopover();
  }
  for (const dialog of doc.querySelectorAll<HTMLDialogElement>("dialog[open]")) {
    if (dialog.closedBy !== "any") continue;
    const box = dialog.getBoundingClientRect();
    const within = spot.x >= box.left && spot.x <= box.right && spot.y >= box.top && spot.y <= box.bottom;
    // A press on the backdrop has the dialog as its target, at a point outside of the dialog's box.
    if (!within && (from[0] === dialog || !from.includes(dialog))) requestClose(dialog);
  }
}

function openPopovers(doc: Document): HTMLElement[] {
  if (!("popover" in doc.documentElement)) return []; // in older browsers :popover-open is a syntax error
  return [...doc.querySelectorAll<HTMLElement>("[popover]:popover-open")].filter((e) => e.popover !== "manual");
}

function requestClose(dialog: HTMLDialogElement): void {
  if ("requestClose" in (dialog as object)) return dialog.requestClose();
  const { Event } = dialog.ownerDocument.defaultView ?? window;
  if (send(dialog, new Event("cancel", { cancelable: true }))) dialog.close();
}
