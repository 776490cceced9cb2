// What the apps have in common: all that is not rendering.

export const blank = { name: "", username: "", email: "", bio: "", plan: "free", size: "small", terms: false };

/** What is wrong with a form's values, by field. */
export function problems(values) {
  const found = {};
  if (values.name.trim() === "") found.name = "Name is required";
  if (!/^[a-z0-9]{3,}$/.test(values.username)) found.username = "Username is too short";
  if (!/^\S+@\S+\.\S+$/.test(values.email)) found.email = "Email is not valid";
  if (!values.terms) found.terms = "Terms must be accepted";
  return found;
}

/** A username is corrected while it is typed. */
export const asUsername = (text) => text.toLowerCase().replace(/[^a-z0-9]/g, "");

export const tasks = ["Plan", "Build", "Test", "Ship"];

/** The list with an item where another one is. */
export function moved(list, item, place) {
  if (item === place || !list.includes(item) || !list.includes(place)) return list;
  const to = list.indexOf(place);
  const rest = list.filter((other) => other !== item);
  return [...rest.slice(0, to), item, ...rest.slice(to)];
}

/** The item of a list whose box is at this height. */
export function itemAt(list, clientY) {
  return [...list.children].find((child) => {
    const box = child.getBoundingClientRect();
    return clientY >= box.top && clientY <= box.bottom;
  })?.dataset.item;
}

/** Keeps the Tab key inside a dialog, and closes it by Escape. */
export function onDialogKey(event, dialog, close) {
  if (event.key === "Escape") return close();
  if (event.key !== "Tab") return undefined;
  const stops = [...dialog.querySelectorAll("button, input")];
  const [from, to] = event.shiftKey ? [stops[0], stops.at(-1)] : [stops.at(-1), stops[0]];
  if (document.activeElement !== from) return undefined;
  event.preventDefault();
  return to.focus();
}
