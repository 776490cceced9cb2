// The Input domain.

import { register } from "../registry";
import { dispatchDragEvent, setInterceptDrags } from "./drag";
import { insertText } from "./editing";
import { focused } from "./focus";
import { dispatchKeyEvent } from "./keyboard";
import { dispatchMouseEvent, tap } from "./mouse";
import { spotAt } from "./point";
import { dispatchTouchEvent } from "./touch";

register("Input", {
  dispatchMouseEvent,
  dispatchKeyEvent,
  dispatchTouchEvent,
  dispatchDragEvent,
  setInterceptDrags,
  insertText: (p) => insertText(focused(), String(p.text ?? "")),
  setIgnoreInputEvents: () => {},
  synthesizeTapGesture: (p) => {
    const spot = spotAt(p.x, p.y);
    for (let i = 0; spot && i < (p.tapCount ?? 1); i++) tap(spot, { pointerType: "touch" });
  },
});
