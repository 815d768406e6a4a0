import assert from "node:assert/strict";
import { parseArgs } from "node:util";
import { describe, test } from "node:test";
import { Compile } from "typebox/compile";
import * as contract from "@mooring/contract";
import { API_COMMANDS, commandOf, PUBLIC_OPERATIONS, type ApiCommand, type Route } from "@mooring/contract";
import { captured } from "../../testing/captured.ts";
import type { Parsed } from "../command.ts";
import { CONNECTION_OPTIONS } from "../connection.ts";
import { COMMANDS } from "../index.ts";
import { examplesOf, optionsOf, usageOf } from "./help.ts";
import { API_NOUNS } from "./nouns.ts";
import { columnsOf } from "./output.ts";
import { isList, requestOf } from "./request.ts";

const nameOf = ({ noun, verb }: ApiCommand): string => `${noun} ${verb}`.trim();

/** Splits a command line as a shell does, without variables. */
function shellWords(line: string): string[] {
  return [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? "");
}

function parse(command: ApiCommand, words: readonly string[]): Parsed {
  const options = Object.fromEntries(
    optionsOf(command).map(({ name, value, multiple = false }) => [
      name,
      { type: value === undefined ? ("boolean" as const) : ("string" as const), multiple },
    ]),
  );
  const { values, positionals } = parseArgs({ args: [...words], options, allowPositionals: true, allowNegative: true });
  return { values, positionals };
}

const commandNamed = (name: string): ApiCommand =>
  API_COMMANDS.find((one) => nameOf(one) === name) ?? assert.fail(`no command ${name}`);

describe("the commands of the API", () => {
  test("are one for each operation of the public contract", () => {
    const portal = new Set<object>(Object.values(contract.PORTAL_ROUTES));
    const rows = Object.entries(contract)
      .filter(([name]) => name.endsWith("_ROUTES"))
      .flatMap(([, value]) => Object.values(value as Readonly<Record<string, Route>>))
      .filter((row) => !portal.has(row));
    const missing = rows.filter((row) => !PUBLIC_OPERATIONS.includes(row));
    assert.deepEqual(
      missing.map(({ operationId }) => operationId),
      [],
    );
    const names = PUBLIC_OPERATIONS.map((row) => nameOf(commandOf(row)));
    assert.equal(new Set(names).size, PUBLIC_OPERATIONS.length, "two operations have the same command");
    assert.ok(names.every((name) => /^[a-z0-9-]+(?: [a-z0-9-]+)*$/.test(name)));
    assert.ok(PUBLIC_OPERATIONS.every(({ permission }) => permission !== "session" && permission !== "instance"));
  });

  test("hide no command that is written by hand", async () => {
    for (const entry of COMMANDS) {
      const { name } = entry;
      const verbs = API_NOUNS[name];
      if (verbs === undefined) continue;
      const { stdout } = await captured(async () => (await entry.load()).run(["--help"]));
      const own = [...stdout.matchAll(new RegExp(`mooring ${name} ([a-z|]+)`, "g"))].flatMap(([, text = ""]) =>
        text.split("|"),
      );
      assert.deepEqual(
        verbs.filter((verb) => own.includes(verb)),
        [],
        name,
      );
    }
  });

  test("that are written by hand exist", async () => {
    for (const row of PUBLIC_OPERATIONS) {
      const { form } = commandOf(row);
      if (form.byHand !== true) continue;
      const [name = "", verb] = (form.name ?? "").split(" ");
      const entry = COMMANDS.find((one) => one.name === name) ?? assert.fail(`no command ${name}`);
      if (verb === undefined) continue;
      const { stdout } = await captured(async () => (await entry.load()).run(["--help"]));
      assert.match(stdout, new RegExp(`mooring ${name} (?:[a-z]+\\|)*${verb}\\b`), row.operationId);
    }
  });

  test("have the nouns and verbs of the generated list", () => {
    const expected = Object.groupBy(API_COMMANDS, ({ noun }) => noun);
    assert.deepEqual(Object.keys(API_NOUNS).toSorted(), Object.keys(expected).toSorted());
    for (const [noun, verbs] of Object.entries(API_NOUNS))
      assert.deepEqual(
        [...verbs],
        expected[noun]?.map(({ verb }) => verb),
        noun,
      );
  });

  test("have options of different names, also from those of the connection", () => {
    for (const command of API_COMMANDS) {
      const names = [...optionsOf(command), ...CONNECTION_OPTIONS].map(({ name }) => name);
      assert.equal(new Set(names).size, names.length, `${nameOf(command)}: ${names.join(" ")}`);
    }
  });

  test("take no secret on the command line", () => {
    for (const command of API_COMMANDS)
      for (const { name } of optionsOf(command))
        assert.doesNotMatch(name, /^(?:secret|password|token|assertion|verify-token)$/);
  });

  test("have help with an example", () => {
    for (const command of API_COMMANDS) {
      assert.match(usageOf(command), new RegExp(`^Usage: mooring ${nameOf(command)}`));
      assert.ok(examplesOf(command).every((line) => line.startsWith(`mooring ${nameOf(command)}`)));
    }
  });

  test("have columns for each list", () => {
    for (const command of API_COMMANDS.filter(({ row }) => isList(row))) {
      const columns = command.form.columns ?? columnsOf(command.row);
      assert.ok(columns.length > 0 && columns.length <= 7, `${nameOf(command)}: ${columns.join(" ")}`);
    }
  });

  for (const command of API_COMMANDS.filter(({ form }) => form.examples !== undefined)) {
    test(`mooring ${nameOf(command)}: the examples are valid requests`, () => {
      for (const line of examplesOf(command)) {
        const words = shellWords(line).slice(1 + nameOf(command).split(" ").length);
        const parsed = parse(command, words);
        if (parsed.values["input"] !== undefined) continue;
        const { query, body } = requestOf(command, parsed, undefined);
        if (command.row.query !== undefined) assert.ok(Compile(command.row.query).Check(query), line);
        if (command.row.body !== undefined) assert.ok(Compile(command.row.body).Check(body), line);
      }
    });
  }
});

describe("the request of a command line", () => {
  const request = (name: string, words: readonly string[], input?: unknown) =>
    requestOf(commandNamed(name), parse(commandNamed(name), words), input);

  test("has the resources that options name", () => {
    const update = (...words: string[]) => request("credential update", ["cred_1", ...words]).body;
    assert.deepEqual(update("--repository", "shop", "--repository", "api", "--service", "a, b", "--webhook", "wh_1"), {
      resources: { repositories: ["shop", "api"], webhooks: ["wh_1"], services: ["a, b"] },
    });
    const buckets = ["shop", "shop/", "shop/a/b c"].flatMap((text) => ["--bucket", text]);
    assert.deepEqual(request("s3-key update", ["key_1", ...buckets]).body, {
      resources: { buckets: [{ name: "shop" }, { name: "shop", prefix: "" }, { name: "shop", prefix: "a/b c" }] },
    });
    assert.deepEqual(update("--resources", "null"), { resources: null });
    assert.throws(() => update("--resources", "null", "--service", "a"), /not both/);
    assert.throws(() => update("--bucket", "/a"), /before the prefix/);
    assert.ok(
      !optionsOf(commandNamed("s3-key update")).some(({ name }) => name === "service"),
      "keys have buckets only",
    );
    assert.ok(!optionsOf(commandNamed("project update")).some(({ name }) => name === "service"));
  });

  test("has the words as parameters, and the options as query and body", () => {
    assert.deepEqual(request("project-member put", ["web", "user_1", "--role", "writer"]), {
      params: { project_id: "web", user_id: "user_1" },
      query: {},
      body: { role: "writer" },
    });
    assert.deepEqual(request("project list", ["--environment", "production"]).query, { environment: "production" });
    assert.deepEqual(request("alert update", ["alert_1", "--no-enabled", "--every-s", "60"]).body, {
      enabled: false,
      every_s: 60,
    });
    assert.deepEqual(request("credential update", ["cred_1", "--scopes", "files:read,files:write"]).body, {
      scopes: ["files:read", "files:write"],
    });
    assert.deepEqual(request("credential update", ["cred_1", "--allowed-addresses", "null"]).body, {
      allowed_addresses: null,
    });
    assert.deepEqual(request("object delete", ["app_1", "--objects", '{"key":"a"}', "--objects", '{"key":"b"}']).body, {
      objects: [{ key: "a" }, { key: "b" }],
    });
    assert.deepEqual(request("telemetry-settings update", ["--retention-days", '{"logs":7}']).body, {
      retention_days: { logs: 7 },
    });
    assert.deepEqual(request("s3-destination create", ["--name", "x", "--target-url", "https://a.example"]).body, {
      name: "x",
      url: "https://a.example",
    });
  });

  test("has the members of the input, which options override", () => {
    const input = { slug: "a", name: "A" };
    assert.deepEqual(request("project create", ["--name", "B"], input).body, { slug: "a", name: "B" });
    assert.deepEqual(request("invitation accept", [], { token: "t", password: "p" }).body, {
      token: "t",
      password: "p",
    });
  });

  test("names the mistake", () => {
    const wrong: [string, string[], RegExp, unknown?][] = [
      ["project delete", [], /PROJECT is missing; usage: mooring project delete PROJECT/],
      ["project delete", ["a", "b"], /unexpected: b/],
      ["project create", [], /--slug is missing/],
      ["alert update", ["alert_1", "--every-s", "soon"], /--every-s must be a number/],
      ["project-member put", ["a", "b", "--role", "king"], /--role must be one of maintainer, writer, reader/],
      ["telemetry-settings update", ["--retention-days", "7 days"], /--retention-days must be JSON/],
      ["project create", [], /--input must have a JSON object/, [1]],
    ];
    for (const [name, words, message, input] of wrong) assert.throws(() => request(name, words, input), message);
  });
});
