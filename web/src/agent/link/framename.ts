// What the frame's own name carries from one document to the next, whatever
// its origin: "cdphub:FLAGS:TARGET:NAME", of which script sees NAME alone. The
// flags are "o", script has opened this Target and has it as window.opener,
// and "d", clients drive it and answer its dialogs. Once, with "FLAGS,LENGTH",
// a load of that many characters stands before NAME.

const FORM = /^cdphub:([od]*)(?:,(\d+))?:(\w*):([\s\S]*)$/;
const property = Object.getOwnPropertyDescriptor(window, "name") as PropertyDescriptor;
const native = (): string => String(property.get?.call(window));

let flags = "";
let target = "";
let hidden = false;
let load = "";

/** Reads what the document before, or the Host page, has left. */
export function readName(): void {
  const found = FORM.exec(native());
  if (!found) return;
  flags = found[1];
  target = found[3];
  load = found[4].slice(0, Number(found[2] ?? 0));
  write(found[4].slice(load.length));
  hide();
}

/** What the document before has given along, once. */
export function takeLoad(): string {
  const taken = load;
  load = "";
  return taken;
}

/** Gives a text along to the next document. */
export function carryLoad(text: string): void {
  const name = window.name;
  hide();
  property.set?.call(window, `cdphub:${flags},${text.length}:${target}:${text}${name}`);
}

/** Whether a flag stands in the name. */
export function carried(flag: "o" | "d"): boolean {
  return flags.includes(flag);
}

/** The Target that the flags are about. */
export function carriedTarget(): string {
  return target;
}

/** Sets whether the next document starts as one that clients drive. */
export function carryDriven(driven: boolean, targetId: string): void {
  const next = (carried("o") ? "o" : "") + (driven ? "d" : "");
  if (next === flags && (targetId === target || !next)) return;
  const name = window.name;
  flags = next;
  target = targetId;
  if (flags) hide();
  write(name);
}

function write(name: string): void {
  property.set?.call(window, flags ? `cdphub:${flags}:${target}:${name}` : name);
}

function hide(): void {
  if (hidden) return;
  hidden = true;
  Object.defineProperty(window, "name", {
    ...property,
    get: () => {
      const found = FORM.exec(native());
      return found ? found[4].slice(Number(found[2] ?? 0)) : native();
    },
    set: (name: unknown) => write(String(name)),
  });
}
