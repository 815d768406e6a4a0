import { isDeeperThan, parseExact } from "#kernel/json-text.ts";
import { WEBHOOK_JSON_DEPTH_MAX } from "#kernel/limits.ts";

/** A request as it came: what verification, handshakes and de-duplication look at. */
export interface HookRequest {
  readonly method: string;
  /** Without the question mark. */
  readonly query: string;
  /** The address as its sender has it, by the public URL of webhooks; some sign it. */
  readonly url: string;
  /** Name, value, name, value, in the order and the case in which they came. */
  readonly rawHeaders: readonly string[];
  /** Names in lower case; what came more than once is joined. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
  readonly ip: string;
}

export function fieldOf(request: Pick<HookRequest, "headers">, name: string): string | undefined {
  const value = request.headers[name.toLowerCase()];
  return Array.isArray(value) ? value[0] : value;
}

const UNPARSED = Symbol("unparsed");

/** The body as JSON, parsed once and only when somebody asks; undefined when it is none, or too deep to be looked into. Numbers keep their value. */
export class LazyJson {
  readonly #body: Buffer;
  #value: unknown = UNPARSED;

  constructor(body: Buffer) {
    this.#body = body;
  }

  get value(): unknown {
    if (this.#value === UNPARSED) this.#value = parsed(this.#body);
    return this.#value;
  }

  /** A member of an object at the top; undefined when there is none. */
  member(name: string): unknown {
    const { value } = this;
    return typeof value === "object" && value !== null && Object.hasOwn(value, name)
      ? (value as Record<string, unknown>)[name]
      : undefined;
  }
}

function parsed(body: Buffer): unknown {
  const first = body[0];
  if (first === undefined) return undefined;
  const text = body.toString("utf8");
  if (isDeeperThan(text, WEBHOOK_JSON_DEPTH_MAX)) return undefined;
  try {
    return parseExact(text);
  } catch {
    return undefined;
  }
}

/** RFC 6901. */
export function atPointer(value: unknown, pointer: string): unknown {
  let place = value;
  for (const part of pointer.split("/").slice(1)) {
    const name = part.replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof place !== "object" || place === null || !Object.hasOwn(place, name)) return undefined;
    place = (place as Record<string, unknown>)[name];
  }
  return place;
}
