// DataTransfers like those of the browser's own drags and clipboard events.

const EFFECTS = /^(none|copy|link|move)$/;
const ALLOWED = /^(none|copy|link|move|copyLink|copyMove|linkMove|all|uninitialized)$/;

/** The properties that newTransfer defines. No script can replace them. */
interface Effects {
  effectAllowed: string;
  dropEffect: string;
}
export const effectsOf = (data: DataTransfer): Effects => data as unknown as Effects;

/** A DataTransfer with settable effects. Those of a DataTransfer made by script stay "none". */
export function newTransfer(): DataTransfer {
  const data = new DataTransfer();
  const hold = (name: string, value: string, form: RegExp): void => {
    Object.defineProperty(data, name, {
      configurable: true,
      get: () => value,
      set: (v) => form.test(v) && (value = String(v)),
    });
  };
  hold("effectAllowed", "uninitialized", ALLOWED);
  hold("dropEffect", "none", EFFECTS);
  return data;
}
