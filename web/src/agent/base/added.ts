// Functions of parts of the agent: they are there once their part has been loaded (see ../lazy.ts).

/** The functions. The module that calls one declares it. */
// biome-ignore lint/suspicious/noEmptyInterface: see above
export interface Added {}

export const added: Partial<Added> = {};
