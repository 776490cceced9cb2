// Failures of verbs, with the error kinds of package actions.

type Kind =
  | "InvalidArgument"
  | "ElementNotFound"
  | "StaleRef"
  | "AmbiguousLocator"
  | "NotVisible"
  | "NotEnabled"
  | "Obscured"
  | "LimitExceeded"
  | "NumbersSpent";

export class Failure extends Error {
  constructor(
    readonly kind: Kind,
    message: string,
    readonly count?: number,
  ) {
    super(message);
  }
}

/** Whether waiting may help against a failure. */
export function mayPass(e: unknown): e is Failure {
  return e instanceof Failure && /^(ElementNotFound|NotVisible|NotEnabled|Obscured)$/.test(e.kind);
}
