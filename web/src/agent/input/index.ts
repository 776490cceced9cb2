// The Input domain.

import { register } from "../base/registry";
import { isTextControl } from "./change";
import { dispatchDragEvent, setInterceptDrags } from "./drag";
import { isEditable } from "./editable";
import { contextIn, contextOf } from "./editcontext";
import { announceText, insertText } from "./editing";
import { focused } from "./focus";
import { dispatchKeyEvent } from "./keyboard";
import { dispatchMouseEvent } from "./mouse";
import "./nestedinput";
import { dispatchTouchEvent } from "./touch";

register("Input", {
  dispatchMouseEvent,
  dispatchKeyEvent,
  dispatchTouchEvent,
  dispatchDragEvent,
  setInterceptDrags,
  insertText: (p) => {
    const [el, text] = [focused(), String(p.text ?? "")];
    const context = contextOf(el);
    if (context)
      contextIn(el, context).insert(text); // Chromium asks nobody before
    else if (isTextControl(el) || isEditable(el) || announceText(el, text)) insertText(el, text);
  },
  synthesizeTapGesture: (p) => {
    for (let i = 0; i < (p.tapCount ?? 1); i++) {
      dispatchTouchEvent({ type: "touchStart", touchPoints: [{ x: p.x, y: p.y }] });
      dispatchTouchEvent({ type: "touchEnd", touchPoints: [] });
    }
  },
});
