export interface OutboundRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
  readonly signal: AbortSignal;
}

export interface OutboundAnswer {
  readonly status: number;
  /** The wait that `Retry-After` asks for. */
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
 * Sends requests to addresses that users enter. Unless the operator allows more, only public addresses are reached: the
 * name is resolved here, every address is checked, and the connection goes to a checked address. Redirects are not
 * followed, and proxies of the environment are not used.
 */
export interface Outbound {
  /**
   * Returns the URL in the form to store (WHATWG URL), if it is allowed as far as that is known without a look-up.
   * @throws OutboundError `destination_refused`
   */
  check(url: string): string;
  /** @throws OutboundError */
  post(request: OutboundRequest): Promise<OutboundAnswer>;
  /** @throws OutboundError, also `too_large` */
  get(request: OutboundReading): Promise<OutboundContent>;
}
