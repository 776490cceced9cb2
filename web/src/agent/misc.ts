// Commands of small domains, among them those that ask for nothing an
// embedded document has to do.

import { register } from "./registry";
import { monotonic } from "./originals";

const nothing = (): void => {};

register("Inspector", { enable: nothing, disable: nothing });
register("Audits", { enable: nothing, disable: nothing });
register("Security", { enable: nothing, disable: nothing, setIgnoreCertificateErrors: nothing });
register("HeapProfiler", { collectGarbage: nothing });
register("Target", { setAutoAttach: nothing, setDiscoverTargets: nothing });
register("Performance", {
  enable: nothing,
  disable: nothing,
  getMetrics: () => ({
    metrics: [
      { name: "Timestamp", value: monotonic() },
      { name: "Documents", value: 1 + document.querySelectorAll("iframe").length },
      { name: "Nodes", value: document.getElementsByTagName("*").length },
    ],
  }),
});
