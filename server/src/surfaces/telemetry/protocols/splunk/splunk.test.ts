import assert from "node:assert/strict";
import { test } from "node:test";
import { useProtocols, type Sent } from "../../testing/protocols.ts";

const place = useProtocols();
const COLLECTOR = "/splunk/services/collector";

const send = (body: string, path = ""): Promise<Sent> => place.send(COLLECTOR + path, body);

async function rowOf(message: string): Promise<Record<string, unknown> | undefined> {
  const [row] = await place.rows(`select timestamp, level, service, attributes from logs where message = '${message}'`);
  return row;
}

test("events one after another, with or without space, as text and as objects", async () => {
  const text = {
    time: 1_790_000_000.123456,
    host: "h1",
    source: "nginx",
    event: "as text",
    fields: { level: "warn", "7": "seven" },
  };
  const object = {
    time: "1790000000.5",
    sourcetype: "_json",
    event: { message: "as object", severity: "error", service: "api", order: 7 },
  };
  const answer = await send(
    `${JSON.stringify(text)}${JSON.stringify(object)}\n\n${JSON.stringify({ time: 1_790_000_000_123, event: 'a "{" in text' })}`,
  );
  assert.deepEqual([answer.status, JSON.parse(answer.text)], [200, { text: "Success", code: 0 }]);
  assert.deepEqual(await rowOf("as text"), {
    timestamp: "2026-09-21T14:13:20.123456Z",
    level: "warn",
    service: "nginx",
    attributes: { host: "h1", source: "nginx", level: "warn", "7": "seven" },
  });
  const { timestamp, level, service, attributes } = (await rowOf("as object")) ?? {};
  assert.deepEqual([timestamp, level, service], ["2026-09-21T14:13:20.500Z", "error", "api"]);
  assert.deepEqual(attributes, { order: 7, sourcetype: "_json" });
  assert.equal((await rowOf('a "{" in text'))?.["timestamp"], "2026-09-21T14:13:20.123Z");
});

test("an equal body is stored once if its events have times, and each time otherwise", async () => {
  for (let attempt = 0; attempt < 2; attempt++) {
    await send('{"time":1790000000,"event":"timed"}', "/event");
    await send('{"event":"untimed"}', "/event/1.0");
  }
  const counts = await place.rows(
    "select message, count(*) as n from logs where message in ('timed', 'untimed') group by 1 order by 1",
  );
  assert.deepEqual(
    counts.map(({ n }) => n),
    [1, 2],
  );
});

test("raw lines have the parameters as attributes and the time of the line, or of arrival", async () => {
  const answer = await send("2026-11-20T08:00:00Z ERROR raw line\nwithout a time\n", "/raw?source=app&host=h");
  assert.deepEqual(JSON.parse(answer.text), { text: "Success", code: 0 });
  const row = await rowOf("raw line");
  assert.deepEqual([row?.["timestamp"], row?.["level"], row?.["service"]], ["2026-11-20T08:00:00Z", "ERROR", "app"]);
  assert.deepEqual(row?.["attributes"], { host: "h", source: "app" });
  assert.ok((await rowOf("without a time")) !== undefined);
});

const FAULTS: readonly (readonly [body: string, code: number, event: number | undefined])[] = [
  ["", 5, undefined],
  ['{"event":"taken"} nonsense', 6, 1],
  ['{"event":"taken"}{"event":', 6, 1],
  ['{"time":1}', 12, 0],
  ['{"event":""}', 13, 0],
  ['{"time":"soon","event":"x"}', 6, 0],
  ['{"event":"metric","fields":{"metric_name:cpu":1}}', 6, 0],
];

test("faults have Splunk's codes and the number of the event; good events are stored", async () => {
  for (const [body, code, event] of FAULTS) {
    const answer = await send(body);
    const sent = JSON.parse(answer.text) as Record<string, unknown>;
    assert.deepEqual(
      [answer.status, sent["code"], sent["invalid-event-number"]],
      [400, code, event],
      `${body}: ${answer.text}`,
    );
  }
  assert.equal((await place.rows("select 1 as one from logs where message = 'taken'")).length, 2);
});

test("health and OPTIONS need no key, acknowledgements are true, refusals have codes", async () => {
  const ask = (method: string, path: string, body?: string, headers: Record<string, string> = {}): Promise<Sent> =>
    place.send(COLLECTOR + path, body, headers, method);
  const anonymous = { authorization: "" };
  assert.deepEqual(JSON.parse((await ask("GET", "/health", undefined, anonymous)).text), {
    text: "HEC is healthy",
    code: 17,
  });
  for (const path of ["", "/event", "/event/1.0", "/raw", "/raw/1.0"]) {
    assert.equal((await ask("OPTIONS", path, undefined, anonymous)).status, 200);
  }
  assert.deepEqual(JSON.parse((await ask("POST", "/ack", '{"acks":[0,12]}')).text), { acks: { 0: true, 12: true } });
  for (const path of ["", "/event", "/event/1.0", "/raw", "/raw/1.0", "/ack"]) {
    const refused = await ask("POST", path, "{}", anonymous);
    assert.deepEqual([refused.status, (JSON.parse(refused.text) as { code: number }).code], [401, 2]);
    assert.equal((await ask("POST", path, "{}", { authorization: "Bearer reader" })).status, 403);
  }
});
