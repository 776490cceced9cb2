// Functions that modules further up and parts of the agent add for the modules below them. Those of a part are there
// once the part has been loaded (see ../lazy.ts).

/** The functions. The module that calls one declares it. */
// biome-ignore lint/suspicious/noEmptyInterface: see above
export interface Added {}

/** It inherits nothing: pages may put functions on Object.prototype. */
export const added: Partial<Added> = Object.create(null);
