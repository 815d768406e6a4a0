/** The types of fields, and the values that they become. */
export type Scalar =
  | "string"
  | "bool"
  | "double"
  /** varint; a bigint where a double would lose digits. */
  | "int64"
  /** sint32 and sint64, zigzag. */
  | "sint32"
  | "sint64"
  /** double; Prometheus' mark of an ended series is null, which no number can keep apart from other NaN. */
  | "sample"
  /** varint of 32 bits: flags, enumerations. */
  | "int32"
  /** fixed64 nanoseconds since the epoch, as bigint. */
  | "nanos"
  /** fixed64 and uint64 counts, as number. */
  | "fixedCount"
  | "varintCount"
  /** sfixed64, as number. */
  | "sfixed64"
  /** Bytes as lower-case hexadecimal: the identifiers, which are hexadecimal in JSON too. */
  | "id"
  /** Bytes as base64. */
  | "bytes";

export interface Field {
  readonly number: number;
  readonly name: string;
  readonly type: Scalar | (() => MessageSchema);
  readonly repeated: boolean;
}

export interface MessageSchema {
  readonly name: string;
  readonly byNumber: ReadonlyMap<number, Field>;
  readonly byName: ReadonlyMap<string, Field>;
}

type Rows = Readonly<Record<string, readonly [number, Field["type"]] | readonly [number, Field["type"], "repeated"]>>;

/** Describes a message by the fields that are kept. Readers skip all others. */
export function message(name: string, rows: Rows): MessageSchema {
  const fields = Object.entries(rows).map(([field, [number, type, repeated]]): Field => ({
    number,
    name: field,
    type,
    repeated: repeated !== undefined,
  }));
  return {
    name,
    byNumber: new Map(fields.map((field) => [field.number, field])),
    byName: new Map(fields.map((field) => [field.name, field])),
  };
}
