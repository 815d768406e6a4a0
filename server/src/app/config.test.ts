import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, before, describe, test } from "node:test";
import { ConfigError, explainConfig, loadConfig, type ConfigSources } from "./config.ts";
import { shownConfig } from "./config-shown.ts";
import { flagOf, variableOf } from "./config-spelling.ts";
import { SETTING_NAMES, settingOf } from "./settings.ts";

let directory = "";
before(() => {
  directory = mkdtempSync(join(tmpdir(), "mooring-config-"));
});
after(() => rmSync(directory, { recursive: true, force: true }));

function fileWith(content: unknown): string {
  const path = join(directory, `${Math.random()}.json`);
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  return path;
}

function load(sources: Partial<ConfigSources>): ReturnType<typeof loadConfig> {
  return loadConfig({ environment: {}, flags: {}, ...sources });
}

function mistakesOf(sources: Partial<ConfigSources>): readonly string[] {
  try {
    load(sources);
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    return error.mistakes;
  }
  return assert.fail("the configuration was accepted");
}

const KEY = "ab".repeat(32);

describe("the sources of settings", () => {
  test("defaults are valid and complete", () => {
    const config = load({});
    for (const name of SETTING_NAMES) assert.ok(name in config, name);
    assert.equal(config.listen, "127.0.0.1:8080");
    assert.equal(config.data_dir, resolve("data"));
  });

  test("the environment overrides the file, and flags override both", () => {
    const file = fileWith({
      listen: "127.0.0.1:1",
      log_level: "warn",
      slow_request_ms: 5,
      trusted_proxies: ["10.0.0.0/8"],
    });
    const environment = { MOORING_LISTEN: "127.0.0.1:2", MOORING_LOG_LEVEL: "error" };
    const { config, origins } = explainConfig({
      file,
      environment,
      flags: { listen: "127.0.0.1:3", log_level: undefined },
    });
    assert.equal(config.listen, "127.0.0.1:3");
    assert.equal(config.log_level, "error");
    assert.equal(config.slow_request_ms, 5);
    assert.deepEqual(config.trusted_proxies, ["10.0.0.0/8"]);
    assert.deepEqual(origins.get("listen"), { source: "flag", flag: "--listen" });
    assert.deepEqual(origins.get("log_level"), { source: "variable", variable: "MOORING_LOG_LEVEL" });
    assert.deepEqual(origins.get("slow_request_ms"), { source: "file", file, line: 1, column: 62 });
    assert.equal(origins.get("query_rows_max"), undefined);
  });

  test("text from flags and variables becomes numbers, lists and null", () => {
    const config = load({
      environment: {
        MOORING_TRUSTED_PROXIES: "10.0.0.1, ::1/128",
        MOORING_INGEST_WORKERS: "3",
        MOORING_DATABASE_URL: "",
      },
      flags: { query_rows_max: "7" },
    });
    assert.deepEqual(config.trusted_proxies, ["10.0.0.1", "::1/128"]);
    assert.equal(config.ingest_workers, 3);
    assert.equal(config.database_url, null);
    assert.equal(config.query_rows_max, 7);
  });

  test("variables of the command line and of other programs are ignored", () => {
    load({
      environment: {
        MOORING_CLIENT_ID: "x",
        MOORING_CLIENT_SECRET: "y",
        MOORING_URL: "z",
        MOORING_CREDENTIALS: "f",
        HOME: "/",
      },
    });
  });

  test("every setting has a flag and a variable with its name", () => {
    assert.equal(flagOf("query_timeout_ms"), "--query-timeout-ms");
    assert.equal(variableOf("query_timeout_ms"), "MOORING_QUERY_TIMEOUT_MS");
  });
});

describe("mistakes", () => {
  test("all errors are reported at once, each with the option's name as it was written", () => {
    const file = fileWith({ query_rows_max: 0, listne: "x" });
    const mistakes = mistakesOf({
      file,
      environment: { MOORING_LOG_LEVEL: "loud", MOORING_LISEN: "x" },
      flags: { listen: "8080", rate_limit_burst: "many", identity_url: "ftp://x" },
    });
    for (const name of [
      `${file}:1:19: query_rows_max`,
      `${file}:1:21`,
      "MOORING_LOG_LEVEL",
      "MOORING_LISEN",
      "--listen",
      "--rate-limit-burst",
      "--identity-url",
    ]) {
      assert.ok(
        mistakes.some((mistake) => mistake.startsWith(`${name}:`)),
        `${name} in ${mistakes.join("\n")}`,
      );
    }
    assert.equal(mistakes.length, 7);
  });

  test("an error suggests the right name for a similar one", () => {
    assert.match(mistakesOf({ file: fileWith({ listen_: "x" }) })[0] ?? "", /did you mean listen\?/);
  });

  for (const [name, value, good] of [
    ["listen", "127.0.0.1:65536", "127.0.0.1:65535"],
    ["query_timeout_ms", "9", "10"],
    ["query_memory_bytes", "67108863", "67108864"],
    ["rate_limit_per_second", "0", "1"],
    ["portal_url", "https://x/?a", "https://x/a"],
    ["registry_domain", "https://x", "x:5000"],
    ["master_key", KEY.slice(1), KEY],
    ["trusted_proxies", "10.0.0.0/x", "10.0.0.0/8"],
  ] as const) {
    test(`${name}: ${good} is accepted, ${value} is refused`, () => {
      load({ flags: { [name]: good } });
      assert.equal(mistakesOf({ flags: { [name]: value } }).length, 1);
    });
  }

  test("settings that contradict each other", () => {
    const mistakes = mistakesOf({
      flags: { query_timeout_ms: "2000", query_timeout_ms_max: "1000", rate_limit_burst: "1" },
    });
    assert.equal(mistakes.length, 2);
  });

  for (const [what, content] of [
    ["no JSON", "{"],
    ["a list", []],
    ["null", "null"],
  ] as const) {
    test(`a file that holds ${what}`, () => {
      const file = fileWith(content);
      const [mistake = ""] = mistakesOf({ file });
      assert.ok(mistake.startsWith(`${file}:1:`), mistake);
    });
  }

  test("a missing file", () => {
    const file = join(directory, "none.json");
    assert.deepEqual(mistakesOf({ file }), [`${file}: cannot read the settings: there is no such file (ENOENT)`]);
  });
});

describe("a provider of sign-ins", () => {
  const sources = (environment: Record<string, string>) => ({
    environment: { MOORING_OIDC_CLIENT_ID: "mooring", ...environment },
  });
  const refused = (environment: Record<string, string>) => mistakesOf(sources(environment)).join();
  const issuerOf = (environment: Record<string, string>) => load(sources(environment)).oidc_issuer;

  test("needs its issuer and its client id together", () => {
    assert.match(refused({}), /oidc_issuer and oidc_client_id: must be set together/);
    assert.equal(issuerOf({ MOORING_OIDC_ISSUER: "https://id.example" }), "https://id.example");
  });

  test("needs TLS, except on this machine", () => {
    assert.match(refused({ MOORING_OIDC_ISSUER: "http://id.example" }), /oidc_issuer: must begin with https/);
    assert.equal(issuerOf({ MOORING_OIDC_ISSUER: "http://127.0.0.1:3000" }), "http://127.0.0.1:3000");
  });
});

describe("secrets", () => {
  const secrets = SETTING_NAMES.filter((name) => settingOf(name).secret === true);

  test("at least one setting is a secret", () =>
    assert.deepEqual(secrets, [
      "syslog_key",
      "database_url",
      "master_key",
      "master_key_previous",
      "oidc_client_secret",
      "smtp_url",
      "backup_key",
      "backup_s3_secret_access_key",
      "audit_checkpoints_url",
      "objects_s3_secret_access_key",
      "egress_proxy_url",
    ]));

  test("are redacted", () => {
    const environment = {
      MOORING_DATABASE_URL: "postgres://u:hunter2@h/d",
      MOORING_SMTP_URL: "smtps://u:hunter2@mx.example.com",
      MOORING_MAIL_FROM: "noreply@example.com",
      MOORING_MASTER_KEY: KEY,
      MOORING_OIDC_ISSUER: "https://id.example",
      MOORING_OIDC_CLIENT_ID: "mooring",
      MOORING_OIDC_CLIENT_SECRET: "hunter2",
      MOORING_OBJECTS_S3_SECRET_ACCESS_KEY: "hunter2",
    };
    const config = load({ environment });
    const shown = JSON.stringify(shownConfig(config));
    assert.doesNotMatch(shown, /hunter2|abab/);
    assert.equal(shownConfig(load({}))["master_key"], null);
  });

  test("do not appear in errors about them", () => {
    const mistakes = mistakesOf({
      environment: { MOORING_DATABASE_URL: "mysql://u:hunter2@h/d", MOORING_MASTER_KEY: "hunter2" },
    });
    assert.equal(mistakes.length, 2);
    assert.doesNotMatch(mistakes.join("\n"), /hunter2/);
  });
});
