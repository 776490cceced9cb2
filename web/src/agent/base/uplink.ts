// The connection of this agent to its Host, for the modules below link/port.ts.

import type { FromAgent } from "../../wire/frame";

interface Uplink {
  /** Sends a message to the Host. */
  send(message: string): void;
  /** Sends a control message to an extended Host; false while there is none. */
  control(message: FromAgent): boolean;
}

/** link/port.ts fills it in when the agent is loaded. */
export const uplink = {} as Uplink;
