/** Why a request to a destination had no answer. */
export type OutboundFailure =
  /** The destination is not one that requests may be sent to. */
  | "destination_refused"
  | "name_not_found"
  | "connection_failed"
  /** The certificate is not valid for the destination, or not to be trusted. */
  | "tls_failed"
  | "timeout"
  /** The answer is longer than the caller accepts. */
  | "too_large"
  | "cancelled";

/** `message` is for the person who named the destination. */
export class OutboundError extends Error {
  readonly code: OutboundFailure;

  constructor(code: OutboundFailure, message: string) {
    super(message);
    this.name = "OutboundError";
    this.code = code;
  }
}
