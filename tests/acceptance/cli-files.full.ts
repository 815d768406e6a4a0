/** `mooring files`, as people and scripts use it. */
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { listed, uploaded, type FileBody, type FileList } from "../fixtures/files.ts";
import { mooring, type Outcome } from "../fixtures/process.ts";
import { useServer } from "../fixtures/server.ts";

const shared = useServer({ settings: { files_size_bytes_max: 20_000_000 } });
let directory = "";

before(() => {
  directory = mkdtempSync(join(tmpdir(), "mooring-cli-files-"));
});
after(() => rmSync(directory, { recursive: true, force: true }));

function run(words: readonly string[], input?: string): Promise<Outcome> {
  const credentials = join(directory, "credentials.json");
  writeFileSync(credentials, JSON.stringify(shared.home), { mode: 0o600 });
  const options = { cwd: directory, ...(input === undefined ? {} : { input }) };
  return mooring(["files", ...words, "--credentials", credentials], options);
}

async function done(words: readonly string[], input?: string): Promise<string> {
  const outcome = await run(words, input);
  assert.equal(outcome.code, 0, outcome.stderr);
  return outcome.stdout;
}

test("put, ls, get and rm", async () => {
  const content = Buffer.alloc(5_000_001, "0123456789");
  const path = join(directory, "Übersicht 1.csv");
  writeFileSync(path, content);
  const file = JSON.parse(await done(["put", path, "--json"])) as FileBody;
  assert.deepEqual(
    [file.filename, file.content_type, file.size_bytes],
    ["Übersicht 1.csv", "text/csv", content.length],
  );
  const list = JSON.parse(await done(["ls", "--prefix", "Über", "--json"])) as FileList;
  assert.deepEqual(list, { files: [file], total: 1 });
  assert.match(await done(["ls"]), new RegExp(`${file.id}.*5000001.*Übersicht 1\\.csv`));

  const refused = await run(["get", file.id]);
  assert.equal(refused.code, 1, "no existing file is replaced");
  assert.match(refused.stderr, /already/);
  rmSync(path);
  assert.match(await done(["get", file.id]), /Übersicht 1\.csv/);
  assert.ok(readFileSync(path).equals(content));
  await done(["get", file.id, "--output", join(directory, "other")]);
  assert.ok(readFileSync(join(directory, "other")).equals(content));
  assert.equal(await done(["get", file.id, "--output", "-"]), content.toString());

  assert.equal(await done(["rm", file.id]), "");
  const gone = await run(["get", file.id, "--output", join(directory, "gone")]);
  assert.equal(gone.code, 1);
  assert.match(gone.stderr, /404 not_found/);
  assert.ok(!existsSync(join(directory, "gone")));
  assert.equal(await done(["restore", file.id]), "");
  assert.equal(await done(["get", file.id, "--output", "-"]), content.toString());
  assert.equal(await done(["rm", "--permanent", file.id]), "");
  assert.match((await run(["restore", file.id])).stderr, /404 not_found/);
});

test("standard input is stored under a name", async () => {
  const wrong = await run(["put", "-"], "x");
  assert.equal(wrong.code, 2);
  const file = JSON.parse(
    await done(["put", "-", "--name", "dump.sql", "--project", "shop", "--json"], "select 1"),
  ) as FileBody;
  assert.deepEqual([file.content_type, file.project_id], ["application/sql", shared.home.project.id]);
  assert.equal(await done(["get", file.id, "--output", "-"]), "select 1");
});

test("a file name that another person chose leads only into the current directory", async () => {
  const names = ["../escaped.txt", "/tmp/mooring-escaped.txt", "..", ".profile", "-rf", "a\u202egnp.txt"];
  for (const filename of names) {
    const { id } = await uploaded(shared.server, shared.token, { filename }, filename);
    const before = readdirSync(directory);
    const { path } = JSON.parse(await done(["get", id, "--json"])) as { path: string };
    const made = readdirSync(directory).filter((name) => !before.includes(name));
    assert.deepEqual(made, [path], filename);
    assert.match(path, /^[^.\-/\\][^/\\]*$/);
    assert.equal(readFileSync(join(directory, path), "utf8"), filename);
  }
  assert.ok(!existsSync("/tmp/mooring-escaped.txt"));
  assert.doesNotMatch(await done(["ls"]), /\u202e/);
});

test("a refused or missing file ends with a code and a sentence, and leaves nothing", async () => {
  const before = await listed(shared.server, shared.token);
  const large = join(directory, "large.bin");
  writeFileSync(large, Buffer.alloc(20_000_001));
  const cases: [string[], number, RegExp, string?][] = [
    [["put", large], 1, /body_too_large/],
    [["put", "-", "--name", "large"], 1, /larger than 20000000 bytes/, "x".repeat(25_000_000)],
    [["put", join(directory, "absent")], 1, /cannot upload .*absent/],
    [["put", directory], 1, /directory/],
    [["put", large, "--type", "nonsense"], 1, /content_type/],
    [["rm", "file_00000000000000000000000000"], 1, /not_found/],
    [["rm"], 2, /name files/],
    [["send"], 2, /put, get, ls, rm or restore/],
    [["ls", "--url", "http://127.0.0.1:1"], 4, /can't be reached/],
  ];
  for (const [words, code, message, input] of cases) {
    const outcome = await run(words, input);
    assert.equal(outcome.code, code, `${words.join(" ")}: ${outcome.stderr}`);
    assert.match(outcome.stderr, message);
  }
  assert.equal((await listed(shared.server, shared.token)).total, before.total);
});
