// The build gives this import: what agent.js lends its parts (see web/build/parts.go).

declare module "agent-lent" {
  /** Of agent.js and its parts, which fit together only in one version. */
  export const version: string;
  /** The parts that a part uses, by its name. */
  export const needs: Record<string, string[]>;
  /** The functions of the agent that its parts use, by their names. */
  export function lend(): object;
}
