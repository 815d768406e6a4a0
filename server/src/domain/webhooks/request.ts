import { findInJson, type Found, type Path } from "#kernel/json-places.ts";
import { exactJson } from "#kernel/json-text.ts";
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

/** Returns a string or a number of JSON as text; undefined for other values. */
export function textOf(value: unknown): string | undefined {
  if (typeof value === "string") return value.toWellFormed();
  if (exactJson.isRawJSON(value)) return value.rawJSON;
  return typeof value === "number" ? String(value) : undefined;
}

/** All names that `member` accepts. */
const MEMBERS = ["challenge", "event_id", "id", "source", "type"] as const;

/**
 * Finds values in a JSON body when they are needed. Finds nothing in other text, or in JSON that is nested too deep.
 * Numbers keep their exact value. One pass over the body finds all members and the given pointers.
 */
export class LazyJson {
  readonly #body: Buffer;
  readonly #pointers: readonly string[];
  #found: readonly (Found | undefined)[] | undefined;

  /** @param pointers that are probably needed */
  constructor(body: Buffer, pointers: readonly string[] = []) {
    this.#body = body;
    this.#pointers = pointers;
  }

  /** Returns a top-level member; undefined when there is none. */
  member(name: (typeof MEMBERS)[number]): Found | undefined {
    return this.#known()[MEMBERS.indexOf(name)];
  }

  /** Returns the value at a JSON pointer (RFC 6901). The empty pointer is the whole value. */
  at(pointer: string): Found | undefined {
    const index = this.#pointers.indexOf(pointer);
    return index === -1 ? this.#find([pathOf(pointer)])[0] : this.#known()[MEMBERS.length + index];
  }

  #known(): readonly (Found | undefined)[] {
    this.#found ??= this.#find([...MEMBERS.map((each) => [each]), ...this.#pointers.map(pathOf)]);
    return this.#found;
  }

  #find(paths: readonly Path[]): readonly (Found | undefined)[] {
    return (this.#body.length === 0 ? undefined : findInJson(this.#body, paths, WEBHOOK_JSON_DEPTH_MAX)) ?? [];
  }
}

function pathOf(pointer: string): Path {
  const parts = pointer.split("/").slice(1);
  return parts.map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
}
