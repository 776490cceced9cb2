// The connection to this agent's Host, for the files that port.ts imports. They use it when port.ts is there.

import type { Downloaded, FromAgent } from "../../wire/frame";

export const uplink = {
  /** Sends a CDP message, as JSON, or a file. */
  send: (_message: string | Downloaded): void => {},
  /** Sends a control message to an extended Host; false while there is none. */
  control: (_message: FromAgent): boolean => false,
};
