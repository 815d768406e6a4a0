import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { useProtocols } from "../../testing/protocols.ts";

const place = useProtocols();

async function rowOf(message: string): Promise<Record<string, unknown> | undefined> {
  const [row] = await place.rows(`select timestamp, level, service, attributes from logs where message = '${message}'`);
  return row;
}

test("lines of text and of JSON of any shape, in one body", async () => {
  const body =
    '2026-11-20 08:00:00,250 - worker - WARNING - retrying\n\n{"ts":1790000000,"msg":"from JSON","lvl":"error","order":7}\r\nno time\n  at one (a.js:1)\n';
  const answer = await place.send("/raw/logs?service=shop&timezone=Europe/Berlin", gzipSync(body), {
    "content-encoding": "gzip",
  });
  assert.deepEqual([answer.status, JSON.parse(answer.text)], [202, { accepted: 3 }]);
  const { timestamp, level, service } = (await rowOf("retrying")) ?? {};
  assert.deepEqual([timestamp, level, service], ["2026-11-20T07:00:00.250Z", "WARNING", "shop"]);
  const json = await rowOf("from JSON");
  assert.deepEqual(
    [json?.["timestamp"], json?.["level"], json?.["attributes"]],
    ["2026-09-21T14:13:20Z", "error", { order: 7 }],
  );
  assert.ok((await rowOf("no time\n  at one (a.js:1)")) !== undefined);
});

test("on_no_time chooses the treatment of lines without a time", async () => {
  const body = "2026-11-20T08:00:00Z INFO first\nsecond line\n";
  const send = (rule: string): Promise<{ text: string }> =>
    place.send(`/raw/logs?on_no_time=${rule}`, `${rule} ${body}`.slice(rule.length + 1));
  assert.deepEqual(JSON.parse((await send("previous")).text), { accepted: 2 });
  const rejected = JSON.parse((await send("reject")).text) as {
    accepted: number;
    rejected: number;
    errors: { pointer: string }[];
  };
  assert.deepEqual([rejected.accepted, rejected.rejected, rejected.errors[0]?.pointer], [1, 1, "/lines/2"]);
  assert.deepEqual(JSON.parse((await send("join")).text), { accepted: 1 });
  assert.ok((await rowOf("first\nsecond line")) !== undefined);
});

test("an equal body is stored once if every line has a time, and each time otherwise", async () => {
  for (let attempt = 0; attempt < 2; attempt++) {
    await place.send("/raw/logs", "2026-11-20T08:00:00Z INFO timed once\n");
    await place.send("/raw/logs", "untimed line\n");
  }
  const counts = await place.rows(
    "select message, count(*) as n from logs where message in ('timed once', 'untimed line') group by 1 order by 1",
  );
  assert.deepEqual(
    counts.map(({ n }) => n),
    [1, 2],
  );
});

test("refusals are problems: parameters, coding, key, permission", async () => {
  for (const query of ["timezone=Mars", "on_no_time=guess", "other=1"]) {
    const answer = await place.send(`/raw/logs?${query}`, "x");
    assert.deepEqual([answer.status, (JSON.parse(answer.text) as { code: string }).code], [400, "invalid_parameter"]);
  }
  assert.equal((await place.send("/raw/logs", "x", { "content-encoding": "br" })).status, 415);
  assert.equal((await place.send("/raw/logs", "x", { authorization: "" })).status, 401);
  assert.equal((await place.send("/raw/logs", "x", { authorization: "Bearer reader" })).status, 403);
  assert.deepEqual(JSON.parse((await place.send("/raw/logs")).text), { accepted: 0 });
});
