/**
 * The table of permissions, over HTTP: every published operation, by every kind of actor, at every place. The expected
 * outcome comes from a model that shares no code with the product. A new operation needs a request in `operation-requests.ts`, as for every test of operations.
 */
import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import type { Values } from "../fixtures/operation-requests.ts";
import { publishedOperations } from "../fixtures/operations.ts";
import { actorsOf, pending, strangers, suspendedActors } from "../fixtures/permissions/actors.ts";
import {
  ask,
  hiddenIds,
  isUseful,
  readsOnly,
  runAll,
  valuesOf,
  versions,
  type Cell,
} from "../fixtures/permissions/cells.ts";
import {
  ALSO,
  expected,
  expectedInProject,
  PROJECTS,
  RULES,
  type Actor,
  type Outcome,
  type Target,
} from "../fixtures/permissions/model.ts";
import {
  keyFrom,
  keysOf,
  keyWith,
  placesOf,
  REGISTRY_ROWS,
  registryOutcome,
  S3_ROWS,
  s3Outcome,
  type Key,
  type Place,
} from "../fixtures/permissions/protocols.ts";
import { archive, newWorld, sharedValues, targetsOf, type World } from "../fixtures/permissions/world.ts";
import { Person } from "../fixtures/person.ts";
import { RELAXED, useServer, type Server } from "../fixtures/server.ts";

const OPERATIONS = publishedOperations().filter(({ scopes }) => scopes !== null);
/** They end objects or accounts of other requests, so they run after these, one at a time. */
const LAST = ["emptyTrash", "deleteMe"];
/** Answers that name objects of projects that their reader does not see. */
const NAMES_ALL: Readonly<Record<string, string>> = {
  listAudit: "the audit log of the organization has the ids of every project",
  exportAudit: "the audit log of the organization has the ids of every project",
  getAuditEntry: "the audit log of the organization has the ids of every project",
};

let server: Server;
let main: World;
let operator: Person;
useServer({ settings: RELAXED }, async ({ home, server: started }) => {
  server = started;
  operator = await Person.setUp(server, home.owner);
  main = await newWorld(server, home, operator);
});

async function otherWorld(org: string): Promise<World> {
  const home = await server.bootstrap({ org, project: "web", app: `app-${org}` });
  return newWorld(server, home, await Person.setUp(server, home.owner));
}

const faults: string[] = [];
const counts = {
  outcomes: new Map<string, number>(),
  actors: new Set<string>(),
  operations: new Set<string>(),
  rules: new Set<string>(),
};

async function check(cell: Cell, values: Values): Promise<void> {
  const { actor, target } = cell;
  const { operation, place, by } = target;
  const wanted = expected(actor, target, (rule) => counts.rules.add(rule === "also" ? `also ${operation.id}` : rule));
  const isNew = wanted === "allowed" && !readsOnly(operation) && by === "path";
  const needsToken =
    isNew && actor.tokenFor !== undefined && (target.object === "project_id" || actor.limitedTo !== null);
  const token = needsToken ? await actor.tokenFor(values) : actor.token;
  const { outcome, text } = await ask(server, target, values, token);
  counts.outcomes.set(outcome, (counts.outcomes.get(outcome) ?? 0) + 1);
  counts.actors.add(actor.name);
  counts.operations.add(operation.id);
  const about = `${operation.id} (${by} ${place}) by ${actor.name}`;
  if (outcome !== wanted) faults.push(`${about}: ${outcome} instead of ${wanted}: ${text.slice(0, 200)}`);
  if (outcome !== "allowed" || NAMES_ALL[operation.id] !== undefined) return;
  for (const id of await hiddenIds(cell, values))
    if (text.includes(id)) faults.push(`${about}: the answer names the hidden ${id}`);
}

const isLast = ({ target }: Cell): boolean => LAST.includes(target.operation.id);

/** Makes the objects of a cell, and checks it. */
async function checkNew(cell: Cell): Promise<void> {
  try {
    await check(cell, await valuesOf(cell));
  } catch (error) {
    faults.push(`${cell.target.operation.id} (${cell.target.place}) by ${cell.actor.name}: ${String(error)}`);
  }
}

function cellsOf(world: World, actors: readonly Actor[], keeps: (target: Target) => boolean = () => true): Cell[] {
  const targets = OPERATIONS.flatMap(targetsOf).filter(keeps);
  return targets.flatMap((target) =>
    actors.filter((actor) => isUseful(actor, target)).map((actor) => ({ world, actor, target })),
  );
}

/** Makes every shared object, so that the archived project can be archived. */
async function prepare(world: World, keeps: (target: Target) => boolean = () => true): Promise<void> {
  await runAll(OPERATIONS.flatMap(targetsOf).filter(keeps), async (target) => void (await sharedValues(world, target)));
}

function assertNoFaults(context: TestContext): void {
  const all = faults.splice(0);
  context.diagnostic(
    `${[...counts.outcomes.values()].reduce((sum, n) => sum + n, 0)} cells: ${JSON.stringify(Object.fromEntries(counts.outcomes))}`,
  );
  assert.equal(all.length, 0, `${all.length} cells differ from the model:\n${all.slice(0, 60).join("\n")}`);
}

let ending: Cell[] = [];
/** The actors of each organization, for the other protocols. */
const protocols: {
  readonly actors: readonly Actor[];
  readonly keys: readonly Key[];
  readonly places: readonly Place[];
}[] = [];

test("every operation by every actor at every place", async (context) => {
  await prepare(main);
  await archive(main);
  const actors = await actorsOf(main);
  const before = await versions(main);
  const rival = await otherWorld("rival");
  const others = await strangers(rival);
  const cells = cellsOf(main, [...actors, ...others]);
  const places = await placesOf(main, [...PROJECTS, "beside"]);
  const waiting = await pending(main);
  const pendingKey = await keyWith(main, waiting.key, { name: "pending key" });
  const keys = [...(await keysOf(main, places)), await keyFrom(rival, { isStranger: true }), pendingKey];
  protocols.push({ actors: [...actors, ...others, waiting.actor], keys, places });
  ending = cells.filter(isLast);
  await runAll(
    cells.filter((cell) => !isLast(cell)),
    checkNew,
  );
  assert.deepEqual(await versions(main), before, "a refused request changed an object");
  assertNoFaults(context);
});

for (const state of ["read_only", "blocked"] as const) {
  test(`every operation in a ${state} organization`, async (context) => {
    const world = await otherWorld(state.replace("_", "-"));
    const keeps = ({ place }: Target): boolean => place === "open" || place === "organization";
    await prepare(world, keeps);
    const actors = await suspendedActors(world, state);
    const cells = cellsOf(world, actors, keeps);
    protocols.push({ actors, keys: [await keyFrom(world, { state })], places: await placesOf(world, ["open"]) });
    // Objects that end are made before, because afterwards nothing can be made.
    const ready: { cell: Cell; values: Values }[] = [];
    const now = cells.filter((cell) => !isLast(cell));
    await runAll(now, async (cell) => void ready.push({ cell, values: await valuesOf(cell) }));
    ending.push(...cells.filter(isLast));
    const { body } = await world.keeper.api("GET", "/v1/organization");
    const suspended = await operator.call("POST", `/api/instance/organizations/${String(body["id"])}/suspend`, {
      state,
    });
    assert.equal(suspended.status, 200, suspended.text);
    await runAll(ready, ({ cell, values }) => check(cell, values));
    assertNoFaults(context);
  });
}

/** `hidden`: the answer for a repository or bucket that does not exist. */
function codeFor(
  outcome: Outcome,
  codes: { readonly invalid: string; readonly refused: string; readonly hidden: string },
): string {
  if (outcome === "allowed") return "allowed";
  if (outcome === "not_found") return codes.hidden;
  return outcome === "invalid_token" ? codes.invalid : codes.refused;
}

test("S3 and the registry, by every kind of key and credential", async (context) => {
  const counted = { s3: 0, registry: 0 };
  const compare = (about: string, found: string, wanted: string): void => {
    if (found !== wanted) faults.push(`${about}: ${found} instead of ${wanted}`);
  };
  for (const { keys, actors, places } of protocols) {
    const absent = places.find(({ name }) => name === "absent") ?? assert.fail("no absent place");
    await runAll(keys, async (key) => {
      for (const row of S3_ROWS) {
        const hidden = await s3Outcome(row, key.client3, absent.bucket);
        assert.notEqual(hidden, "allowed", `${row.name} on an absent bucket by ${key.name}`);
        for (const { name, bucket } of places) {
          if (name === "absent") continue;
          const outcome = expectedInProject(key, name, row.permission, "buckets");
          // Keys see the names of all buckets, except those of private projects.
          const isNamed = outcome === "not_found" && key.boundTo !== null && name !== "private";
          const codes = { invalid: "InvalidAccessKeyId", refused: "AccessDenied", hidden };
          const wanted = codeFor(isNamed ? "insufficient_scope" : outcome, codes);
          compare(`${row.name} (${name}) by ${key.name}`, await s3Outcome(row, key.client3, bucket), wanted);
          counted.s3++;
        }
      }
    });
    // The server slows down sign-ins that fail, so the REST cells alone cover ended credentials.
    const credentials = actors.filter(({ client, isValid }) => client !== null && isValid);
    await runAll(credentials, async (actor) => {
      for (const row of REGISTRY_ROWS) {
        const hidden = await registryOutcome(server.origin, row, absent.repository, actor);
        assert.notEqual(hidden, "allowed", `${row.name} in an absent repository by ${actor.name}`);
        for (const { name, repository } of places) {
          if (name === "absent") continue;
          const wanted = codeFor(expectedInProject(actor, name, row.permission, "repositories"), {
            invalid: "UNAUTHORIZED",
            refused: "DENIED",
            hidden,
          });
          compare(
            `${row.name} (${name}) by ${actor.name}`,
            await registryOutcome(server.origin, row, repository, actor),
            wanted,
          );
          counted.registry++;
        }
      }
    });
  }
  context.diagnostic(`${counted.s3} cells of S3, ${counted.registry} of the registry`);
  assertNoFaults(context);
});

test("operations that end objects or accounts of others", async (context) => {
  for (const cell of ending) await checkNew(cell);
  assertNoFaults(context);
});

test("every operation, actor, outcome and rule was checked", () => {
  assert.deepEqual(
    OPERATIONS.map(({ id }) => id).filter((id) => !counts.operations.has(id)),
    [],
  );
  const outcomes = [
    "allowed",
    "unauthorized",
    "invalid_token",
    "organization_blocked",
    "organization_read_only",
    "insufficient_scope",
  ];
  const more = ["project_archived", "insufficient_user_authentication", "forbidden", "not_found"];
  assert.deepEqual(
    [...outcomes, ...more].filter((outcome) => !counts.outcomes.has(outcome)),
    [],
  );
  const unused = [...Object.keys(RULES), ...Object.keys(ALSO).map((id) => `also ${id}`)].filter(
    (rule) => !counts.rules.has(rule),
  );
  assert.deepEqual(unused, [], "rules that no cell used");
});
