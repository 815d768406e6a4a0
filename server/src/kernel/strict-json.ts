import { endOfString } from "./json-strings.ts";

/** A fault that `scanObjects` found. */
export type JsonFault = "duplicate" | "deep";

/**
 * Finds faults in valid JSON that parsers read differently: a name that occurs twice in an object (some parsers take
 * the first, some the last), and nesting above the limit.
 */
export function faultOf(json: string, depthMax: number): JsonFault | undefined {
  /** For each open object its names, for each open list null. */
  const open: (Set<string> | null)[] = [];
  let isName = false;
  for (let i = 0; i < json.length; i++) {
    switch (json.charAt(i)) {
      case "{":
      case "[":
        open.push(json[i] === "{" ? new Set() : null);
        isName = json[i] === "{";
        if (open.length > depthMax) return "deep";
        break;
      case "}":
      case "]":
        open.pop();
        isName = false;
        break;
      case ",":
        isName = open.at(-1) instanceof Set;
        break;
      case '"': {
        const end = endOfString(json, i);
        if (isName && !isNew(open.at(-1), json.slice(i, end + 1))) return "duplicate";
        isName = false;
        i = end;
        break;
      }
      default:
    }
  }
  return undefined;
}

function isNew(names: Set<string> | null | undefined, literal: string): boolean {
  const name = JSON.parse(literal) as string;
  if (names?.has(name) === true) return false;
  names?.add(name);
  return true;
}
