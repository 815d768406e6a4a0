import assert from "node:assert/strict";
import { test } from "node:test";
import Type from "typebox";
import { Problem, type ProblemPlace } from "#kernel/problem.ts";
import { bodyCheck, parameterCheck, type Check } from "./validate.ts";

function placesOf(check: Check, value: unknown): readonly ProblemPlace[] {
  try {
    check(value);
  } catch (error) {
    assert.ok(error instanceof Problem, String(error));
    return error.options.errors ?? [];
  }
  assert.fail("was accepted");
}

const body = bodyCheck(
  Type.Object(
    { name: Type.String({ minLength: 1 }), size: Type.Optional(Type.Union([Type.Integer(), Type.Null()])) },
    { additionalProperties: false },
  ),
);

test("a good body passes unchanged; null does not become zero", () => {
  assert.deepEqual(body({ name: "a", size: null }), { name: "a", size: null });
});

test("each invalid place is named once, with a JSON pointer", () => {
  assert.deepEqual(
    placesOf(body, { name: "", other: 1, "a/b~c": 2 })
      .map((place) => place.pointer)
      .toSorted(),
    ["/a~1b~0c", "/name", "/other"],
  );
  assert.deepEqual(placesOf(body, {}), [{ pointer: "/name", detail: "is required" }]);
  assert.deepEqual(
    placesOf(body, []).map((place) => place.pointer),
    [""],
  );
});

test("at most 20 places are named", () => {
  const many = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`k${i}`, i]));
  assert.equal(placesOf(body, { name: "a", ...many }).length, 20);
});

const query = parameterCheck(
  Type.Object({
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 50 })),
    deep: Type.Optional(Type.Boolean()),
  }),
);

test("a parameter is converted only if it is exactly a number or a boolean", () => {
  assert.deepEqual(query({}), { limit: 50 });
  assert.deepEqual(query({ limit: "7", deep: "true" }), { limit: 7, deep: true });
  for (const limit of ["0", "101", "-1", "x", "", "1.5", "1e1", " 1", "0x1", ["1", "2"]]) {
    assert.deepEqual(
      placesOf(query, { limit }).map((place) => place.pointer),
      ["/limit"],
      JSON.stringify(limit),
    );
  }
  assert.deepEqual(
    placesOf(query, { deep: "yes" }).map((place) => place.pointer),
    ["/deep"],
  );
});

test("a list of any length is refused before its items are compared", () => {
  const closed = { additionalProperties: false };
  const check = bodyCheck(Type.Object({ a: Type.Array(Type.String(), { uniqueItems: true, maxItems: 25 }) }, closed));
  const startedUs = process.cpuUsage().user;
  assert.deepEqual(placesOf(check, { a: Array.from({ length: 20_000 }, () => "s") }), [
    { pointer: "/a", detail: "must not have more than 25 items" },
  ]);
  const members = Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [`m${n}`, n]));
  assert.deepEqual(placesOf(check, { a: [], ...members }), [
    { pointer: "", detail: "has more than 100 members that are not known" },
  ]);
  assert.ok(process.cpuUsage().user - startedUs < 1_000_000, "it took more than a second");
  assert.deepEqual(check({ a: ["s"] }), { a: ["s"] });
});
