// What the agent's first script takes of the main thread as a document starts: from its first line to its end.
const app = `<script src="/timed/agent.js" data-parents="${location.origin}"><\/script>
<script>parent.postMessage({ took: performance.getEntriesByName("agent")[0].duration }, "*")<\/script>`;
const load = (n) =>
  new Promise((r) => {
    const iframe = document.createElement("iframe");
    const heard = (e) => {
      if (e.source !== iframe.contentWindow || e.data?.took === undefined) return;
      removeEventListener("message", heard);
      iframe.remove();
      r(e.data.took);
    };
    addEventListener("message", heard);
    iframe.src = APP + "/start?" + new URLSearchParams({ html: app, bare: 1, n });
    document.body.append(iframe);
  });

const took = [];
for (let n = 0; n < 31; n++) took.push(await load(n));
report({ ms: took.sort((a, b) => a - b)[took.length >> 1] });
