/** The commands of docs/how-to/postgresql.md, with a PostgreSQL server that speaks TLS. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { chownSync, copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { makeCertificates } from "../fixtures/certificates.ts";
import { patternOf, readPage } from "../fixtures/page.ts";
import { postgresMissing, startPostgres } from "../fixtures/postgres-server.ts";
import { ownEnvironment } from "../fixtures/process.ts";
import { PROGRAM } from "../fixtures/program.ts";

const missing = postgresMissing();

test("docs/how-to/postgresql.md", { skip: missing ?? false }, async () => {
  const directory = mkdtempSync(join(tmpdir(), "mooring-pg-page-"));
  const { caFile } = makeCertificates(directory);
  const server = await startPostgres({
    more: ["ssl=on", "ssl_cert_file=../server.crt", "ssl_key_file=../server.key", "synchronous_commit=on"],
    prepare: (place, owner) => {
      for (const name of ["server.crt", "server.key"]) {
        copyFileSync(join(directory, name), join(place, name));
        if (owner !== undefined) chownSync(join(place, name), owner.uid, owner.gid);
      }
    },
  });
  try {
    const { blocks } = readPage("docs/how-to/postgresql.md");
    assert.equal(blocks.length, 2);
    const script = blocks.map((block) => `echo MARK\n${block.script}`).join("");
    const file = join(directory, "page.sh");
    writeFileSync(
      file,
      script
        .replaceAll("db.example.com:5432", `localhost:${server.port}`)
        .replaceAll("/etc/mooring/postgres-ca.crt", caFile)
        .replaceAll("npx mooring", `"${process.execPath}" "${PROGRAM}"`),
    );
    const env = { ...ownEnvironment(), ADMIN: `postgres://postgres@127.0.0.1:${server.port}/postgres` };
    const { stdout } = await promisify(execFile)("bash", ["-eu", file], { cwd: directory, env });
    const printed = stdout.split("MARK\n").slice(1);
    for (const [i, { output }] of blocks.entries())
      if (output !== undefined) assert.match(printed[i] ?? "", patternOf(output), printed[i]);
  } finally {
    await server.stop();
    rmSync(directory, { recursive: true, force: true });
  }
});
