// Commands of small domains for which an embedded document need not do anything. internal/docgen/answers.txt says
// why each is answered all the same.

import { register } from "../base/registry";

const nothing = (): void => {};

register("Accessibility", { enable: nothing, disable: nothing }); // trees are built on request, whether enabled or not
register("Inspector", { enable: nothing, disable: nothing });
register("Audits", { enable: nothing, disable: nothing });
register("Security", { enable: nothing, disable: nothing, setIgnoreCertificateErrors: nothing });
register("Target", { setDiscoverTargets: nothing });
