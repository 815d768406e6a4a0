import { CATALOG } from "./access.ts";
import type { Subject, Action } from "./types.ts";

/** A requested scope of a token. */
export interface AskedScope extends Subject {
  readonly actions: readonly Action[];
}

/** The most scopes in one token request. A push with a mount asks for two. */
const SCOPES_MAX = 50;
const NAME_CHARS_MAX = 255;
const ACTIONS: readonly Action[] = ["pull", "push", "delete"];

/** The catalog's only action is `*`, which reads it. */
const CATALOG_SCOPE = /^registry:catalog:(?:\*|pull)$/;

/**
 * Parses `scope` parameters. Each may be a list of `type:name:actions` (token specification of Docker, "Authorization
 * Resource Scope"). The name may contain a host with a port, so it is everything between the first and the last colon.
 * Scopes of types other than repository and catalog are skipped.
 */
export function parseScopes(values: readonly string[]): AskedScope[] {
  const asked = new Map<string, Set<Action>>();
  const texts = values.flatMap((value) => value.split(" "));
  for (const text of texts) {
    const [first, last] = [text.indexOf(":"), text.lastIndexOf(":")];
    if (first < 1 || last <= first || !/^repository(?:\([a-z0-9]*\))?$/.test(text.slice(0, first))) continue;
    const name = text.slice(first + 1, last);
    if (name.length > NAME_CHARS_MAX || (asked.size >= SCOPES_MAX && !asked.has(name))) continue;
    const actions = asked.get(name) ?? new Set();
    for (const action of text.slice(last + 1).split(",")) {
      for (const known of ACTIONS) if (action === known || action === "*") actions.add(known);
    }
    asked.set(name, actions);
  }
  const scopes: AskedScope[] = [...asked].map(([name, set]) => ({ type: "repository", name, actions: [...set] }));
  return texts.some((text) => CATALOG_SCOPE.test(text)) ? [...scopes, { ...CATALOG, actions: ["pull"] }] : scopes;
}
