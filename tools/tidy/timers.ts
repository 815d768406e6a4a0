import { isTest, lineAt, type Rule, type SourceFile } from "./files.ts";
import { dottedName, isNode, walk, type Node } from "./syntax.ts";

/** The only place of periodic work. */
const SCHEDULE = "server/src/stores/jobs/schedule.ts";

/**
 * Repeating timers that are not periodic work of the server, each with its reason. An entry that is no longer needed
 * fails too.
 */
export const REPEATING: Readonly<Record<string, string>> = {
  "server/src/app/commands/follow.ts": "a command that follows a stream until its user ends it",
  "server/src/app/commands/ingest/run.ts": "a command that reads its input, until that ends",
  "server/src/app/metrics/process.ts": "measures how late timers are",
  "server/src/app/commands/serve.ts": "waits for records that another server still holds, before there is a schedule",
  "server/src/domain/files/arrivals.ts": "keeps the claim of one upload that arrives",
  "server/src/http/body-idle.ts": "checks whether bytes of one request's body still arrive",
  "server/src/http/drain-body.ts": "checks whether the rest of one request's body still arrives",
  "server/src/stores/metadata/postgres/listener.ts": "connects again, until it is connected",
  "server/src/stores/metadata/postgres/pool.ts": "the limit of one wait for a connection",
  "server/src/stores/objects/s3/source.ts": "retries one read, a limited number of times",
  "server/src/stores/telemetry/compaction/deletions.ts":
    "waits for the end of a backup, while there are files to delete",
  "server/src/stores/telemetry/query/child/session.ts": "in a child process, while it ends one query",
  "server/src/stores/telemetry/query/watchdog.ts": "reads the memory of a child process while it runs a query",
  "server/src/surfaces/files/content/upload.ts": "keeps the claim of one upload",
  "server/src/surfaces/telemetry/syslog/intake.ts":
    "stores one batch again, while the quota is used up or the disk full",
  "server/src/surfaces/telemetry/tail/tails.ts": "one open connection of a live tail",
  "server/src/app/commands/backup/restore-into-server.ts":
    "a command that waits until the server has ended one restore",
  "server/src/surfaces/webhooks/stream/streams.ts": "one open connection of a stream of events",
};

const FUNCTIONS = new Set([
  "FunctionDeclaration",
  "ClassMethod",
  "PrivateMethod",
  "VariableDeclarator",
  "PrivateProperty",
]);
const LOOPS = new Set(["ForStatement", "WhileStatement", "DoWhileStatement"]);

/** Returns a file's repeating timers by their position in the text. */
function repeatingTimers(file: SourceFile): { index: number; what: string }[] {
  if (!/\bsetInterval\b|\bsetTimeout\b/.test(file.text)) return [];
  const functions = new Map<string, Node[]>();
  const timeouts: Node[] = [];
  const found: { node: Node; what: string }[] = [];
  const sleeps = namesOfSleep(file.text);
  walk(file, (node, parents) => {
    const name = nameOfFunction(node);
    if (name !== undefined) functions.set(name, [...(functions.get(name) ?? []), node]);
    if (node.type !== "CallExpression") return;
    const callee = dottedName(node["callee"]);
    if (callee === "setInterval") found.push({ node, what: "setInterval" });
    if (callee === "setTimeout" && !sleeps.has("setTimeout")) timeouts.push(node);
    if (callee !== undefined && sleeps.has(callee) && parents.some(isEndless))
      found.push({ node, what: "an endless loop that sleeps" });
  });
  for (const node of timeouts)
    if (reaches(node, functions)) found.push({ node, what: "a setTimeout that restarts itself" });
  return found.map(({ node, what }) => ({ index: indexOf(file, node), what }));
}

/** Returns the local names of `setTimeout` from `node:timers/promises`. */
function namesOfSleep(text: string): Set<string> {
  const imported = [...text.matchAll(/import \{([^}]*)\} from "node:timers\/promises"/g)].map(
    ([, names = ""]) => names,
  );
  return new Set(
    imported.flatMap((names) => [...names.matchAll(/\bsetTimeout(?: as (\w+))?/g)].map(([, as]) => as ?? "setTimeout")),
  );
}

/** Whether only the body ends the loop: it has no condition or only a flag, and no counter that limits tries. */
function isEndless(node: Node): boolean {
  if (!LOOPS.has(node.type) || isNode(node["update"])) return false;
  const test = node["test"];
  if (!isNode(test)) return true;
  return test.type === "BooleanLiteral" || (test.type === "UnaryExpression" && isPlain(test["argument"]));
}

function isPlain(value: unknown): boolean {
  return isNode(value) && (value.type === "Identifier" || value.type === "MemberExpression");
}

function nameOfFunction(node: Node): string | undefined {
  if (!FUNCTIONS.has(node.type)) return undefined;
  return nameOf(node["identifier"] ?? node["key"] ?? node["id"]);
}

/** Returns `x` for `x`, `this.x` and `this.#x`. */
function nameOf(value: unknown): string | undefined {
  if (!isNode(value)) return undefined;
  if (value.type === "Identifier" || value.type === "PrivateName") {
    const id = value["id"];
    return String(value["value"] ?? (isNode(id) ? id["value"] : undefined));
  }
  if (value.type !== "MemberExpression" || !isNode(value["object"]) || value["object"].type !== "ThisExpression")
    return undefined;
  return nameOf(value["property"]);
}

/** Whether the function that a timer calls sets that timer again, directly or by calls within the file. */
function reaches(timeout: Node, functions: ReadonlyMap<string, readonly Node[]>): boolean {
  const [first] = timeout["arguments"] as { expression: unknown }[];
  const given = nameOf(first?.expression);
  const open = given === undefined ? callsIn(first?.expression) : [given];
  const seen = new Set<string>();
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (seen.has(name)) continue;
    seen.add(name);
    for (const body of functions.get(name) ?? []) {
      if (contains(body, timeout)) return true;
      open.push(...callsIn(body));
    }
  }
  return false;
}

function contains(node: Node, inner: Node): boolean {
  const [outer, within] = [node.span, inner.span];
  return outer !== undefined && within !== undefined && outer.start <= within.start && within.end <= outer.end;
}

function callsIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(callsIn);
  if (typeof value !== "object" || value === null) return [];
  const own = isNode(value) && value.type === "CallExpression" ? nameOf(value["callee"]) : undefined;
  return [...(own === undefined ? [] : [own]), ...Object.values(value).flatMap(callsIn)];
}

function indexOf(file: SourceFile, node: Node): number {
  return Buffer.from(file.text)
    .subarray(0, (node.span?.start ?? 1) - 1)
    .toString().length;
}

/** Periodic work is in one list, which the operator sees, and shares one timer, so that a server at rest is quiet. */
export const periodicWork: Rule = {
  name: "periodic-work",
  check: (files) => {
    const server = files.filter(({ path }) => /^server\/src\/.*\.ts$/.test(path) && !isTest(path) && path !== SCHEDULE);
    const found = server.flatMap((file) => repeatingTimers(file).map((timer) => ({ ...timer, file })));
    const paths = new Set(found.map(({ file }) => file.path));
    return [
      ...found
        .filter(({ file }) => REPEATING[file.path] === undefined)
        .map(
          ({ file, index, what }) =>
            `${file.path}:${lineAt(file.text, index)}: ${what}; add the work to the schedule (${SCHEDULE})`,
        ),
      ...Object.keys(REPEATING)
        .filter((path) => files.some((file) => file.path === SCHEDULE) && !paths.has(path))
        .map((path) => `${path} has no repeating timer any more; remove it from REPEATING in tools/tidy/timers.ts`),
    ];
  },
};
