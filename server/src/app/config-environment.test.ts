import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { newBackupKey } from "#stores/repository/index.ts";
import { ConfigError, explainConfig, loadConfig } from "./config.ts";
import { fileVariableOf, variableOf } from "./config-spelling.ts";
import { SETTING_NAMES, settingOf } from "./settings.ts";

const KEY = "ab".repeat(32);

let directory = "";
before(() => {
  directory = mkdtempSync(join(tmpdir(), "mooring-variables-"));
});
after(() => rmSync(directory, { recursive: true, force: true }));

type Variables = Readonly<Record<string, string>>;

function load(environment: Variables): ReturnType<typeof loadConfig> {
  return loadConfig({ environment, flags: {} });
}

function mistakesOf(environment: Variables): readonly string[] {
  try {
    load(environment);
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    return error.mistakes;
  }
  return assert.fail(`accepted: ${JSON.stringify(environment)}`);
}

function fileWith(content: string | Buffer): string {
  const path = join(directory, `${Math.random()}`);
  writeFileSync(path, content);
  return path;
}

describe("secrets in files", () => {
  const secrets = SETTING_NAMES.filter((name) => settingOf(name).secret === true);
  const VALUES: Readonly<Record<string, string>> = {
    audit_checkpoints_url: "https://receiver.example/checkpoints?token=secret",
    database_url: "postgres://u:p@h/d",
    egress_proxy_url: "http://u:p@proxy.example:3128",
    backup_key: newBackupKey(),
    master_key: KEY,
    master_key_previous: KEY,
    smtp_url: "smtps://u:p@mx.example.com",
  };

  for (const name of secrets)
    test(`${name} is read from the file that ${fileVariableOf(name)} names`, () => {
      const value = VALUES[name] ?? " a secret\n";
      const others = { MOORING_MAIL_FROM: "a@example.com", MOORING_SMTP_URL: "smtps://mx.example.com" };
      const given = { ...(name === "smtp_url" ? { MOORING_MAIL_FROM: "a@example.com" } : others) };
      const file = fileWith(`${value}\n`);
      const { config, origins } = explainConfig({ environment: { ...given, [fileVariableOf(name)]: file }, flags: {} });
      assert.equal(config[name], value, "without one newline");
      assert.deepEqual(origins.get(name), { source: "variable", variable: fileVariableOf(name), file });
    });

  test("at most one line end is removed", () => {
    for (const [content, value] of [
      ["s", "s"],
      ["s\n", "s"],
      ["s\r\n", "s"],
      ["s\n\n", "s\n"],
      [" s \n", " s "],
    ] as const)
      assert.equal(load({ MOORING_OIDC_CLIENT_SECRET_FILE: fileWith(content) }).oidc_client_secret, value);
  });

  test("an empty variable is not set, beside one with a value", () => {
    const MOORING_MASTER_KEY_FILE = fileWith(KEY);
    assert.equal(load({ MOORING_MASTER_KEY: "", MOORING_MASTER_KEY_FILE }).master_key, KEY);
    assert.equal(load({ MOORING_MASTER_KEY: KEY, MOORING_MASTER_KEY_FILE: "" }).master_key, KEY);
    assert.equal(load({ MOORING_MASTER_KEY: "", MOORING_MASTER_KEY_FILE: "" }).master_key, null);
  });

  test("a value and a file for it are a mistake", () => {
    const [mistake, ...more] = mistakesOf({ MOORING_MASTER_KEY: KEY, MOORING_MASTER_KEY_FILE: fileWith(KEY) });
    assert.equal(mistake, "MOORING_MASTER_KEY and MOORING_MASTER_KEY_FILE: both are set; keep one of them");
    assert.deepEqual(more, []);
  });

  test("the file overrides the settings file", () => {
    const file = fileWith(JSON.stringify({ master_key: "cd".repeat(32) }));
    const environment = { MOORING_MASTER_KEY_FILE: fileWith(KEY) };
    assert.equal(loadConfig({ file, environment, flags: {} }).master_key, KEY);
  });

  test("a file that can't be read names the variable, the path and the reason, and never the content", () => {
    const missing = join(directory, "none");
    const folder = join(directory, "folder");
    mkdirSync(folder);
    const empty = fileWith("\n");
    const binary = fileWith(Buffer.from([0xff, 0xfe]));
    const large = fileWith("hunter2".repeat(10_000));
    const wrong = fileWith("hunter2");
    for (const [path, reason] of [
      [missing, "there is no such file (ENOENT)"],
      [folder, "it is a directory (EISDIR)"],
      [empty, "it is empty"],
      [binary, "it is not UTF-8 text"],
      [large, "it has more than 65536 bytes"],
    ] as const)
      assert.deepEqual(mistakesOf({ MOORING_MASTER_KEY_FILE: path }), [
        `MOORING_MASTER_KEY_FILE: cannot read ${path}: ${reason}`,
      ]);
    const [mistake = ""] = mistakesOf({ MOORING_MASTER_KEY_FILE: wrong });
    assert.ok(mistake.startsWith(`MOORING_MASTER_KEY_FILE (${wrong}): the value must be 32 bytes`), mistake);
    assert.doesNotMatch(mistake, /hunter2/);
  });

  test("settings that are not secrets have no such variable", () => {
    assert.deepEqual(mistakesOf({ MOORING_LISTEN_FILE: "/x" }), [
      "MOORING_LISTEN_FILE: only secrets can be in separate files; set MOORING_LISTEN",
    ]);
  });
});

/** As the kubelet sets them for the Services of a namespace, of two ports, the first of them with a name, and IPv6. */
const INJECTED: Variables = {
  MOORING_SERVICE_HOST: "10.96.14.3",
  MOORING_SERVICE_PORT: "8080",
  MOORING_SERVICE_PORT_HTTP: "8080",
  MOORING_SERVICE_PORT_S3_GATEWAY: "9000",
  MOORING_PORT: "tcp://10.96.14.3:8080",
  MOORING_PORT_8080_TCP: "tcp://10.96.14.3:8080",
  MOORING_PORT_8080_TCP_PROTO: "tcp",
  MOORING_PORT_8080_TCP_PORT: "8080",
  MOORING_PORT_8080_TCP_ADDR: "10.96.14.3",
  MOORING_PORT_53_UDP: "udp://10.96.14.3:53",
  MOORING_PORT_53_UDP_PROTO: "udp",
  MOORING_METRICS_SERVICE_HOST: "fd00::1:2",
  MOORING_METRICS_SERVICE_PORT: "9464",
  MOORING_METRICS_PORT: "tcp://[fd00::1:2]:9464",
  MOORING_METRICS_PORT_9464_TCP: "tcp://[fd00::1:2]:9464",
  MOORING_METRICS_PORT_9464_TCP_ADDR: "fd00::1:2",
};

describe("variables that Kubernetes sets for a Service named mooring", () => {
  test("are ignored", () => assert.deepEqual(load(INJECTED), load({})));

  for (const [variable, value] of Object.entries({
    MOORING_PORT: "8080",
    MOORING_SERVICE_HOST: "mooring.example.com",
    MOORING_SERVICE_PORT: "http",
    MOORING_PORT_8080_TCP: "8080",
    MOORING_PORT_8080_TCP_PROTO: "TCP!",
    MOORING_PORT_8080_TCP_ADDR: "here",
    MOORING_SERVICE_HOSTS: "10.96.14.3",
    MOORING_PORTS: "tcp://10.96.14.3:8080",
  }))
    test(`${variable}=${value} is not one of them`, () =>
      assert.match(mistakesOf({ [variable]: value })[0] ?? "", new RegExp(`^${variable}: is not a setting; `)));
});

describe("a mistyped variable", () => {
  for (const [variable, meant] of [
    ["MOORING_LISEN", "MOORING_LISTEN"],
    ["MOORING_LOGLEVEL", "MOORING_LOG_LEVEL"],
    ["MOORING_MASTERKEY_FILE", "MOORING_MASTER_KEY_FILE"],
    ["MOORING_CONFG", "MOORING_CONFIG"],
    ["MOORING_CLIENT_SECRETS", "MOORING_CLIENT_SECRET"],
    ["MOORING_TRUSTED_PROXY", "MOORING_TRUSTED_PROXIES"],
    ["MOORING_DATABASE", "MOORING_DATABASE_URL"],
  ] as const)
    test(`${variable}: ${meant} was meant`, () =>
      assert.deepEqual(mistakesOf({ [variable]: "hunter2" }), [
        `${variable}: is not a setting; did you mean ${meant}?`,
      ]));

  test("that resembles nothing refers to the list", () =>
    assert.deepEqual(mistakesOf({ MOORING_XYZZY: "1" }), [
      "MOORING_XYZZY: is not a setting; mooring config print lists all settings",
    ]));

  test("each variable of a setting is known", () => {
    for (const name of SETTING_NAMES)
      assert.doesNotMatch(messagesOf({ [variableOf(name)]: "no value" }), /is not a setting/, name);
  });
});

function messagesOf(environment: Variables): string {
  try {
    load(environment);
    return "";
  } catch (error) {
    return (error as Error).message;
  }
}
