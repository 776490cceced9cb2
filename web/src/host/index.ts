// The Host library: `CdpHub` as a classic script, or named exports as a module.

export { type CreateTargetParams, Host, type HostOptions, type HostState, type PairOptions } from "./host";
export { follow } from "./navigation";
export { CommandError, type LocalSession } from "./local";
export type { RelayState, TargetState } from "../wire/core";
export { takeToken } from "./token";
