// The messages of the hub below /ui/api. server/internal/dashboard is the other side; docs/dashboard.md describes them.

export type * from "../../wire/state";

export interface Entry {
  seq: number;
  at: number;
  kind: string;
  client?: string;
  method?: string;
  text?: string;
  ms?: number;
  error?: string;
  picture?: boolean;
}

/** The viewport in CSS px, in which all positions are. */
export interface Viewport {
  width: number;
  height: number;
}

export interface PictureMessage extends Viewport {
  kind: "picture";
  seq: number;
  format: string;
}

export interface HolderMessage {
  kind: "holder";
  /** The holder of the lease; "" if it is free. */
  name: string;
  mine: boolean;
  /** Whether the holder is this person, maybe in another window. */
  you?: boolean;
  until: number;
  /** Whether others do not see what the holder types. */
  quiet?: boolean;
}

/** A dialog of the page has opened; with type "" it has closed. Only the holder of the lease gets this. */
export interface DialogMessage {
  kind: "dialog";
  type: string;
  message: string;
  default: string;
}

/** From the hub, on the view socket. The bytes of a picture follow its message. */
export type FromView =
  | { kind: "view"; targetId: string; title: string; url: string; drawn: boolean; control: boolean }
  | PictureMessage
  | HolderMessage
  | DialogMessage
  | { kind: "error"; message: string }
  | { kind: "gone"; message: string };

export interface MouseInput {
  kind: "mouse";
  type: "mouseMoved" | "mousePressed" | "mouseReleased" | "mouseWheel";
  x: number;
  y: number;
  button: string;
  buttons: number;
  clickCount: number;
  deltaX: number;
  deltaY: number;
  modifiers: number;
}

export interface KeyInput {
  kind: "key";
  type: "keyDown" | "keyUp";
  key: string;
  code: string;
  text?: string;
  unmodifiedText?: string;
  windowsVirtualKeyCode: number;
  nativeVirtualKeyCode: number;
  modifiers: number;
  autoRepeat: boolean;
  isKeypad: boolean;
  location: number;
}

/** To the hub. */
export type ToView =
  | { kind: "ack"; seq: number }
  | { kind: "size"; width: number; height: number; fps: number }
  | { kind: "take" | "release" | "reload" | "close" | "done" | "cancel" }
  | { kind: "paste"; text: string }
  | { kind: "dialog"; accept: boolean; text?: string }
  | MouseInput
  | KeyInput;
