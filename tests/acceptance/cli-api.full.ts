/** The commands that are generated from the contract: requests, output for people and scripts, and exit codes. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { ownEnvironment, mooring, type Outcome } from "../fixtures/process.ts";
import { PROGRAM } from "../fixtures/program.ts";
import { useSharedServer } from "../fixtures/server.ts";

const SCRIPT = "/usr/bin/script";

describe("commands of the API", () => {
  const shared = useSharedServer();
  let directory: string;

  before(() => {
    directory = mkdtempSync(join(tmpdir(), "mooring-api-"));
  });
  after(() => rmSync(directory, { recursive: true, force: true }));

  function environment(): Record<string, string> {
    const { client_id, client_secret } = shared.home.credential;
    return {
      XDG_CONFIG_HOME: directory,
      MOORING_URL: shared.server.origin,
      MOORING_CLIENT_ID: client_id,
      MOORING_CLIENT_SECRET: client_secret,
    };
  }

  const run = (words: readonly string[], input?: string): Promise<Outcome> =>
    mooring(words, { environment: environment(), ...(input === undefined ? {} : { input }) });

  async function done(words: readonly string[], input?: string): Promise<string> {
    const { code, stdout, stderr } = await run(words, input);
    assert.equal(code, 0, stderr);
    return stdout;
  }

  test("create, read, change, list and delete, as a person reads and as a script reads", async () => {
    const slug = `cli-${Date.now().toString(36)}`;
    assert.match(
      await done(["project", "create", "--slug", slug, "--name", "By command"]),
      new RegExp(`^slug +${slug}$`, "m"),
    );
    const project = JSON.parse(await done(["project", "get", slug, "--json"])) as { id: string; name: string };
    assert.deepEqual(project.name, "By command");
    await done(["project", "update", slug, "--name", "Changed"]);
    const lines = (await done(["project", "list"])).split("\n").filter((line) => line.startsWith(`${slug}\t`));
    assert.deepEqual(lines[0]?.split("\t"), [slug, "Changed", "organization", "", "", project.id]);
    const asked = await run(["project", "delete", slug]);
    assert.deepEqual([asked.code, /add --yes/.test(asked.stderr)], [2, true]);
    assert.equal(await done(["project", "delete", slug, "--yes"]), "");
    const gone = await run(["project", "get", slug]);
    assert.equal(gone.code, 1);
    assert.match(gone.stderr, /\(404 not_found, request id req_/);
    assert.equal(gone.stdout, "");
  });

  test("a list stops at its limit and says so, and --all prints every page", async () => {
    const prefix = `many-${Date.now().toString(36)}`;
    await Promise.all(Array.from({ length: 3 }, (_, i) => done(["project", "create", "--slug", `${prefix}-${i}`])));
    const some = await run(["project", "list", "--limit", "2", "--json"]);
    assert.equal((JSON.parse(some.stdout) as unknown[]).length, 2);
    assert.match(some.stderr, /there are more; --limit N or --all/);
    const all = await done(["project", "list", "--all", "--json"]);
    const slugs = all
      .trim()
      .split("\n")
      .map((line) => (JSON.parse(line) as { slug: string }).slug);
    assert.equal(slugs.filter((slug) => slug.startsWith(prefix)).length, 3);
  });

  test("a body comes from standard input, and options override it", async () => {
    const hook = JSON.stringify({ name: "from-input", url: "https://example.com/hook" });
    const made = await done(["s3-destination", "create", "--input", "-", "--name", "from-option", "--json"], hook);
    const { id, name } = JSON.parse(made) as { id: string; name: string };
    assert.equal(name, "from-option");
    const file = join(directory, "body.json");
    writeFileSync(file, "not JSON");
    assert.equal((await run(["s3-destination", "create", "--input", file])).code, 2);
    await done(["s3-destination", "delete", id, "--yes"]);
  });

  test("storage lists by offset, exports and documents work as other operations do", async () => {
    assert.equal(await done(["trash", "list"]), "");
    const exported = (await done(["audit", "export", "--action", "project.create"])).trim().split("\n");
    assert.ok(exported.every((line) => (JSON.parse(line) as { action: string }).action === "project.create"));
    const addresses = JSON.parse(await done(["addresses", "show", "--json"])) as { portal_url: string };
    assert.equal(addresses.portal_url, shared.server.origin);
    assert.match(await done(["me", "show"]), /^kind +credential$/m);
    assert.match(await done(["audit", "list", "--limit", "1"]), /\t/);
  });

  test("the exit code says what went wrong", async () => {
    const narrow = JSON.parse(
      await done(["credential", "create", "--name", "narrow", "--scope", "files:read", "--json"]),
    ) as { client_id: string; client_secret: string };
    const { client_id, client_secret } = narrow;
    const variables = { ...environment(), MOORING_CLIENT_ID: client_id, MOORING_CLIENT_SECRET: client_secret };
    const denied = await mooring(["project", "create", "--slug", "never"], { environment: variables });
    assert.deepEqual([denied.code, /403 insufficient_scope/.test(denied.stderr)], [3, true]);
    const away = { ...environment(), MOORING_URL: "http://127.0.0.1:1" };
    assert.equal((await mooring(["project", "list"], { environment: away })).code, 4);
    for (const words of [["project"], ["project", "--help"], ["project", "create", "--help"]])
      assert.equal((await run(words)).code, 0, words.join(" "));
    for (const words of [
      ["project", "crate"],
      ["project", "get"],
      ["project", "create"],
      ["project", "list", "--no"],
    ])
      assert.equal((await run(words)).code, 2, words.join(" "));
  });

  test("commands that are written by hand keep their names, beside operations of the same noun", async () => {
    const listed = JSON.parse(await done(["credential", "list", "--json"])) as { id: string }[];
    const [first] = listed;
    const read = JSON.parse(await done(["credential", "get", first?.id ?? "", "--json"])) as { id: string };
    assert.equal(read.id, first?.id);
    assert.match(await done(["credential", "--help"]), /More of the API: .*mooring credential get/);
  });

  test(
    "on a terminal, a list is a table, and a deletion asks for the name",
    { skip: existsSync(SCRIPT) ? false : "needs script (util-linux), which gives a command a terminal" },
    async () => {
      const slug = `tty-${Date.now().toString(36)}`;
      await done(["project", "create", "--slug", slug]);
      const typed = (words: readonly string[], input: string): string => {
        const line = [process.execPath, PROGRAM, ...words].join(" ");
        const { stdout } = spawnSync(SCRIPT, ["-qec", line, "/dev/null"], {
          env: { ...ownEnvironment(), ...environment(), TERM: "dumb" },
          encoding: "utf8",
          input,
        });
        return stdout;
      };
      assert.match(typed(["project", "list"], ""), /slug +name +visibility[^]*-{3,}/);
      assert.match(typed(["project", "delete", slug], "another\n"), /Type .* to continue[^]*the name does not match/);
      assert.match(typed(["project", "delete", slug], `${slug}\n`), /Type .* to continue/);
      assert.equal((await run(["project", "get", slug])).code, 1);
    },
  );

  test("completion knows nouns, verbs and options", async () => {
    const script = await done(["completion", "bash"]);
    const complete = (line: string, words: readonly string[]): string[] => {
      const array = words.map((word) => `'${word}'`).join(" ");
      const call = `${script}\nCOMP_WORDS=(${array}); COMP_CWORD=${words.length - 1}; _mooring; printf '%s\\n' "\${COMPREPLY[@]}"`;
      const { stdout, stderr } = spawnSync("bash", ["-c", call], { encoding: "utf8" });
      assert.equal(stderr, "", line);
      return stdout.trim().split("\n");
    };
    assert.deepEqual(complete("mooring project-", ["mooring", "project-"]), ["project-group", "project-member"]);
    assert.deepEqual(complete("mooring project un", ["mooring", "project", "un"]), ["unarchive", "unlock"]);
    assert.deepEqual(complete("mooring project create --vi", ["mooring", "project", "create", "--vi"]), [
      "--visibility",
    ]);
    for (const shell of ["zsh", "fish"]) assert.match(await done(["completion", shell]), /project-member/);
    assert.equal((await run(["completion", "tcsh"])).code, 2);
  });
});
