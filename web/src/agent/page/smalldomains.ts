// Commands of small domains that ask for nothing an embedded document has to
// do. internal/answersdoc/answers.txt says why each is answered all the same.

import { register } from "../base/registry";

const nothing = (): void => {};

register("Accessibility", { enable: nothing, disable: nothing }); // whoever asks gets a tree
register("Inspector", { enable: nothing, disable: nothing });
register("Audits", { enable: nothing, disable: nothing });
register("Security", { enable: nothing, disable: nothing, setIgnoreCertificateErrors: nothing });
register("Target", { setDiscoverTargets: nothing });
