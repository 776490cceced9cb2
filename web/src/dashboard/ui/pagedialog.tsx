import { useLayoutEffect, useRef } from "preact/hooks";
import type { DialogMessage, ToView } from "../api/wire";

interface Props {
  dialog: DialogMessage;
  send(message: ToView): void;
}

/** An alert, confirm or prompt of the page, for the holder of the lease: it is in no picture. */
export function PageDialog({ dialog, send }: Props) {
  const form = useRef<HTMLFormElement>(null);
  const text = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    (text.current ?? form.current?.querySelector("button"))?.focus();
  }, []);
  const answer = (accept: boolean) =>
    send({ kind: "dialog", accept, ...(text.current && { text: text.current.value }) });
  const accept = (event: Event) => {
    event.preventDefault();
    answer(true);
  };
  return (
    <div class="card dialog" role="alertdialog" aria-labelledby="dialog" aria-describedby="says">
      <h2 id="dialog">{dialog.type === "beforeunload" ? "Leave this page?" : "The page says"}</h2>
      <p id="says" class="instructions">
        {dialog.message}
      </p>
      <form ref={form} onSubmit={accept}>
        {dialog.type === "prompt" && <input ref={text} aria-labelledby="says" defaultValue={dialog.default} />}
        <div class="row">
          <button type="submit" class="main">
            OK
          </button>
          {dialog.type !== "alert" && (
            <button type="button" onClick={() => answer(false)}>
              Cancel
            </button>
          )}
        </div>
      </form>
    </div>
  );
}
