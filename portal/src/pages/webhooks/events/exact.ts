/** A number in the sender's notation (ECMAScript, `JSON.rawJSON`). */
interface RawNumber {
  readonly rawJSON: string;
}

/** Functions of recent browsers that the type library does not have yet. */
const exact = JSON as unknown as {
  rawJSON?(text: string): RawNumber;
  isRawJSON?(value: unknown): boolean;
  parse(text: string, reviver: (key: string, value: unknown, context?: { source?: string }) => unknown): unknown;
};

export function isRawNumber(value: unknown): boolean {
  return exact.isRawJSON?.(value) === true;
}

/**
 * Parses an event's body. If the browser can, it keeps numbers that a double can't represent in the sender's notation.
 */
export function exactValue(body: string | null, json: unknown): unknown {
  if (json === null || body === null || exact.rawJSON === undefined) return json;
  return exact.parse(body, (_key, value, context) => {
    const source = context?.source;
    return typeof value === "number" && source !== undefined && isLong(source, value) ? exact.rawJSON?.(source) : value;
  });
}

/** Whether a double loses digits. It has at most 17 significant ones. */
function isLong(source: string, value: number): boolean {
  if (/^-?\d+$/.test(source)) return !Number.isSafeInteger(value);
  const digits = source.replace(/[eE].*$/, "").replace(/[-.]/g, "");
  return digits.replace(/^0+/, "").length > 17;
}
