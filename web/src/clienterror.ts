// The errors of bundles that the agent loads. Each bundle has its own copy of the class, so that the agent goes by the
// code (withClientErrors).

/** An error that a Client gets. */
export class ClientError extends Error {
  constructor(
    message: string,
    readonly code = -32000,
  ) {
    super(message);
  }
}

/** The error for what page script cannot do. */
export function impossible(method: string, reason: string): ClientError {
  return new ClientError(`${method} is not possible in an embedded frame: ${reason}`);
}
