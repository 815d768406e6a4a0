import { ACTIONS } from "./actions.ts";
import { conditionKey, POLICY_ACTIONS, type KeyType } from "./vocabulary.ts";
import { textList, wildcard } from "./wildcard.ts";

type Json = Readonly<Record<string, unknown>>;
type Refuse = (detail: string) => Error;

const MEMBERS: ReadonlySet<string> = new Set(["Version", "Id", "Statement"]);

/**
 * Refuses names in a well-formed policy that can never match a request: unknown actions and condition keys, actions and
 * conditions that do not fit the resources or each other, and impossible principals.
 * @throws the error that `refuse` creates
 */
export function refuseUnknown(text: string, bucket: string, refuse: Refuse): void {
  const document = JSON.parse(text) as Json;
  const foreign = Object.keys(document).find((name) => !MEMBERS.has(name));
  if (foreign !== undefined) throw refuse(`it has an unknown member ${shown(foreign)}`);
  const hasVariables = document["Version"] === "2012-10-17";
  for (const statement of [document["Statement"]].flat() as Json[]) {
    refusePrincipals(statement, refuse);
    const actions = actionsOf(statement, bucket, refuse);
    if (hasVariables) refuseVariables(statement, refuse);
    refuseConditions(statement, actions, refuse);
    refuseUselessAllow(statement, refuse);
  }
}

/** Refuses an Allow of administration to everybody, because it would have no effect. */
function refuseUselessAllow(statement: Json, refuse: Refuse): void {
  const principals = principalTexts(statement["Principal"]);
  if (statement["Effect"] !== "Allow" || !principals.includes("*")) return;
  const given = textList(statement["Action"])?.find((action) => onlyFor(action) !== undefined);
  if (given !== undefined)
    throw refuse(`${shown(given)} can't be allowed to everybody: ${onlyFor(given) === "owner" ? OWNERS : SIGNED}`);
}

const OWNERS = "only keys of the bucket's owner may get it";
const SIGNED = "it requires a signature";

/** Maps an action's name in lower case to its rule. Policies may use any case. */
const RULES = new Map(Object.entries(ACTIONS).map(([name, rule]) => [name.toLowerCase(), rule]));
const NAMES = [...POLICY_ACTIONS.keys()].map((name) => ({ name, lower: name.toLowerCase() }));

function onlyFor(action: string): "owner" | "signed" | undefined {
  return RULES.get(action.toLowerCase())?.onlyFor;
}

/** Returns the known actions of the statement. */
function actionsOf(statement: Json, bucket: string, refuse: Refuse): readonly string[] {
  const [plain, negated] = [textList(statement["Action"]), textList(statement["NotAction"])];
  const levels = levelsOf(statement, bucket);
  const named = [...new Set(plain ?? negated ?? [])].map((text) => {
    const pattern = wildcard(text === "*" ? "s3:*" : text.toLowerCase());
    const found = NAMES.filter(({ lower }) => pattern(lower)).map(({ name }) => name);
    if (found.length === 0) throw refuse(`the action ${shown(text)} does not exist`);
    if (plain !== undefined && !found.some((name) => levels.has(POLICY_ACTIONS.get(name) ?? "bucket")))
      throw refuse(`the action ${shown(text)} needs ${wants(found)}, and no Resource of its statement is one`);
    return found;
  });
  const all = new Set(named.flat());
  const chosen = plain === undefined ? [...POLICY_ACTIONS.keys()].filter((name) => !all.has(name)) : [...all];
  return chosen.filter((name) => levels.has(POLICY_ACTIONS.get(name) ?? "bucket"));
}

function wants([name = ""]: readonly string[]): string {
  return POLICY_ACTIONS.get(name) === "object" ? "objects (arn:aws:s3:::BUCKET/*)" : "the bucket (arn:aws:s3:::BUCKET)";
}

/** Returns whether the statement's resources include the bucket, or any object in it. */
function levelsOf(statement: Json, bucket: string): ReadonlySet<string> {
  const patterns = textList(statement["Resource"]);
  if (patterns === undefined) return new Set(["bucket", "object"]); // NotResource matches both buckets and objects.
  const levels = new Set<string>();
  for (const pattern of patterns) {
    const name = pattern.replace(/^arn:[^:]+:s3:::/, "");
    if (wildcard(name)(bucket)) levels.add("bucket");
    if (name.includes("/") || name.includes("*")) levels.add("object");
  }
  return levels;
}

/** Refuses `${aws:username}` and other variables, because they would be compared literally. */
function refuseVariables(statement: Json, refuse: Refuse): void {
  const variable = /\$\{[^}]*\}?/.exec(
    JSON.stringify([statement["Resource"], statement["NotResource"], statement["Condition"]]) ?? "",
  );
  if (variable !== null) throw refuse(`policy variables are not supported: ${shown(variable[0])}`);
}

function principalTexts(given: unknown): readonly string[] {
  if (given === "*") return ["*"];
  return typeof given === "object" && given !== null ? (textList((given as Json)["AWS"]) ?? []) : [];
}

function refusePrincipals(statement: Json, refuse: Refuse): void {
  const given = statement["Principal"] ?? statement["NotPrincipal"];
  if (given === "*") return;
  const foreign = Object.keys(given as Json).find((name) => name !== "AWS");
  if (foreign !== undefined) throw refuse(`Principal has an unknown member ${shown(foreign)}`);
  const partial = principalTexts(given).find((name) => name !== "*" && /[*?]/.test(name));
  if (partial !== undefined) throw refuse(`a principal is * or one complete name, not ${shown(partial)}`);
}

const OPERATOR_TYPES: readonly [RegExp, readonly KeyType[]][] = [
  [/^(not)?ipaddress$/, ["address"]],
  [/^bool$/, ["boolean"]],
  [/^numeric/, ["number", "date"]],
  [/^date/, ["date"]],
  [/^string/, ["text", "number", "boolean"]],
  [/^arn/, ["text"]],
];

function refuseConditions(statement: Json, actions: readonly string[], refuse: Refuse): void {
  for (const [operator, keys] of Object.entries((statement["Condition"] ?? {}) as Record<string, Json>))
    for (const [key, value] of Object.entries(keys)) refuseCondition({ operator, key, value }, actions, refuse);
}

function refuseCondition(
  { operator, key, value }: { readonly operator: string; readonly key: string; readonly value: unknown },
  actions: readonly string[],
  refuse: Refuse,
): void {
  const known = conditionKey(key);
  if (known === undefined) throw refuse(`the condition key ${shown(key)} does not exist here`);
  const { of } = known;
  if (of !== undefined && !actions.some((action) => of.test(action)))
    throw refuse(`no request of the statement's actions and resources has the condition key ${shown(key)}`);
  const name = operator
    .toLowerCase()
    .replace(/^for(allvalues|anyvalue):/, "")
    .replace(/ifexists$/, "");
  if (name === "null") {
    if (operator.toLowerCase() !== "null") throw refuse(`the condition operator ${shown(operator)} does not exist`);
    const isFlag = [value].flat().every((each) => /^(true|false)$/i.test(String(each)));
    if (!isFlag) throw refuse("Null needs true or false");
    return;
  }
  const types = OPERATOR_TYPES.find(([pattern]) => pattern.test(name))?.[1] ?? [];
  if (!types.includes(known.type)) throw refuse(`${shown(operator)} can't compare the condition key ${shown(key)}`);
}

/** Returns a name from the policy, for a message. */
function shown(name: string): string {
  return name.slice(0, 100);
}
