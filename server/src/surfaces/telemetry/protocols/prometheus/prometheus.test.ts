import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { compress } from "snappyjs";
import { bytesField, doubleField, varint, varintField, zigzag } from "../../testing/protobuf.ts";
import { useProtocols, type Sent } from "../../testing/protocols.ts";

const place = useProtocols();
const AT_MS = Date.parse("2026-11-20T08:00:00.125Z");
const STALE = 0x7ff0000000000002n;
const ORDINARY_NAN = 0x7ff8000000000001n;

const label = (name: string, value: string): Buffer =>
  bytesField(1, Buffer.concat([bytesField(1, name), bytesField(2, value)]));
const sample = (value: number | bigint, ms = AT_MS): Buffer =>
  Buffer.concat([doubleField(1, value), varintField(2, ms)]);
const series1 = (labels: Record<string, string>, ...points: readonly Buffer[]): Buffer =>
  bytesField(1, Buffer.concat([...Object.entries(labels).map(([name, value]) => label(name, value)), ...points]));
const samples1 = (...values: readonly (number | bigint)[]): Buffer[] =>
  values.map((value) => bytesField(2, sample(value)));

const V2 = "application/x-protobuf;proto=io.prometheus.write.v2.Request";

function write(body: Buffer, headers: Record<string, string> = {}, path = "/prometheus/api/v1/write"): Promise<Sent> {
  const sent = headers["content-encoding"] === undefined ? compress(body) : body;
  return place.send(path, sent, { "content-type": "application/x-protobuf", "content-encoding": "snappy", ...headers });
}

function counts({ headers }: Sent): (string | null)[] {
  return ["samples", "histograms", "exemplars"].map((kind) => headers.get(`x-prometheus-remote-write-${kind}-written`));
}

test("1.0: samples become rows with the labels as tags; a label without a value is absent", async () => {
  const labels = { __name__: "up", job: "node", instance: "a:9100", empty: "", "7": "seven" };
  const answer = await write(series1(labels, ...samples1(1, 0.5)));
  assert.deepEqual([answer.status, answer.text, counts(answer)], [204, "", ["2", "0", "0"]]);
  const rows = await place.rows(
    "select timestamp, value, tags, project_id from metrics where name = 'up' order by value",
  );
  const tags = { job: "node", instance: "a:9100", "7": "seven" };
  const common = { timestamp: "2026-11-20T08:00:00.125Z", tags, project_id: "prj_a" };
  assert.deepEqual(rows, [
    { ...common, value: 0.5 },
    { ...common, value: 1 },
  ]);
});

test("the aliases take the same requests, in any coding", async () => {
  for (const path of ["/api/v1/write", "/api/v1/push"]) {
    assert.equal((await write(series1({ __name__: path }, ...samples1(1)), {}, path)).status, 204);
  }
  const zipped = gzipSync(series1({ __name__: "zipped" }, ...samples1(1)));
  assert.equal((await write(zipped, { "content-encoding": "gzip" })).status, 204);
  const found = await place.rows("select name from metrics where name in ('/api/v1/write', '/api/v1/push', 'zipped')");
  assert.equal(found.length, 3);
});

test("NaN, stale marks and infinities are taken without a row; an exemplar alone and metadata alone are taken", async () => {
  const points = samples1(ORDINARY_NAN, STALE, Number.POSITIVE_INFINITY, 4);
  const answer = await write(series1({ __name__: "gone" }, ...points));
  assert.deepEqual([answer.status, counts(answer)], [204, ["4", "0", "0"]]);
  assert.deepEqual(await place.rows("select value from metrics where name = 'gone'"), [{ value: 4 }]);
  const exemplar = bytesField(3, Buffer.concat([label("trace_id", "1"), doubleField(2, 1), varintField(3, AT_MS)]));
  assert.equal((await write(series1({ __name__: "gone" }, exemplar))).status, 204);
  const metadata = bytesField(3, Buffer.concat([varintField(1, 1), bytesField(2, "up"), bytesField(4, "help")]));
  assert.equal((await write(metadata)).status, 204);
  assert.equal((await write(Buffer.alloc(0))).status, 204);
});

test("a bad series is named by 400 with the counts; the others are stored", async () => {
  const answer = await write(
    Buffer.concat([
      series1({ job: "nameless" }, ...samples1(1)),
      series1({ __name__: "far" }, bytesField(2, sample(1, 2 ** 52))),
      series1({ __name__: "kept" }, ...samples1(1)),
    ]),
  );
  assert.deepEqual([answer.status, counts(answer)], [400, ["1", "0", "0"]]);
  assert.equal(answer.text, "a series without __name__: name is required; the other samples are stored\n");
  assert.equal((await place.rows("select 1 as one from metrics where name = 'kept'")).length, 1);
});

test("2.0: symbols, counts, and 400 for a reference without a symbol", async () => {
  const symbols = ["", "__name__", "v2", "job", "api"];
  const series = (refs: readonly number[], value: number): Buffer =>
    bytesField(
      5,
      Buffer.concat([
        bytesField(1, Buffer.concat(refs.map((ref) => varint(ref)))),
        bytesField(2, sample(value)),
        bytesField(5, varintField(1, 1)),
      ]),
    );
  const body = (...all: readonly Buffer[]): Buffer =>
    Buffer.concat([...symbols.map((each) => bytesField(4, each)), ...all]);
  const whole = await write(body(series([1, 2, 3, 4], 7)), { "content-type": V2 });
  assert.deepEqual([whole.status, counts(whole)], [204, ["1", "0", "0"]]);
  assert.deepEqual(await place.rows("select value, tags from metrics where name = 'v2'"), [
    { value: 7, tags: { job: "api" } },
  ]);
  for (const refs of [[1, 2, 3, 9], [1]]) {
    const part = await write(body(series(refs, 1), series([1, 2], refs.length)), { "content-type": V2 });
    assert.deepEqual([part.status, counts(part)], [400, ["1", "0", "0"]], part.text);
  }
});

test("native histograms become _count, _sum and _bucket with bounds of the schema", async () => {
  const packed = (number: number, ...values: readonly number[]): Buffer =>
    bytesField(number, Buffer.concat(values.map((value) => varint(zigzag(value)))));
  const span = (offset: number, length: number): Buffer =>
    Buffer.concat([varintField(1, zigzag(offset)), varintField(2, length)]);
  const histogram = Buffer.concat([
    varintField(1, 6),
    doubleField(3, 10.5),
    varintField(4, zigzag(0)),
    doubleField(5, 0.001),
    varintField(6, 1),
    bytesField(11, span(1, 2)),
    packed(12, 2, 1),
    varintField(15, AT_MS),
  ]);
  const stale = Buffer.concat([doubleField(3, STALE), varintField(15, AT_MS)]);
  const answer = await write(series1({ __name__: "h" }, bytesField(4, histogram), bytesField(4, stale)));
  assert.deepEqual([answer.status, counts(answer)], [204, ["0", "2", "0"]]);
  const rows = await place.rows(
    "select name, value, tags->>'le' as le from metrics where name like 'h\\_%' escape '\\' order by name, value",
  );
  assert.deepEqual(rows, [
    { name: "h_bucket", value: 1, le: "0.001" },
    { name: "h_bucket", value: 3, le: "2" },
    { name: "h_bucket", value: 6, le: "4" },
    { name: "h_bucket", value: 6, le: "+Inf" },
    { name: "h_count", value: 6, le: null },
    { name: "h_sum", value: 10.5, le: null },
  ]);
});

test("an equal body is stored once, and gets the first answer; another body is stored", async () => {
  const body = Buffer.concat([series1({ __name__: "once" }, ...samples1(1, 2)), series1({ job: "x" }, ...samples1(1))]);
  const answers = [await write(body), await write(gzipSync(body), { "content-encoding": "gzip" }), await write(body)];
  for (const answer of answers) assert.deepEqual([answer.status, counts(answer)], [400, ["2", "0", "0"]]);
  assert.equal(new Set(answers.map((each) => each.text)).size, 1);
  assert.equal((await place.rows("select 1 as one from metrics where name = 'once'")).length, 2);
  assert.equal((await write(series1({ __name__: "once" }, ...samples1(1)))).status, 204);
  assert.equal((await place.rows("select 1 as one from metrics where name = 'once'")).length, 3);
});

test("refusals: no key, no permission, another type or coding, bytes that are not a message", async () => {
  const body = series1({ __name__: "refused" }, ...samples1(1));
  for (const path of ["/prometheus/api/v1/write", "/api/v1/write", "/api/v1/push"]) {
    assert.equal((await write(body, { authorization: "" }, path)).status, 401);
    assert.equal((await write(body, { authorization: "Bearer reader" }, path)).status, 403);
  }
  assert.equal((await write(body, { "content-type": "application/json" })).status, 415);
  assert.equal((await write(body, { "content-type": "application/x-protobuf;proto=other.Request" })).status, 415);
  assert.equal((await write(body, { "content-encoding": "br" })).status, 415);
  const bad = await place.send("/api/v1/write", "no snappy", { "content-type": "application/x-protobuf" });
  assert.deepEqual([bad.status, bad.headers.get("content-type")], [400, "text/plain; charset=utf-8"]);
  assert.equal((await write(Buffer.from([0x0a, 0xff, 0x01]))).status, 400);
  assert.deepEqual(await place.rows("select 1 as one from metrics where name = 'refused'"), []);
});
