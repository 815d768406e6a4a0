import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { ConfigError, explainConfig, loadConfig } from "./config.ts";

let directory = "";
let file = "";
before(() => {
  directory = mkdtempSync(join(tmpdir(), "mooring-config-file-"));
  file = join(directory, "mooring.json");
});
after(() => rmSync(directory, { recursive: true, force: true }));

/** The mistakes of a file with this text; each begins with the file's path, which is left out. */
function mistakesOf(text: string | Buffer): string[] {
  writeFileSync(file, text);
  try {
    loadConfig({ file, environment: {}, flags: {} });
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    for (const mistake of error.mistakes) assert.ok(mistake.includes(file), mistake);
    return error.mistakes.map((mistake) => mistake.replace(file, ""));
  }
  return assert.fail("the file was accepted");
}

describe("mistakes in the settings file", () => {
  test("an unknown name has line and column, and the nearest name", () => {
    assert.deepEqual(mistakesOf('{\n  "listen": "127.0.0.1:1",\n  "lgo_level": "warn"\n}\n'), [
      ':3:3: "lgo_level" is not a setting; did you mean log_level?',
    ]);
    assert.deepEqual(mistakesOf('{"database": null}'), [
      ':1:2: "database" is not a setting; did you mean database_url?',
    ]);
    assert.deepEqual(mistakesOf('{"\\n;rm": null, "__proto__": {}}'), [
      ':1:2: "\\n;rm" is not a setting; mooring config print lists all settings',
      ':1:17: "__proto__" is not a setting; mooring config print lists all settings',
    ]);
  });

  test("a wrong type has the place of the value", () => {
    const [none, list, words] = mistakesOf(
      '{\r\n\t"slow_request_ms":\r\n\t\t"soon",\n"trusted_proxies": "10.0.0.1", "listen": null}',
    );
    assert.match(words ?? "", /^:3:3: slow_request_ms: "soon" must be a whole number from 1 to 86400000 \(/);
    assert.match(list ?? "", /^:4:20: trusted_proxies: "10\.0\.0\.1" must be IP addresses or CIDR blocks/);
    assert.match(none ?? "", /^:4:42: listen: null must be host:port/);
  });

  test("a name that occurs twice is a mistake at the second place, also when an escape hides it", () => {
    assert.deepEqual(mistakesOf('{\n"listen": "127.0.0.1:1",\n "l\\u0069sten": "127.0.0.1:2"}'), [
      ":3:2: listen is set twice, first in line 2",
    ]);
  });

  test("settings that contradict each other are reported with their places", () => {
    assert.deepEqual(
      mistakesOf('{"query_timeout_ms": 2000,\n"query_timeout_ms_max": 1000}').map((text) => text.replace(file, "")),
      [
        "query_timeout_ms: must not be greater than query_timeout_ms_max (query_timeout_ms is from :1:22, query_timeout_ms_max is from :2:25)",
      ],
    );
  });

  test("a wrong setting does not cause a second mistake about a setting that depends on it", () => {
    const mistakes = mistakesOf('{"oidc_issuer": "nonsense", "oidc_client_id": "x"}');
    assert.equal(mistakes.length, 1, mistakes.join("\n"));
  });

  for (const [text, mistake] of [
    ["", ":1:1: this is not valid JSON: the file is empty"],
    [" \n ", ":2:2: this is not valid JSON: the file is empty"],
    ['{\n  "listen": "x",\n}', ":3:1: this is not valid JSON: the comma before it is not allowed"],
    ['{\n  // "listen": "x"\n}', ":2:3: this is not valid JSON: JSON has no comments"],
    ["{'listen': 1}", ":1:2: this is not valid JSON: names and texts have double quotes"],
    ['{"listen": "x"\n"log_level": 1}', ":2:1: this is not valid JSON: a comma is missing before it"],
    ['{"listen": "x\n"}', ":1:12: this is not valid JSON: this text does not end, or has a wrong escape"],
    ['{"listen": "\\x"}', ":1:12: this is not valid JSON: this text does not end, or has a wrong escape"],
    ['{"é😀": tru}', ":1:9: this is not valid JSON: a character that does not belong here"],
    ['{"listen": 01}', ":1:14: this is not valid JSON: a character that does not belong here"],
    ['{"listen": "x"', ":1:15: this is not valid JSON: the end is missing"],
    ['{"listen": "x"}}', ":1:16: this is not valid JSON: a character that does not belong here"],
    ['{"listen": {{}}', ":1:13: this is not valid JSON: a character that does not belong here"],
    [`${"[".repeat(9)}1${"]".repeat(9)}`, ":1:9: this is not valid JSON: more than 8 levels"],
    ["[".repeat(500_000), ":1:9: this is not valid JSON: more than 8 levels"],
    ['\n ["listen"]', ":2:2: must be one JSON object with the settings by name"],
    [Buffer.from([0x7b, 0xff, 0x7d]), ": cannot read the settings: it is not UTF-8 text"],
    [`{"listen": "${"x".repeat(1024 * 1024)}"}`, ": cannot read the settings: it has more than 1048576 bytes"],
  ] as const)
    test(`${JSON.stringify(String(text).slice(0, 40))} is refused at its place`, () =>
      assert.deepEqual(mistakesOf(text), [mistake]));

  test("no mistake quotes a secret of the file", () => {
    for (const text of [
      '{"master_key": hunter2}',
      '{"master_key": "hunter2',
      '{"database_url": "mysql://u:hunter2@h"}',
      '{"portal_url": "https://u:hunter2@h/?"}',
      '{"portal_url": ["https://u:hun\\"ter2@h/"]}',
      '{"trusted_proxies": ["https://u:hunter2@h/"]}',
      '{"smtp_url": "smtp://u:hunter2@", "mail_from": "a@b"}',
    ])
      assert.doesNotMatch(mistakesOf(text).join("\n"), /hunter2|ter2/, text);
  });
});

test("a file may begin with a byte order mark, and line ends of Windows count as one", () => {
  writeFileSync(file, '\uFEFF{\r\n  "log_level":   "warn"\r\n}\r\n');
  const { config, origins } = explainConfig({ file, environment: {}, flags: {} });
  assert.equal(config.log_level, "warn");
  assert.deepEqual(origins.get("log_level"), { source: "file", file, line: 2, column: 18 });
});

test("a directory is not a settings file", () => {
  const path = join(directory, "d");
  mkdirSync(path);
  assert.throws(
    () => loadConfig({ file: path, environment: {}, flags: {} }),
    (error: ConfigError) => error.mistakes[0] === `${path}: cannot read the settings: it is a directory (EISDIR)`,
  );
});
