// Commands of small domains, among them those that ask for nothing an
// embedded document has to do.

import { register } from "../base/registry";

const nothing = (): void => {};

register("Inspector", { enable: nothing, disable: nothing });
register("Audits", { enable: nothing, disable: nothing });
register("Security", { enable: nothing, disable: nothing, setIgnoreCertificateErrors: nothing });
register("HeapProfiler", { collectGarbage: nothing });
register("Target", { setDiscoverTargets: nothing });
