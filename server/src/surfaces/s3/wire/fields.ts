import { S3Error } from "#domain/s3/index.ts";

/** A request's header, by lower-case names, with every occurrence. Values are as on the wire: one character a byte. */
export class Fields {
  readonly #values: ReadonlyMap<string, readonly string[]>;

  constructor(values: ReadonlyMap<string, readonly string[]>) {
    this.#values = values;
  }

  /** From Node's `rawHeaders`: what it makes of them joins some repetitions and drops others. */
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

  /** @throws S3Error `InvalidRequest` when it came more than once */
  get(name: string): string | undefined {
    const values = this.all(name);
    if (values.length > 1) throw new S3Error("InvalidRequest", `The header field ${name} came more than once.`);
    return values[0];
  }

  /** These fields, and behind them those of a presigned URL's query that count as fields. @throws S3Error `InvalidRequest` when one is in both */
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

  /** As a list: occurrences joined by a comma. */
  list(name: string): string | undefined {
    const values = this.all(name);
    return values.length === 0 ? undefined : values.join(",");
  }
}
