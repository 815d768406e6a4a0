import { S3Error } from "#domain/s3/index.ts";

/**
 * A request's header fields, by lower-case name, with every occurrence. Values have one byte in each character, as on
 * the wire.
 */
export class Fields {
  readonly #values: ReadonlyMap<string, readonly string[]>;

  constructor(values: ReadonlyMap<string, readonly string[]>) {
    this.#values = values;
  }

  /** Reads Node's `rawHeaders`, because Node's parsed headers join some repetitions and drop others. */
  static fromRaw(raw: readonly string[]): Fields {
    const values = new Map<string, string[]>();
    for (let i = 0; i + 1 < raw.length; i += 2) {
      const name = (raw[i] ?? "").toLowerCase();
      const value = (raw[i + 1] ?? "").trim();
      const known = values.get(name);
      if (known === undefined) values.set(name, [value]);
      else known.push(value);
    }
    return new Fields(values);
  }

  names(): string[] {
    return [...this.#values.keys()];
  }

  all(name: string): readonly string[] {
    return this.#values.get(name) ?? [];
  }

  has(name: string): boolean {
    return this.#values.has(name);
  }

  /** @throws S3Error `InvalidRequest` when the field was sent more than once */
  get(name: string): string | undefined {
    const values = this.all(name);
    if (values.length > 1) throw new S3Error("InvalidRequest", `The header field ${name} came more than once.`);
    return values[0];
  }

  /**
   * Returns these fields, followed by those from a presigned URL's query.
   * @throws S3Error `InvalidRequest` for a field in both
   */
  with(added: readonly (readonly [name: string, value: string])[]): Fields {
    if (added.length === 0) return this;
    const values = new Map(this.#values);
    for (const [name, value] of added) {
      if (this.has(name)) throw new S3Error("InvalidRequest", `${name} is in the header and in the query.`);
      values.set(name, [...(values.get(name) ?? []), value]);
    }
    return new Fields(values);
  }

  without(isLeftOut: (name: string) => boolean): Fields {
    return new Fields(new Map([...this.#values].filter(([name]) => !isLeftOut(name))));
  }

  replaced(name: string, value: string): Fields {
    return new Fields(new Map(this.#values).set(name, [value]));
  }

  /** Returns all occurrences, joined by commas. */
  list(name: string): string | undefined {
    const values = this.all(name);
    return values.length === 0 ? undefined : values.join(",");
  }
}
