// CDP messages as they travel between a Host, its Frame Agents and the hub.

/** Any JSON object: what the protocol has no type for, or what has not been looked into. */
export type Json = Record<string, unknown>;

/** A CDP error object. Codes and texts are Chromium's wherever it has one. */
export interface CdpError {
  code: number;
  message: string;
  /** What to do about it. */
  data?: string;
}

/** A command on a port or a local session. `id` is the Host's own number. */
export interface Command {
  id: number;
  method: string;
  params?: Json;
  sessionId?: string;
}

/** The answer to a command: one of result and error is set. */
export interface Answer {
  result?: Json;
  error?: CdpError;
}

/** The answer to the command with this id. */
export interface Response extends Answer {
  id: number;
}

/** An event: for one session or several if it names them, else for every session of the Target. */
export interface CdpEvent {
  method: string;
  params: Json;
  sessionId?: string;
  /** Instead of sessionId, where the Host has said in its welcome that it knows it. */
  sessionIds?: string[];
}
