// window.name keeps its value when a frame navigates, even to another origin. So the agent stores data for the next
// document in it: "cdphub:FLAGS:TARGET:NAME". Page script sees only NAME. Flag "o": script opened this Target, which
// has a window.opener. Flag "d": Clients drive the Target and answer its dialogs. "cdphub:FLAGS,LENGTH:TARGET:" is
// followed by a payload of LENGTH characters, which is read once, and then by NAME.

const NAME_FORM = /^cdphub:([od]*)(?:,(\d+))?:(\w*):([\s\S]*)$/;
const property = Object.getOwnPropertyDescriptor(window, "name") as PropertyDescriptor;
const native = (): string => String(property.get?.call(window));

let flags = "";
let target = "";
let hidden = false;
let load = "";

/** Reads what the previous document or the Host page has stored. */
export function readName(): void {
  const found = NAME_FORM.exec(native());
  if (!found) return;
  flags = found[1];
  target = found[3];
  load = found[4].slice(0, Number(found[2] ?? 0));
  write(found[4].slice(load.length));
  hide();
}

/** The payload of the previous document; "" after the first call. */
export function takeLoad(): string {
  const taken = load;
  load = "";
  return taken;
}

/** Stores a payload for the next document. */
export function carryLoad(text: string): void {
  const name = window.name;
  hide();
  property.set?.call(window, `cdphub:${flags},${text.length}:${target}:${text}${name}`);
}

/** Whether the name has this flag. */
export function carried(flag: "o" | "d"): boolean {
  return flags.includes(flag);
}

/** The Target that the flags are about; "" without flags. */
export function carriedTarget(): string {
  return flags && target;
}

/** Stores for the next document whether Clients drive this Target. */
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
      const found = NAME_FORM.exec(native());
      return found ? found[4].slice(Number(found[2] ?? 0)) : native();
    },
    set: (name: unknown) => write(String(name)),
  });
}
