// What pages do all day, to be measured: work.NAME(n) does it n times.
const work = {
  // A list of things to do: items come, are changed, and go.
  dom(n) {
    for (let i = 0; i < n; i++) {
      const li = document.createElement("li");
      li.innerHTML = "<input type=checkbox><label></label><button>x</button>";
      li.querySelector("label").textContent = "Item " + i;
      li.querySelector("input").addEventListener("change", () => li.classList.toggle("done"));
      list.append(li);
      li.querySelector("input").click();
      if (i % 3 === 0) li.setAttribute("data-i", i);
      if (list.children.length > 50) list.firstElementChild.remove();
      if (i % 10 === 0) list.getBoundingClientRect();
    }
  },
  async fetch(n) {
    for (let i = 0; i < n; i++) await (await fetch("/data.json?" + i)).json();
  },
  async xhr(n) {
    for (let i = 0; i < n; i++)
      await new Promise((r) => {
        const x = new XMLHttpRequest();
        x.open("GET", "/data.json");
        x.onload = r;
        x.send();
      });
  },
  async timers(n) {
    for (let i = 0; i < n; i++) await new Promise((r) => setTimeout(r));
  },
  console(n) {
    for (let i = 0; i < n; i++) console.debug("item", i, { i });
  },
};

/** How many ms it takes. */
async function timed(name, n) {
  const begun = performance.now();
  await work[name](n);
  return performance.now() - begun;
}

/** Makes so many changes a second for a while, an observer hearing of each by itself, and returns the frames a second meanwhile. */
async function storm(perSecond, ms) {
  const changes = [
    (i) => list.append(Object.assign(document.createElement("li"), { textContent: i })),
    (i) => list.lastElementChild.setAttribute("data-i", i),
    (i) => (list.lastElementChild.firstChild.data = "Item " + i),
    () => list.childElementCount > 50 && list.firstElementChild.remove(),
  ];
  let frames = 0;
  let asked = requestAnimationFrame(function count() {
    frames++;
    asked = requestAnimationFrame(count);
  });
  const begun = performance.now();
  const passed = () => Math.min(ms, performance.now() - begun);
  for (let made = 0, all = (perSecond * ms) / 1000; made < all; await new Promise((r) => setTimeout(r)))
    for (const due = (perSecond * passed()) / 1000; made < due; made++, await null)
      changes[made % changes.length](made);
  cancelAnimationFrame(asked);
  return (frames * 1000) / (performance.now() - begun);
}
