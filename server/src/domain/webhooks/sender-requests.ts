import { Problem } from "#kernel/problem.ts";
import type { Clock } from "#kernel/time.ts";
import type { Outbound } from "#stores/outbound/index.ts";
import type { HookRequest } from "./request.ts";
import { FetchedKeys, KeysUnavailable, verify } from "./verification/index.ts";

interface SenderRequestsOptions {
  readonly outbound: Pick<Outbound, "get">;
  readonly clock: Clock;
  readonly log: { warn(fields: object, message: string): void };
}

type VerifyOptions = Parameters<typeof verify>[1] & { readonly orgId: string };

/** A confirmation of a subscription may take this time. */
const VISIT_MS = 2000;
const VISITED_BYTES_MAX = 64 * 1024;
const RETRY_S = 30;

/** Requests to senders: to verify with their published keys, and to confirm subscriptions. */
export class SenderRequests {
  readonly #options: SenderRequestsOptions;
  readonly #keys: FetchedKeys;

  constructor(options: SenderRequestsOptions) {
    this.#options = options;
    this.#keys = new FetchedKeys(options);
  }

  /**
   * Returns the reason to refuse a request; null if it is verified. Without the sender's keys nobody knows, so the
   * sender must send it again. @throws Problem `unavailable`
   */
  async verify(request: HookRequest, { orgId, ...options }: VerifyOptions): Promise<string | null> {
    try {
      return await verify(request, { ...options, keys: this.#keys.of(orgId) });
    } catch (error) {
      if (!(error instanceof KeysUnavailable)) throw error;
      this.#options.log.warn({ err: error }, "cannot read the keys of a webhook's sender");
      throw later("The sender's keys can't be read now; send the event again later.");
    }
  }

  /**
   * Reads the address that confirms a subscription. Its host is fixed by the sender's recipe.
   * @throws Problem `unavailable`
   */
  async visit(url: string): Promise<void> {
    const { outbound, log } = this.#options;
    const signal = AbortSignal.timeout(VISIT_MS);
    const answer = await outbound
      .get({ url, headers: {}, bytesMax: VISITED_BYTES_MAX, signal })
      .catch((error: unknown) => {
        log.warn({ err: error }, "cannot confirm the subscription of a webhook");
        return { status: 0 };
      });
    if (answer.status !== 200) throw later("The subscription can't be confirmed now; send this again later.");
  }
}

function later(detail: string): Problem {
  return new Problem("unavailable", detail, { retryAfterS: RETRY_S });
}
