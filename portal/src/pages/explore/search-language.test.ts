import assert from "node:assert/strict";
import { test } from "node:test";
import { fieldTerm, hasTerm, parseSearch, withoutTerm, withTerm } from "./search-language.ts";

test("the language has fields, attributes, free words, quotes and minus", () => {
  const { terms, mistakes } = parseSearch('level:error service:payments -order:58211 timeout -"card \\"x\\" declined"');
  assert.deepEqual(mistakes, []);
  assert.deepEqual(terms, [
    {
      kind: "field",
      not: false,
      field: { kind: "column", name: "level" },
      condition: { kind: "is", values: ["error"] },
    },
    {
      kind: "field",
      not: false,
      field: { kind: "column", name: "service" },
      condition: { kind: "is", values: ["payments"] },
    },
    {
      kind: "field",
      not: true,
      field: { kind: "attribute", name: "order" },
      condition: { kind: "is", values: ["58211"] },
    },
    { kind: "text", not: false, text: "timeout" },
    { kind: "text", not: true, text: 'card "x" declined' },
  ]);
});

test("several values, a star, a comparison, a name with dots", () => {
  const conditions = parseSearch(
    "level:error,warn host:web* user:* duration_ms:>=250 attributes.level:x http.route:/a",
  ).terms.map((term) => (term.kind === "field" ? [term.field.name, term.condition] : null));
  assert.deepEqual(conditions, [
    ["level", { kind: "is", values: ["error", "warn"] }],
    ["host", { kind: "like", pattern: "web*" }],
    ["user", { kind: "has" }],
    ["duration_ms", { kind: "compare", operator: ">=", value: "250" }],
    ["level", { kind: "is", values: ["x"] }],
    ["http.route", { kind: "is", values: ["/a"] }],
  ]);
});

test("quoted values are taken literally", () => {
  const [term] = parseSearch('user:"a,b*"').terms;
  assert.deepEqual(term?.kind === "field" ? term.condition : null, { kind: "is", values: ["a,b*"] });
});

test("addresses and times in the message are words, not fields", () => {
  assert.deepEqual(parseSearch("10.0.0.1:8080").terms, [{ kind: "text", not: false, text: "10.0.0.1:8080" }]);
});

test("errors of syntax are explained, with their position", () => {
  for (const [text, at, advice] of [
    ["a OR b", 2, /level:error,warn/],
    ["a AND b", 2, /remove AND/],
    ["NOT a", 0, /minus/],
    ["level:", 0, /value is missing/],
    ["ms:>", 0, /value is missing/],
    ["(a", 0, /Brackets/],
    ['x "abc', 2, /quotation mark/],
    ["message:/a.b/", 0, /regexp_matches/],
    ['a ""', 2, /nothing/],
    ["a -", 2, /minus/],
  ] as const) {
    const { mistakes } = parseSearch(text);
    assert.equal(mistakes.length, 1, text);
    assert.equal(mistakes[0]?.at, at, text);
    assert.match(mistakes[0]?.advice ?? "", advice, text);
  }
});

test("a term is added once, can be removed, and replaces its opposite", () => {
  const term = fieldTerm("service", "payments");
  assert.equal(withTerm("a -service:payments", term), "a service:payments");
  assert.equal(withTerm("a service:payments", term), "a service:payments");
  assert.equal(withoutTerm("a service:payments b", term), "a b");
  assert.equal(hasTerm("a service:payments2", term), false);
});

test("a term parses back to its value", () => {
  for (const value of ["a", "a b", 'a"b\\c', "a,b", "*", "", "ä", ">5"]) {
    if (value === "") continue;
    const [term] = parseSearch(fieldTerm("x", value)).terms;
    assert.deepEqual(term?.kind === "field" ? term.condition : null, { kind: "is", values: [value] }, value);
  }
});
