/** A number as its sender wrote it (ECMAScript, `JSON.rawJSON`). */
interface RawNumber {
  readonly rawJSON: string;
}

/** What browsers of the last years have, and the type library does not name yet. */
const exact = JSON as unknown as {
  rawJSON?(text: string): RawNumber;
  isRawJSON?(value: unknown): boolean;
  parse(text: string, reviver: (key: string, value: unknown, context?: { source?: string }) => unknown): unknown;
};

export function isRawNumber(value: unknown): boolean {
  return exact.isRawJSON?.(value) === true;
}

/** The value of an event's body; numbers that a double can't hold are kept as they were sent, where the browser can. */
export function exactValue(body: string | null, json: unknown): unknown {
  if (json === null || body === null || exact.rawJSON === undefined) return json;
  return exact.parse(body, (_key, value, context) => {
    const source = context?.source;
    return typeof value === "number" && source !== undefined && isLong(source, value) ? exact.rawJSON?.(source) : value;
  });
}

/** No double has more than 17 digits that count. */
function isLong(source: string, value: number): boolean {
  if (/^-?\d+$/.test(source)) return !Number.isSafeInteger(value);
  const digits = source.replace(/[eE].*$/, "").replace(/[-.]/g, "");
  return digits.replace(/^0+/, "").length > 17;
}
