import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { startProduct } from "../lib/product.ts";
import { shown, spreadOf } from "../lib/statistics.ts";

const NAMES = ["report", "image", "log", "backup"];
const ROUNDS = 11;

/** Measures how long pages of a long list take. Inserts the rows into the records directly, because a million uploads take an hour. */
export async function listing(count: number): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), "mooring-bench-files-"));
  try {
    const first = await startProduct({ dataDir, keepData: true });
    const { credential } = await first.bootstrap("lists");
    await first.stop();
    insertFiles(join(dataDir, "mooring.db"), count);
    const product = await startProduct({ dataDir, keepData: true });
    const headers = { authorization: `Bearer ${await product.token(credential)}` };
    for (const [name, query] of pages(count)) {
      const times: number[] = [];
      for (let round = 0; round <= ROUNDS; round++) {
        const began = performance.now();
        const response = await fetch(`${product.url}/v1/files?limit=50&${query}`, { headers });
        const text = await response.text();
        if (!response.ok || !text.includes('"filename"')) throw new Error(`${query}: ${response.status} ${text}`);
        if (round > 0) times.push(performance.now() - began);
      }
      process.stdout.write(`list of ${count} files, ${name}: ${shown(spreadOf(times), 1)} ms\n`);
    }
    await product.stop();
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

function pages(count: number): [string, string][] {
  return [
    ["first page", "offset=0"],
    ["page in the middle", `offset=${count >> 1}`],
    ["last page", `offset=${count - 50}`],
    ["first page of a prefix with a quarter of the names", "prefix=report"],
    ["middle page of a prefix with a quarter of the names", `prefix=report&offset=${count >> 3}`],
    ["first page of a prefix with one name in 400", "prefix=report+77"],
  ];
}

function insertFiles(path: string, count: number): void {
  const db = new DatabaseSync(path);
  const [{ id: org } = { id: "" }] = db.prepare("select id from organization where slug = 'lists'").all() as {
    id: string;
  }[];
  db.exec("begin");
  db.prepare(
    `insert into blob (id, org_id, store_id, place, state, size, refs, idle_since, sha256, digests, created_at)
     values ('blob_bench', ?, '', 'inline', 'live', 0, ?, null, ?, '{}', 0)`,
  ).run(org, count, "0".repeat(64));
  const insert = db.prepare(
    `insert into file (id, org_id, project_id, filename, content_type, size, sha256, blob_id, created_by, created_at)
     values (?, ?, null, ?, 'text/plain', 0, ?, 'blob_bench', 'cred_bench', ?)`,
  );
  const beganMs = Date.now() - count;
  for (let i = 0; i < count; i++) {
    const n = (i * 7919) % count;
    const id = `file_${i.toString().padStart(26, "0")}`;
    insert.run(id, org, `${NAMES[n % NAMES.length]} ${n}.bin`, "0".repeat(64), beganMs + i);
  }
  db.prepare("insert into file_usage (org_id, place, files, bytes, grants, reserved) values (?, '', ?, 0, 0, 0)").run(
    org,
    count,
  );
  db.exec(`insert into file_name (org_id, filename, place, files)
    select org_id, filename, '', count(*) from file group by org_id, filename`);
  db.exec("commit");
  db.close();
}
