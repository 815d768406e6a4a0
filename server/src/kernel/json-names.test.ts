import assert from "node:assert/strict";
import { test } from "node:test";
import { hasEscapedName, parseJson } from "./json-names.ts";
import { parseExact } from "./json-text.ts";

/** Makes the engine expect the name `\` after `z`, or `a\` after `y`. */
function provoke(): void {
  JSON.parse(String.raw`{"k":{"z":0,"\\":1}}`);
  JSON.parse(String.raw`{"k":{"y":0,"a\\":1}}`);
}

const NAMES = { z: ["\n", "\0", '"', "\t", "\\", "\u001f"], y: ["a\n", "a\0", 'a"', "a\\"] };

for (const [how, parse] of Object.entries({ parseJson, parseExact })) {
  test(`names with escapes are read as they were written, by ${how}`, (t) => {
    let isFaulty = false;
    for (const [first, names] of Object.entries(NAMES))
      for (const name of names)
        for (const number of [1, "12345678901234567890.5"]) {
          const text = `{"k":{${JSON.stringify(first)}:0,${JSON.stringify(name)}:${number}}}`;
          provoke();
          const read = parse(text) as { k: object };
          assert.deepEqual(Object.keys(read.k), [first, name]);
          if (how === "parseExact") assert.equal(JSON.stringify(read), text);
          isFaulty ||= Object.keys((JSON.parse(text) as typeof read).k)[1] !== name;
        }
    if (!isFaulty) t.diagnostic("JSON.parse of this engine reads these names right: parseJson is no longer needed");
  });
}

test("a name differs from a value, with and without an escape", () => {
  for (const text of [String.raw`{"\n":1}`, String.raw`[{"a":"b","\u0041" :1}]`, `{"a\\\\"\n\t : 1}`])
    assert.ok(hasEscapedName(text), text);
  for (const text of [
    '{"a":1}',
    String.raw`{"a":"\n"}`,
    String.raw`["\":","\\",":\\"]`,
    String.raw`{"a":"b\":c","d":1}`,
  ])
    assert.ok(!hasEscapedName(text), text);
});

test("any JSON has the value that the engine's own parser gives", () => {
  const random = randomOf(7);
  for (let n = 0; n < 3000; n++) {
    const text = `{"\\u0001${n}":${documentOf(random, 0)}}`;
    assert.ok(hasEscapedName(text));
    assert.deepEqual(parseJson(text), JSON.parse(text), text);
    assert.equal(JSON.stringify(parseJson(text)), JSON.stringify(JSON.parse(text)), text);
  }
  for (const text of [
    String.raw`{"__proto__":{"\n":1},"constructor":[],"a":1,"a":2}`,
    String.raw` { "\t" : [ ] , "b" : { } , "c" : -0 , "d" : 1e3 } `,
  ])
    assert.equal(JSON.stringify(parseJson(text)), JSON.stringify(JSON.parse(text)));
  for (const text of [String.raw`{"\n":1`, String.raw`{"\n":01}`, String.raw`{"\n" 1}`, String.raw`{"\x":1}`])
    assert.throws(() => parseJson(text), SyntaxError, text);
});

test("deep nesting and many escapes take linear time", () => {
  const deep = `${'{"\\n":['.repeat(50_000)}1${"]}".repeat(50_000)}`;
  let levels = 0;
  for (let at = parseJson(deep); typeof at === "object"; levels++) at = Object.values(at as object)[0];
  assert.equal(levels, 100_000);
  const long = `{"\\n":${JSON.stringify('\\"'.repeat(1_000_000))}}`;
  assert.equal((parseJson(long) as Record<string, string>)["\n"]?.length, 2_000_000);
});

/** Numbers from 0 to 1, the same for a seed each time. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

function documentOf(random: () => number, depth: number): string {
  const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;
  const many = (): number[] => Array.from({ length: Math.floor(random() * 4) }, (_, i) => i);
  const space = (): string => pick(["", "", " ", "\n\t"]);
  const kind = depth > 4 ? 0 : Math.floor(random() * 3);
  if (kind === 1)
    return `[${many()
      .map(() => space() + documentOf(random, depth + 1) + space())
      .join(",")}]`;
  const name = (i: number): string => JSON.stringify(pick(["a", "\n", 'q"', "é", "7", "__proto__", `k${i}`]));
  if (kind === 2)
    return `{${many()
      .map((i) => `${space()}${name(i)}${space()}:${documentOf(random, depth + 1)}`)
      .join(",")}}`;
  return pick(["1", "-0.5e3", "true", "false", "null", '"x\\"y"', '"\\\\"', '""', '"[{:,"', "12"]);
}
