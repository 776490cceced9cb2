import { useEffect, useState } from "preact/hooks";

/** The colours of the stylesheet, for a canvas. They change with the colour scheme. */
export function useColours(): { line: string; grid: string; text: string } {
  const [colours, setColours] = useState(read);
  useEffect(() => {
    const dark = matchMedia("(prefers-color-scheme: dark)");
    const changed = () => setColours(read());
    dark.addEventListener("change", changed);
    return () => dark.removeEventListener("change", changed);
  }, []);
  return colours;
}

function read() {
  const style = getComputedStyle(document.documentElement);
  const value = (name: string) => style.getPropertyValue(name).trim();
  return { line: value("--strong"), grid: value("--line"), text: value("--faint") };
}
