export interface OutboundRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
  readonly signal: AbortSignal;
}

export interface OutboundAnswer {
  readonly status: number;
  /** The time that `Retry-After` asks for. */
  readonly retryAfterMs: number | null;
  readonly elapsedMs: number;
}

export interface OutboundReading {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** A longer body is refused. */
  readonly bytesMax: number;
  readonly signal: AbortSignal;
}

export interface OutboundContent {
  readonly status: number;
  readonly body: Buffer;
}

/**
 * Requests to addresses that users name. They reach public addresses only, unless the operator allows others: the name is
 * resolved here, every address is checked, and the connection goes to one of the checked ones. Redirects are answers, not
 * followed; proxies of the environment are not used.
 */
export interface Outbound {
  /**
   * The URL in its one form (WHATWG URL), as it is to be stored, if requests to it could be sent as far as that shows without a look-up.
   * @throws OutboundError `destination_refused`
   */
  check(url: string): string;
  /** @throws OutboundError */
  post(request: OutboundRequest): Promise<OutboundAnswer>;
  /** @throws OutboundError, `too_large` too */
  get(request: OutboundReading): Promise<OutboundContent>;
}
