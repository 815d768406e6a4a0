import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { TSchema } from "typebox";
import { Compile } from "typebox/compile";
import { ORGANIZATION_ROUTES, SCOPES, type Route } from "@mooring/contract";
import { PROBLEMS, type ProblemCode } from "#kernel/problem.ts";
import { CASES, type Ask } from "./testing/cases.ts";
import { createWorld, type Answer, type World } from "./testing/world.ts";

type Row = Pick<Route, "operationId" | "method" | "path" | "permission" | "status" | "problems"> & Partial<Route>;
const ROWS: readonly Row[] = Object.values(ORGANIZATION_ROUTES);

/** Shown by the tests that every row gets, not by a case of its own. */
const GENERIC = new Set(["invalid_body", "invalid_parameter", "not_found", "rate_limited"]);

let world: World;
let whole: string;

before(async () => {
  world = await createWorld();
  whole = await world.token();
});

after(() => world.close());

function send(row: Row, ask: Ask, changes: Partial<Ask> = {}): Promise<Answer> {
  return world.call(row.method, changes.path ?? ask.path, { token: whole, ...ask, ...changes });
}

function assertProblem(answer: Answer, code: ProblemCode): void {
  assert.equal(answer.json["code"], code, answer.text);
  assert.equal(answer.status, PROBLEMS[code].status);
  assert.equal(answer.headers.get("content-type"), "application/problem+json; charset=utf-8");
  assert.equal(answer.json["request_id"], answer.headers.get("request-id"));
}

test("every row has the cases that its form asks for", () => {
  for (const row of ROWS) {
    const found = CASES[row.operationId as keyof typeof CASES];
    assert.ok(found !== undefined, `${row.operationId} has no cases`);
    const namesResource = row.path.includes("{") || JSON.stringify([row.query, row.body]).includes('"project"');
    assert.ok(!namesResource || found.hidden !== undefined, `${row.operationId} names a resource and has no hidden case`);
    assert.ok(row.permission !== "public" || row.publicReason !== undefined, `${row.operationId} is public without a reason`);
    const own = row.problems.filter((code) => !GENERIC.has(code) || (code === "not_found" && found.hidden === undefined));
    assert.deepEqual(Object.keys(found.problems ?? {}).toSorted(), own.toSorted(), `${row.operationId}: problems without a case, or cases without a row`);
  }
  assert.deepEqual(Object.keys(CASES).toSorted(), ROWS.map((row) => row.operationId).toSorted());
});

describe("each operation", () => {
  for (const row of ROWS) {
    const { ask, hidden, problems = {} } = CASES[row.operationId as keyof typeof CASES];

    test(`${row.operationId} succeeds as its row says`, async () => {
      const answer = await send(row, await ask(world));
      assert.equal(answer.status, row.status, answer.text);
      if (row.result === undefined) return;
      const schema = Compile(row.result as TSchema);
      assert.ok(schema.Check(answer.json), JSON.stringify(schema.Errors(answer.json)));
    });

    if (row.permission !== "public") {
      test(`${row.operationId} is refused without a token and with a bad one`, async () => {
        const good = await ask(world);
        const without = await send(row, good, { token: undefined });
        assertProblem(without, "unauthorized");
        assert.match(without.headers.get("www-authenticate") ?? "", /^Bearer /);
        const bad = await send(row, good, { token: "bad" });
        assertProblem(bad, "invalid_token");
        assert.match(bad.headers.get("www-authenticate") ?? "", /error="invalid_token"/);
      });
    }

    if (row.permission !== "public" && row.permission !== "authenticated") {
      test(`${row.operationId} is refused without ${row.permission}, which is named`, async () => {
        const token = await world.token({ scopes: SCOPES.filter((scope) => scope !== row.permission) });
        const answer = await send(row, await ask(world), { token });
        assertProblem(answer, "insufficient_scope");
        assert.equal(answer.json["required_scope"], row.permission);
        assert.match(answer.headers.get("www-authenticate") ?? "", new RegExp(`error="insufficient_scope", scope="${row.permission}"`));
      });
    }

    if (hidden !== undefined) {
      test(`${row.operationId} answers what is hidden like what is absent`, async () => {
        for (const { hidden: seen, absent, names } of await hidden(world)) {
          assert.equal(names[0].length, names[1].length, "the two names must be equally long");
          const headers = { "request-id": "same-request-id" };
          const one = await send(row, seen, { headers });
          const other = await send(row, absent, { headers });
          assertProblem(one, "not_found");
          assert.equal(one.text.replaceAll(names[0], "NAME"), other.text.replaceAll(names[1], "NAME"));
          assert.deepEqual(headersOf(one), headersOf(other));
        }
      });
    }

    if (row.query !== undefined || row.params !== undefined) {
      test(`${row.operationId} refuses an unknown parameter by name`, async () => {
        const good = await ask(world);
        const answer = await send(row, good, { path: `${good.path}${good.path.includes("?") ? "&" : "?"}nonsense=1` });
        assertProblem(answer, "invalid_parameter");
        assert.deepEqual(pointers(answer), ["/nonsense"]);
      });
    }

    if (row.body !== undefined) {
      test(`${row.operationId} refuses an unknown member by pointer, another type, and no body`, async () => {
        const good = await ask(world);
        const unknown = await send(row, good, { body: { ...(good.body as object), nonsense: 1 } });
        assertProblem(unknown, "invalid_body");
        assert.deepEqual(pointers(unknown), ["/nonsense"]);
        assertProblem(await send(row, good, { body: [] }), "invalid_body");
        assertProblem(await send(row, good, { body: undefined }), "invalid_body");
      });
    }

    for (const [code, situation] of Object.entries(problems)) {
      test(`${row.operationId} answers ${code}`, async () => {
        assertProblem(await send(row, await situation(world)), code as ProblemCode);
      });
    }

    if (row.idempotent === true) {
      test(`${row.operationId} runs once for an idempotency key, and shows a secret once`, async () => {
        const good = await ask(world);
        const headers = { "idempotency-key": `key-of-${row.operationId}` };
        const first = await send(row, good, { headers });
        const again = await send(row, good, { headers });
        assert.equal(first.status, row.status, first.text);
        assert.equal(again.status, row.status, again.text);
        assert.equal(again.headers.get("idempotency-replayed"), "true");
        const expected = withoutSecrets(first.json);
        assert.deepEqual(again.json, expected);
        const other = await send(row, good, { headers, body: { ...(good.body as object), name: "another" } });
        assertProblem(other, Object.hasOwn((row.body as { properties: object }).properties, "name") ? "idempotency_key_reused" : "invalid_body");
      });
    }
  }
});

function pointers(answer: Answer): string[] {
  return (answer.json["errors"] as { pointer: string }[]).map((place) => place.pointer);
}

/** Everything but what tells the time or counts requests. */
function headersOf(answer: Answer): [string, string][] {
  return [...answer.headers].filter(([name]) => name !== "date" && name !== "ratelimit");
}

function withoutSecrets(body: Record<string, unknown>): Record<string, unknown> {
  const shownOnce = ["client_secret", "link"].filter((name) => Object.hasOwn(body, name));
  if (shownOnce.length === 0) return body;
  return { ...body, ...Object.fromEntries(shownOnce.map((name) => [name, null])), replayed: true };
}

test("accepting invitations is limited by address", async () => {
  const body = { token: "mriv_unknown", name: "x", password: "long enough for this" };
  let last: Answer | undefined;
  for (let i = 0; i < 11 && last?.status !== 429; i++) last = await world.call("POST", "/v1/invitations/accept", { body });
  assert.ok(last !== undefined);
  assertProblem(last, "rate_limited");
  assert.match(last.headers.get("retry-after") ?? "", /^[0-9]+$/);
});
