import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Compile } from "typebox/compile";
import { PROJECT_ROLE_SCOPES, resourceKindOf, SCOPES, type Route } from "@mooring/contract";
import { PROBLEMS } from "#http/index.ts";
import type { ProblemCode } from "#kernel/problem.ts";
import { sharedWorld, type Answer, type Call, type World, type WorldOptions } from "./world.ts";

/** One request of an operation. The token has every permission by default. */
export interface Ask extends Call {
  readonly path: string;
}

export interface Case {
  /** Returns a request that succeeds. Tests may call this many times. */
  readonly ask: (world: World) => Promise<Ask> | Ask;
  /**
   * Pairs of requests: one names a hidden resource, the other one an absent resource. The answers must be the same.
   * Missing if an operation names no resource.
   */
  readonly hidden?: (world: World) => Promise<readonly Pair[]> | readonly Pair[];
  /** Requests that cause the row's other problems, which need a special situation. */
  readonly problems?: Readonly<Record<string, (world: World) => Promise<Ask>>>;
}

export interface Pair {
  readonly hidden: Ask;
  readonly absent: Ask;
  /** The two names, of equal length. */
  readonly names: readonly [string, string];
  /** A guest asks. It is left out for operations whose permission no role in a project has. */
  readonly byGuest?: boolean;
}

type Row = Pick<Route, "operationId" | "method" | "path" | "permission" | "status" | "problems"> & Partial<Route>;

/** One operation with its requests, in the world that `world()` returns. */
interface Subject extends Case {
  readonly row: Row;
  readonly world: () => World;
  /** Sends the request with a token of every scope, unless the request or the changes have another one. */
  readonly send: (ask: Ask, changes?: Partial<Ask>) => Promise<Answer>;
}

/** The tests of every row cover these problems, so a row needs no case for them. */
/** `app/limits.full.ts` covers `limit_reached` for every create. */
const GENERIC = new Set(["limit_reached", "invalid_body", "invalid_parameter", "not_found", "concurrent_update"]);

/** Tests an operation's success, and every refusal that its row or its form requires. */
export function testOperation(row: Row, requests: Case, options?: WorldOptions): void {
  describe(row.operationId, () => {
    let world: World;
    let whole: string;
    const subject: Subject = {
      row,
      ...requests,
      world: () => world,
      send: (ask, changes = {}) =>
        world.call(row.method, changes.path ?? ask.path, { token: whole, ...ask, ...changes }),
    };

    before(async () => {
      world = await sharedWorld(options);
      whole = await world.token();
    });
    after(() => world.close());

    testCoverage(subject);
    testSuccess(subject);
    testAuthentication(subject);
    testScope(subject);
    testSuspension(subject);
    testRecentSignIn(subject);
    testHidden(subject);
    testLimits(subject);
    testValidation(subject);
    testVersion(subject);
    testProblems(subject);
    testIdempotency(subject);
  });
}

/** Fails when a row gets a parameter, a problem or a permission without a case. */
function testCoverage({ row, hidden, problems = {} }: Subject): void {
  test("has the cases that its form requires", () => {
    const namesResource = row.path.includes("{") || JSON.stringify([row.query, row.body]).includes('"project":');
    assert.equal(hidden !== undefined, namesResource, "a hidden case is for operations that name a resource");
    assert.ok(row.permission !== "public" || row.publicReason !== undefined, "the row is public without a reason");
    const own = row.problems.filter((code) => !GENERIC.has(code) || (code === "not_found" && hidden === undefined));
    assert.deepEqual(Object.keys(problems).toSorted(), own.toSorted());
  });
}

function testSuccess({ row, ask, world, send }: Subject): void {
  test("succeeds with the status and form of its row", async () => {
    const answer = await send(await ask(world()));
    assert.equal(answer.status, row.status, answer.text);
    if (row.result === undefined) return;
    const schema = Compile(row.result);
    assert.ok(schema.Check(answer.json), JSON.stringify(schema.Errors(answer.json)));
  });
}

function testAuthentication({ row, ask, world, send }: Subject): void {
  if (row.permission === "public") return;
  test("is refused without a token and with an invalid one", async () => {
    const good = await ask(world());
    const without = await send(good, { token: undefined });
    assertProblem(without, "unauthorized");
    assert.match(without.headers.get("www-authenticate") ?? "", /^Bearer /);
    const bad = await send(good, { token: "bad" });
    assertProblem(bad, "invalid_token");
    assert.match(bad.headers.get("www-authenticate") ?? "", /error="invalid_token"/);
  });
}

function testScope({ row, ask, world, send }: Subject): void {
  const { permission } = row;
  if (permission === "public" || permission === "authenticated") return;
  test(`is refused without ${permission}, and the refusal names it`, async () => {
    const token = await world().token({ scopes: SCOPES.filter((scope) => scope !== permission) });
    const answer = await send(await ask(world()), { token });
    assertProblem(answer, "insufficient_scope");
    assert.equal(answer.json["required_scope"], permission);
    const challenge = answer.headers.get("www-authenticate") ?? "";
    assert.match(challenge, new RegExp(`error="insufficient_scope", scope="${permission}"`));
  });
}

/** Operations other than GET that a read-only organization allows: they only read, or only take access away. */
const READ_ONLY_ALLOWS: ReadonlySet<string> = new Set([
  "query",
  "runSavedQuery",
  "createObjectLink",
  "testTrust",
  "findLeak",
  "claimWebhookEvents",
  "acknowledgeWebhookEvents",
  "revokeCredential",
  "revokeS3Key",
  "revokeIngestKey",
  "deleteTrust",
  "deleteMember",
  "deleteProjectMember",
  "endMemberAccess",
  "revokeInvitation",
  "deleteGroup",
  "deleteGroupMember",
  "deleteProjectGroup",
  "deleteMe",
  "cancelQuery",
  "cancelQueries",
]);

/** Tests that the operation obeys the state of the organization, also for tokens issued before. */
function testSuspension({ row, ask, world, send }: Subject): void {
  if (row.permission === "public") return;
  const isAllowed = row.method === "GET" || READ_ONLY_ALLOWS.has(row.operationId);
  test(`a blocked or deleted organization refuses it, and a read-only one ${isAllowed ? "allows" : "refuses"} it`, async () => {
    const good = await ask(world());
    await world().suspend("blocked");
    assertProblem(await send(good), "organization_blocked");
    await world().suspend("deleting");
    if (row.whileDeleting !== true) assertProblem(await send(good), "organization_blocked");
    await world().suspend("read_only");
    const answer = await send(good);
    await world().suspend("active");
    if (!isAllowed) return assertProblem(answer, "organization_read_only");
    assert.equal(answer.status, row.status, answer.text);
  });
}

function testRecentSignIn({ row, ask, world, send }: Subject): void {
  if (row.recentSignIn !== true) return;
  test("requires a proof within the last ten minutes from a person, not from a credential", async () => {
    const { acme } = world();
    const answer = await send(await ask(world()), { token: world().person(acme, acme.people.owner, "late") });
    assertProblem(answer, "confirmation_required");
  });
}

function testHidden({ row, hidden, world, send }: Subject): void {
  if (hidden === undefined) return;
  test("answers a hidden resource like an absent one, byte for byte", async () => {
    const isOfProjects = PROJECT_ROLE_SCOPES.maintainer.some((scope) => scope === row.permission);
    for (const { hidden: seen, absent, names, byGuest = false } of await hidden(world())) {
      if (byGuest && !isOfProjects) continue;
      assert.equal(names[0].length, names[1].length, "the two names must be equally long");
      const headers = { "request-id": "same-request-id" };
      const one = await send(seen, { headers });
      const other = await send(absent, { headers });
      assertProblem(one, "not_found");
      assert.equal(one.text.replaceAll(names[0], "NAME"), other.text.replaceAll(names[1], "NAME"));
      assert.deepEqual(headersOf(one), headersOf(other));
    }
  });
}

/** Limits to resources that do not exist. */
const ELSEWHERE = {
  repositories: ["app_none"],
  buckets: [["app_none", ""]],
  webhooks: ["wh_none"],
  services: ["none"],
} as const;

function testLimits({ row, ask, world, send }: Subject): void {
  const { resource } = row;
  if (resource === undefined || resource === "services") return;
  const limited = (resources: object): Promise<string> => world().token({ scopes: LIMITABLE, resources });
  test("is refused to a credential that is limited to other resources", async () => {
    const answer = await send(await ask(world()), { token: await limited(ELSEWHERE) });
    if (resource === "unlimited") {
      assertProblem(answer, "insufficient_scope");
      assert.match(String(answer.json["detail"]), /limited to resources, and this acts on more than these/);
    } else if (answer.status === 200) assert.deepEqual(answer.json["items"], [], "a list has only its resources");
    else assertProblem(answer, "not_found");
  });
  if (resource === "unlimited" || !row.path.includes("{")) return;
  test("succeeds for a credential that is limited to its resource", async () => {
    const good = await ask(world());
    const id = await resourceIdOf(world(), row, good.path);
    const own = { ...ELSEWHERE, [resource]: resource === "buckets" ? [[id, ""]] : [id] };
    const answer = await send(good, { token: await limited(own) });
    assert.equal(answer.status, row.status, answer.text);
  });
}

const LIMITABLE = SCOPES.filter((scope) => resourceKindOf(scope) !== undefined);

/** Returns the id of the app or the webhook that a path names. */
async function resourceIdOf(world: World, row: Row, path: string): Promise<string> {
  const at = row.path.split("/").findIndex((part) => /^\{(?:app|webhook)_id\}$/.test(part));
  const name = path.split("?", 1)[0]?.split("/")[at] ?? "";
  const apps = world.metadata.read.selectFrom("app").select("id").where("org_id", "=", world.acme.id);
  return (await apps.where("slug", "=", name).executeTakeFirst())?.id ?? name;
}

function testValidation({ row, ask, world, send }: Subject): void {
  test("refuses an unknown parameter by name", async () => {
    const good = await ask(world());
    const answer = await send(good, { path: `${good.path}${good.path.includes("?") ? "&" : "?"}nonsense=1` });
    assertProblem(answer, "invalid_parameter");
    assert.deepEqual(pointersOf(answer), ["/nonsense"]);
  });
  if (row.body === undefined) return;
  test("refuses an unknown member by pointer, another type, and a missing body", async () => {
    const good = await ask(world());
    const unknown = await send(good, { body: { ...(good.body as object), nonsense: 1 } });
    assertProblem(unknown, "invalid_body");
    assert.deepEqual(pointersOf(unknown), ["/nonsense"]);
    assertProblem(await send(good, { body: [] }), "invalid_body");
    assertProblem(await send(good, { body: undefined }), "invalid_body");
  });
}

function testVersion({ row, ask, world, send }: Subject): void {
  if (row.headers?.includes("If-Match") !== true) return;
  test("answers concurrent_update for an old version, accepts * for any version, and returns the new one, if any", async () => {
    const good = await ask(world());
    assertProblem(await send(good, { headers: { "if-match": '"stale"' } }), "concurrent_update");
    const answer = await send(good, { headers: { "if-match": "*" } });
    assert.equal(answer.status, row.status, answer.text);
    if (row.method !== "DELETE") assert.match(answer.headers.get("etag") ?? "", /^"[0-9a-f]{32}"$/);
  });
}

function testProblems({ problems = {}, world, send }: Subject): void {
  for (const [code, situation] of Object.entries(problems)) {
    test(`answers ${code}`, async () => {
      assertProblem(await send(await situation(world())), code as ProblemCode);
    });
  }
}

function testIdempotency({ row, ask, world, send }: Subject): void {
  if (row.idempotent !== true) return;
  test("runs once for an idempotency key, and shows a secret once", async () => {
    const good = await ask(world());
    const headers = { "idempotency-key": "key-of-this-test" };
    const first = await send(good, { headers });
    const again = await send(good, { headers });
    assert.equal(first.status, row.status, first.text);
    assert.equal(again.status, row.status, again.text);
    assert.equal(again.headers.get("idempotency-replayed"), "true");
    assert.deepEqual(timeless(again.json), timeless(withoutSecrets(first.json)));
    const other = await send(good, { headers, body: otherBody(good.body as object) });
    assertProblem(other, "idempotency_key_reused");
  });
}

/** Removes the parameters of a signed URL, which change with each request. */
function timeless<T>(json: T): T {
  return JSON.parse(
    JSON.stringify(json)
      .replaceAll(/expires=\d+/g, "expires=T")
      .replaceAll(/signature=[\w-]+/g, "signature=S"),
  ) as T;
}

export function assertProblem(answer: Answer, code: ProblemCode): void {
  assert.equal(answer.json["code"], code, answer.text);
  assert.equal(answer.status, PROBLEMS[code].status);
  assert.equal(answer.headers.get("content-type"), "application/problem+json; charset=utf-8");
  assert.equal(answer.json["request_id"], answer.headers.get("request-id"));
}

/** Returns another valid body: with another name if it has one, because any name is valid. */
function otherBody(body: object): object {
  if ("name" in body) return { ...body, name: changed(body.name) };
  return Object.fromEntries(Object.entries(body).map(([name, value]) => [name, changed(value)]));
}

/** Returns another value of the same form, for the members of this API's requests. */
function changed(value: unknown): unknown {
  if (typeof value === "number") return value + 1;
  if (value === "open" || (typeof value === "string" && SCOPES.some((scope) => scope === value))) return value;
  if (typeof value === "string") return ["developer", "viewer"].includes(value) ? "viewer" : `a${value}`;
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, changed(member)]));
}

function pointersOf(answer: Answer): string[] {
  return (answer.json["errors"] as { pointer: string }[]).map((place) => place.pointer);
}

/** Returns the header fields, without times and rate limits. */
function headersOf(answer: Answer): [string, string][] {
  return [...answer.headers].filter(([name]) => name !== "date" && name !== "ratelimit");
}

function withoutSecrets(body: Record<string, unknown>): Record<string, unknown> {
  const shownOnce = ["client_secret", "link", "secret", "secret_access_key", "webhook_url"].filter((name) =>
    Object.hasOwn(body, name),
  );
  if (shownOnce.length === 0) return body;
  return { ...body, ...Object.fromEntries(shownOnce.map((name) => [name, null])), replayed: true };
}
