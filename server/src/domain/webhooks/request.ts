import { findInJson, type Found, type Path } from "#kernel/json-places.ts";
import { WEBHOOK_JSON_DEPTH_MAX } from "#kernel/limits.ts";

/** A request as it arrived, for verification, handshakes and deduplication. */
export interface HookRequest {
  readonly method: string;
  /** Without the question mark. */
  readonly query: string;
  /** The address as its sender knows it, under the public URL of webhooks. Some senders sign it. */
  readonly url: string;
  /** Alternating names and values, in the order and case of the request. */
  readonly rawHeaders: readonly string[];
  /** Names in lower case; repeated fields are joined. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
  readonly ip: string;
}

export function fieldOf(request: Pick<HookRequest, "headers">, name: string): string | undefined {
  const value = request.headers[name.toLowerCase()];
  return Array.isArray(value) ? value[0] : value;
}

/** All names that `member` accepts. One pass over the body finds all of them. */
const MEMBERS = ["challenge", "event_id", "id", "source", "type"] as const;

/**
 * Finds values in a JSON body when they are needed. Finds nothing in other text, or in JSON that is nested too deep.
 * Numbers keep their exact value.
 */
export class LazyJson {
  readonly #body: Buffer;
  #members: readonly (Found | undefined)[] | undefined;

  constructor(body: Buffer) {
    this.#body = body;
  }

  /** Returns a top-level member; undefined when there is none. */
  member(name: (typeof MEMBERS)[number]): Found | undefined {
    this.#members ??= this.#find(MEMBERS.map((each) => [each]));
    return this.#members[MEMBERS.indexOf(name)];
  }

  /** Returns the value at a JSON pointer (RFC 6901). */
  at(pointer: string): Found | undefined {
    const parts = pointer.split("/").slice(1);
    return this.#find([parts.map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"))])[0];
  }

  #find(paths: readonly Path[]): readonly (Found | undefined)[] {
    return (this.#body.length === 0 ? undefined : findInJson(this.#body, paths, WEBHOOK_JSON_DEPTH_MAX)) ?? [];
  }
}
