import { BlockList, isIP } from "node:net";
import { textList, wildcard } from "./wildcard.ts";

/** The values of a request, by condition key in lower case. Undefined: the request does not have the key. */
export type ConditionValues = (key: string) => readonly string[] | undefined;

export interface Condition {
  readonly key: string;
  /** True: the condition limits the principal or its address. Then its statement is not open to everybody. */
  readonly narrowsWho: boolean;
  /** The result if the request does not have the key. */
  readonly ifAbsent: boolean;
  readonly quantifier: "any" | "all";
  readonly isNegated: boolean;
  /** Tests one of the request's values against the statement's. */
  readonly test: (value: string) => boolean;
  /** For `Null`: whether the key must be absent. */
  readonly isNull?: boolean;
}

export function matchesCondition(condition: Condition, values: ConditionValues): boolean {
  const { key, quantifier, isNegated, test, ifAbsent, isNull } = condition;
  const found = values(key);
  if (isNull !== undefined) return (found === undefined) === isNull;
  if (found === undefined || found.length === 0) return ifAbsent;
  const passes = (value: string): boolean => test(value) !== isNegated;
  return quantifier === "all" ? found.every(passes) : found.some(passes);
}

type Refuse = (detail: string) => Error;
type MakeTest = (texts: readonly string[], refuse: Refuse) => (value: string) => boolean;

const WHO: ReadonlySet<string> = new Set([
  "aws:sourceip",
  "aws:userid",
  "aws:username",
  "aws:principalarn",
  "aws:principalaccount",
]);

const OPERATORS: Readonly<Record<string, { readonly make: MakeTest; readonly isNegated?: true }>> = {
  stringequals: { make: equalTexts },
  stringnotequals: { make: equalTexts, isNegated: true },
  stringequalsignorecase: { make: equalTextsWithoutCase },
  stringnotequalsignorecase: { make: equalTextsWithoutCase, isNegated: true },
  stringlike: { make: likeTexts },
  stringnotlike: { make: likeTexts, isNegated: true },
  arnequals: { make: likeTexts },
  arnlike: { make: likeTexts },
  arnnotequals: { make: likeTexts, isNegated: true },
  arnnotlike: { make: likeTexts, isNegated: true },
  bool: { make: booleans },
  ipaddress: { make: addresses },
  notipaddress: { make: addresses, isNegated: true },
  numericequals: { make: numbers((a, b) => a === b) },
  numericnotequals: { make: numbers((a, b) => a === b), isNegated: true },
  numericlessthan: { make: numbers((a, b) => a < b) },
  numericlessthanequals: { make: numbers((a, b) => a <= b) },
  numericgreaterthan: { make: numbers((a, b) => a > b) },
  numericgreaterthanequals: { make: numbers((a, b) => a >= b) },
  dateequals: { make: dates((a, b) => a === b) },
  datenotequals: { make: dates((a, b) => a === b), isNegated: true },
  datelessthan: { make: dates((a, b) => a < b) },
  datelessthanequals: { make: dates((a, b) => a <= b) },
  dategreaterthan: { make: dates((a, b) => a > b) },
  dategreaterthanequals: { make: dates((a, b) => a >= b) },
};

/** Parses the conditions of a statement. @throws the error that `refuse` creates */
export function parseConditions(block: unknown, refuse: Refuse): readonly Condition[] {
  if (block === undefined) return [];
  if (!isObject(block)) throw refuse("Condition is not an object");
  return Object.entries(block).flatMap(([operator, keys]) => {
    if (!isObject(keys)) throw refuse(`${operator} is not an object`);
    return Object.entries(keys).map(([key, value]) => parseCondition(operator, key, value, refuse));
  });
}

function parseCondition(operator: string, key: string, value: unknown, refuse: Refuse): Condition {
  const texts = textList(typeof value === "number" || typeof value === "boolean" ? String(value) : value);
  if (texts === undefined || texts.length === 0) throw refuse(`${key} is not a text or a list of texts`);
  const [, quantifier, name = "", ifExists] =
    /^(?:(ForAllValues|ForAnyValue):)?([A-Za-z]+?)(IfExists)?$/i.exec(operator) ?? [];
  const common = { key: key.toLowerCase(), narrowsWho: WHO.has(key.toLowerCase()), quantifier: "any" } as const;
  if (name.toLowerCase() === "null") {
    const isNull = texts[0]?.toLowerCase() === "true";
    return { ...common, narrowsWho: false, ifAbsent: false, isNegated: false, test: () => false, isNull };
  }
  const found = OPERATORS[name.toLowerCase()];
  if (found === undefined) throw refuse(`the condition operator ${operator} does not exist`);
  const isNegated = found.isNegated === true;
  const isForAll = quantifier?.toLowerCase() === "forallvalues";
  return {
    ...common,
    quantifier: isForAll || isNegated ? "all" : "any",
    narrowsWho: common.narrowsWho && !isNegated,
    ifAbsent: ifExists !== undefined || isForAll || isNegated,
    isNegated,
    test: found.make(texts, refuse),
  };
}

function equalTexts(texts: readonly string[]): (value: string) => boolean {
  const known = new Set(texts);
  return (value) => known.has(value);
}

function equalTextsWithoutCase(texts: readonly string[]): (value: string) => boolean {
  const known = new Set(texts.map((text) => text.toLowerCase()));
  return (value) => known.has(value.toLowerCase());
}

function likeTexts(texts: readonly string[]): (value: string) => boolean {
  const patterns = texts.map(wildcard);
  return (value) => patterns.some((pattern) => pattern(value));
}

function booleans(texts: readonly string[], refuse: Refuse): (value: string) => boolean {
  if (!texts.every((text) => /^(true|false)$/i.test(text))) throw refuse("Bool needs true or false");
  return equalTextsWithoutCase(texts);
}

function addresses(texts: readonly string[], refuse: Refuse): (value: string) => boolean {
  const list = new BlockList();
  for (const text of texts) {
    const [address = "", bits] = text.split("/");
    const family = isIP(address);
    if (family === 0 || (bits !== undefined && !/^[0-9]{1,3}$/.test(bits))) throw refuse(`${text} is not an address`);
    const type = family === 4 ? "ipv4" : "ipv6";
    const length = bits === undefined ? (family === 4 ? 32 : 128) : Number(bits);
    if (length > (family === 4 ? 32 : 128)) throw refuse(`${text} is not an address`);
    list.addSubnet(address, length, type);
  }
  return (value) => {
    const plain = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(value)?.[1] ?? value;
    const family = isIP(plain);
    return family !== 0 && list.check(plain, family === 4 ? "ipv4" : "ipv6");
  };
}

function numbers(compare: (a: number, b: number) => boolean): MakeTest {
  return (texts, refuse) => {
    const wanted = texts.map(Number);
    if (wanted.some((value) => Number.isNaN(value))) throw refuse("a numeric condition needs numbers");
    return (value) => value !== "" && wanted.some((each) => compare(Number(value), each));
  };
}

function dates(compare: (a: number, b: number) => boolean): MakeTest {
  const timeOf = (text: string): number => (/^[0-9]+$/.test(text) ? Number(text) * 1000 : Date.parse(text));
  return (texts, refuse) => {
    const wanted = texts.map(timeOf);
    if (wanted.some((value) => Number.isNaN(value))) throw refuse("a date condition needs dates");
    return (value) => wanted.some((each) => compare(timeOf(value), each));
  };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
