import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { parseImageConfig, type ImageConfig } from "./image-config.ts";

const EMPTY: ImageConfig = {
  architecture: null,
  os: null,
  variant: null,
  created: null,
  author: null,
  labels: {},
  env: [],
  entrypoint: null,
  cmd: null,
  user: null,
  workingDir: null,
  exposedPorts: [],
  history: [],
};

function parsed(document: unknown): ImageConfig | null {
  return parseImageConfig(Buffer.from(typeof document === "string" ? document : JSON.stringify(document)));
}

describe("the config of an image", () => {
  test("is read by the image specification", () => {
    const config = {
      Labels: { "org.opencontainers.image.source": "https://example.com/shop" },
      Env: ["PATH=/bin", "MODE=x"],
      Entrypoint: ["/shop"],
      Cmd: ["serve"],
      User: "1000:1000",
      WorkingDir: "/srv",
      ExposedPorts: { "8080/tcp": {}, "53/udp": {} },
    };
    const history = [
      { created: "2026-01-02T03:04:05.123456789Z", created_by: "COPY shop /shop" },
      { created: "2026-01-02T04:04:05+01:00", created_by: "ENV MODE=x", empty_layer: true },
    ];
    const top = { architecture: "arm64", os: "linux", variant: "v8", author: "Ada", created: "2026-01-02T03:04:05Z" };
    assert.deepEqual(parsed({ ...top, config, history }), {
      ...top,
      created: "2026-01-02T03:04:05.000Z",
      labels: config.Labels,
      env: config.Env,
      entrypoint: ["/shop"],
      cmd: ["serve"],
      user: "1000:1000",
      workingDir: "/srv",
      exposedPorts: ["8080/tcp", "53/udp"],
      history: [
        { created: "2026-01-02T03:04:05.123Z", createdBy: "COPY shop /shop", emptyLayer: false },
        { created: "2026-01-02T03:04:05.000Z", createdBy: "ENV MODE=x", emptyLayer: true },
      ],
    });
  });

  test("is missing if it is not a JSON object in UTF-8", () => {
    for (const text of ["", "{", "[]", "null", "1", '"x"']) assert.equal(parsed(text), null, text);
    assert.equal(parseImageConfig(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])), null);
  });

  test("leaves out members of another type", () => {
    for (const wrong of [1, true, null, {}, [], [[]], "text"]) {
      const config = { Labels: wrong, Env: wrong, Entrypoint: wrong, Cmd: wrong, ExposedPorts: wrong };
      const read = parsed({ config, history: wrong, created: wrong });
      assert.deepEqual(
        { ...read, entrypoint: null, cmd: null },
        EMPTY,
        `${JSON.stringify(wrong)}: ${JSON.stringify(read)}`,
      );
      assert.deepEqual(parsed({ config: wrong }), EMPTY);
    }
    for (const wrong of [1, true, null, {}, []]) {
      const texts = { architecture: wrong, os: wrong, variant: wrong, author: wrong };
      assert.deepEqual(parsed({ ...texts, config: { User: wrong, WorkingDir: wrong } }), EMPTY);
    }
    const mixed = parsed({ config: { Env: ["A=1", 2, null, "B=2"], Labels: { a: "x", b: 1, c: null } }, history: [1] });
    assert.deepEqual(mixed, { ...EMPTY, env: ["A=1", "B=2"], labels: { a: "x" } });
  });

  test("leaves out invalid times", () => {
    for (const created of ["yesterday", "2026-13-01T00:00:00Z", "2026-01-01", "0000-01-01T00:00:00+23:59", ""])
      assert.equal(parsed({ created })?.created, null, created);
    assert.equal(parsed({ created: "0001-01-01T00:00:00Z" })?.created, "0001-01-01T00:00:00.000Z");
  });

  test("has a limited size, with any content", () => {
    const many = <T>(value: T): T[] => Array.from({ length: 5000 }, () => value);
    const labels = Object.fromEntries(many(0).map((_, n) => [`l${n}`, "x"]));
    const read = parsed({
      author: "a".repeat(10_000),
      config: { Env: many("A=1"), Labels: labels },
      history: many({}),
    });
    assert.equal(read?.author?.length, 4096);
    assert.deepEqual([read.env.length, Object.keys(read.labels).length, read.history.length], [1000, 1000, 1000]);
    assert.equal(parsed({ author: `${"a".repeat(4095)}😀` })?.author, `${"a".repeat(4095)}\ufffd`);
  });

  test("can't read inherited properties, or overflow the stack", () => {
    const read = parsed('{"__proto__": {"os": "x"}, "config": {"Labels": {"__proto__": "p", "constructor": "c"}}}');
    assert.equal(read?.os, null);
    assert.deepEqual(Object.entries(read.labels), [
      ["__proto__", "p"],
      ["constructor", "c"],
    ]);
    const deep = parsed(`{"os": "linux", "x": ${"[".repeat(400_000)}${"]".repeat(400_000)}}`);
    assert.ok(deep === null || deep.os === "linux");
  });
});
