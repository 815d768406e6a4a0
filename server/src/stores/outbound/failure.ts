/** Why a request to a destination got no answer. */
export type OutboundFailure =
  /** Requests may not be sent to this destination. */
  | "destination_refused"
  | "name_not_found"
  | "connection_failed"
  /** The certificate is not valid for the destination, or not trusted. */
  | "tls_failed"
  | "timeout"
  /** The answer is longer than the caller accepts. */
  | "too_large"
  | "cancelled";

/** An error whose `message` is for the person who entered the destination. */
export class OutboundError extends Error {
  readonly code: OutboundFailure;

  constructor(code: OutboundFailure, message: string) {
    super(message);
    this.name = "OutboundError";
    this.code = code;
  }
}
