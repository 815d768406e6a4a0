/** The audit log: its entries, their verification, and that tampering shows. A second process works beside the server. */
import assert from "node:assert/strict";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, test } from "node:test";
import { CHOSEN } from "../fixtures/databases.ts";
import { basic, postForm, type Answer } from "../fixtures/http.ts";
import { eventually, mooring, type Outcome } from "../fixtures/process.ts";
import { useServer } from "../fixtures/server.ts";

const shared = useServer();

interface Entry {
  readonly id: string;
  readonly seq: number;
  readonly at: string;
  readonly actor: { readonly kind: string; readonly id: string | null };
  readonly action: string;
  readonly target: { readonly kind: string; readonly id: string } | null;
  readonly result: string;
  readonly ip: string | null;
  readonly request_id: string | null;
  readonly hash: string;
  readonly prev_hash: string;
}

interface Page {
  readonly items: readonly Entry[];
  readonly next_cursor: string | null;
}

function get<T>(path: string): Promise<Answer<T>> {
  return shared.server.call<T>("GET", path, { token: shared.token });
}

async function entries(query = ""): Promise<readonly Entry[]> {
  const answer = await get<Page>(`/v1/audit?limit=100${query}`);
  assert.equal(answer.status, 200, answer.text);
  return answer.body.items;
}

test("every change is there, with its actor, action, address, time and result", async () => {
  const requestId = "audited-request-1";
  const made = await shared.server.call("POST", "/v1/projects", {
    token: shared.token,
    json: { slug: "audited" },
    headers: { "request-id": requestId },
  });
  assert.equal(made.status, 201, made.text);
  const me = await get<{ id: string }>("/v1/me");
  const [entry] = await entries(`&target=${String(made.body["id"])}`);
  assert.ok(entry !== undefined, "the creation is in the log");
  assert.match(entry.id, /^aud_/);
  assert.deepEqual(entry.actor, { kind: "credential", id: me.body.id });
  assert.match(entry.action, /project/);
  assert.equal(entry.target?.id, made.body["id"]);
  assert.equal(entry.result, "success");
  assert.match(entry.ip ?? "", /^(127\.0\.0\.1|::1|::ffff:127\.0\.0\.1)$/);
  assert.equal(entry.request_id, requestId);
  assert.ok(Math.abs(new Date(entry.at).getTime() - Date.now()) < 30_000);
});

test("every kind of change leaves an entry at once", async () => {
  const kinds: [string, string, unknown, number][] = [
    ["POST", "/v1/apps", { project: "shop", slug: "audited-app" }, 201],
    ["PATCH", "/v1/apps/audited-app", { name: "Other name" }, 200],
    ["DELETE", "/v1/apps/audited-app", undefined, 204],
    ["POST", "/v1/credentials", { name: "audited", scopes: ["org:read"] }, 201],
    ["POST", "/v1/invitations", { email: "audited@example.org", role: "viewer" }, 201],
    ["PATCH", "/v1/organization", { name: "Acme Limited" }, 200],
    ["PATCH", "/v1/projects/shop", { name: "The shop" }, 200],
  ];
  for (const [method, path, json, status] of kinds) {
    const [before] = await entries();
    const answer = await shared.server.call(method, path, {
      token: shared.token,
      ...(json === undefined ? {} : { json }),
    });
    assert.equal(answer.status, status, answer.text);
    const [newest] = await entries();
    assert.ok(Number(newest?.seq) > Number(before?.seq), `${method} ${path} left no entry`);
  }
});

test("refused sign-ins are there, also with mistyped secrets", async () => {
  const { client_id, client_secret } = shared.home.credential;
  const other = await shared.server.bootstrap();
  const refusals = async (): Promise<number> =>
    (await entries("&action=token.")).filter((entry) => entry.result !== "success").length;
  for (const wrong of [other.credential.client_secret, `${client_secret}x`]) {
    const before = await refusals();
    await postForm(shared.server.origin, "/oauth/token", { grant_type: "client_credentials" }, basic(client_id, wrong));
    await eventually("the refusal in the log", async () => ((await refusals()) > before ? true : null), 5000);
  }
});

test("filters narrow the log, invalid ones are refused", async () => {
  const some = (await entries("&action=project.")).map((entry) => entry.action);
  assert.ok(some.length > 0 && some.every((action) => action.startsWith("project.")), some.join(" "));
  assert.deepEqual(await entries("&target=proj_nothing"), []);
  assert.deepEqual(await entries("&from=2999-01-01T00:00:00Z"), []);
  assert.ok((await entries("&from=2020-01-01T00:00:00Z&to=2999-01-01T00:00:00Z")).length > 0);
  for (const wrong of ["from=yesterday", "limit=0", "nonsense=1"])
    assert.equal((await get(`/v1/audit?${wrong}`)).status, 400, wrong);
});

test("pages and the export have the same chain, and it verifies", async () => {
  const paged: Entry[] = [];
  let cursor: string | null = null;
  do {
    const path: string = `/v1/audit?limit=5${cursor === null ? "" : `&cursor=${encodeURIComponent(cursor)}`}`;
    const page: Page = (await get<Page>(path)).body;
    paged.push(...page.items);
    cursor = page.next_cursor;
  } while (cursor !== null);
  const exported = (await get("/v1/audit/export")).text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Entry);
  assert.deepEqual(
    exported.map((entry) => entry.hash),
    paged.toReversed().map((entry) => entry.hash),
  );
  for (let i = 1; i < exported.length; i++) {
    assert.equal(exported[i]?.prev_hash, exported[i - 1]?.hash);
    assert.equal(exported[i]?.seq, Number(exported[i - 1]?.seq) + 1);
  }
  const verified = await get<{ ok: boolean; entries: number; head_hash: string }>("/v1/audit/verify");
  assert.equal(verified.body.ok, true, verified.text);
  assert.equal(verified.body.entries, exported.length);
  assert.equal(verified.body.head_hash, exported.at(-1)?.hash);
});

test("the log of one organization reveals nothing of another", async () => {
  const other = await shared.server.bootstrap({ org: "globex", project: "plant", app: "reactor" });
  const token = await shared.server.token(other.credential);
  const theirs = await shared.server.call("GET", "/v1/audit?limit=100", { token });
  assert.ok(!theirs.text.includes(shared.home.org.id) && !theirs.text.includes(shared.home.project.id));
  assert.ok(!(await get("/v1/audit?limit=100")).text.includes(other.org.id));
});

test("a second process works beside the server: its changes apply at once, and are audited", async () => {
  const second = await shared.server.bootstrap({ project: "shop", app: "second-app" });
  assert.equal(second.org.id, shared.home.org.id);
  assert.equal(second.project.id, shared.home.project.id);
  assert.notEqual(second.credential.client_id, shared.home.credential.client_id);
  assert.equal(second.addresses["identity_url"], shared.server.origin);
  const token = await shared.server.token(second.credential);
  assert.equal((await shared.server.call("GET", "/v1/apps/second-app", { token })).status, 200);
  assert.ok((await entries(`&target=${second.app.id}`)).length > 0);
  assert.equal((await get<{ ok: boolean }>("/v1/audit/verify")).body.ok, true);
});

test("concurrent bootstraps create one of each", async () => {
  const names = { org: "racers", project: "track", app: "only-one" };
  const made = await Promise.all(Array.from({ length: 3 }, () => shared.server.bootstrap(names)));
  for (const kind of ["org", "project", "app"] as const) assert.equal(new Set(made.map((one) => one[kind].id)).size, 1);
  assert.equal(new Set(made.map((one) => one.credential.client_id)).size, 3);
});

function verify(dataDir: string): Promise<Outcome> {
  return mooring(["audit", "verify", "--data-dir", dataDir], { environment: shared.server.environment });
}

test("mooring audit verify finds no fault beside the running server", async () => {
  const outcome = await verify(shared.server.dataDir);
  assert.equal(outcome.code, 0, outcome.stdout + outcome.stderr);
});

const copies: string[] = [];
after(() => {
  for (const copy of copies) rmSync(copy, { recursive: true, force: true });
});

/** Copies the data directory and changes the records with a statement. */
function tamperedCopy(statement: string): string {
  const copy = mkdtempSync(join(tmpdir(), "mooring-tampered-"));
  copies.push(copy);
  cpSync(join(shared.server.dataDir, "master.key"), join(copy, "master.key"));
  const original = new DatabaseSync(join(shared.server.dataDir, "mooring.db"), { readOnly: true });
  original.prepare("vacuum into ?").run(join(copy, "mooring.db"));
  original.close();
  const database = new DatabaseSync(join(copy, "mooring.db"));
  const { changes } = database.prepare(statement).run();
  database.close();
  assert.ok(Number(changes) > 0, `nothing was changed by: ${statement}`);
  return copy;
}

const LARGEST = "(select org_id from audit group by org_id order by count(*) desc limit 1)";
const TAMPERING: Readonly<Record<string, string>> = {
  "another actor": `update audit set actor_id = 'user_nobody' where org_id = ${LARGEST} and seq = 3`,
  "another time": `update audit set at = at - 1 where org_id = ${LARGEST} and seq = 2`,
  "another detail": `update audit set detail = '{"all":"well"}' where org_id = ${LARGEST} and seq = 4`,
  "an entry left out": `delete from audit where org_id = ${LARGEST} and seq = 3`,
  "the first entry left out": `delete from audit where org_id = ${LARGEST} and seq = (select min(seq) from audit where org_id = ${LARGEST})`,
  "the last entry left out": `delete from audit where org_id = ${LARGEST} and seq = (select max(seq) from audit where org_id = ${LARGEST})`,
  "the whole log left out": `delete from audit where org_id = ${LARGEST}`,
};

for (const [name, statement] of Object.entries(TAMPERING)) {
  test(
    `mooring audit verify finds ${name}`,
    { skip: CHOSEN === "sqlite" ? false : "the file is SQLite's" },
    async () => {
      const outcome = await verify(tamperedCopy(statement));
      assert.equal(outcome.code, 1, outcome.stdout + outcome.stderr);
      assert.match(outcome.stdout + outcome.stderr, /gap|edit|unlinked|truncat|missing|head|left out/i);
    },
  );
}

test(
  "a log that makes every change fail is repaired beside the server, and the gap stays recorded",
  { skip: CHOSEN !== "sqlite" },
  async () => {
    const home = await shared.server.bootstrap({ org: "mended", project: "ship", app: "hull" });
    const token = await shared.server.token(home.credential);
    const create = (): Promise<Response> =>
      fetch(`${shared.server.origin}/v1/projects`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: JSON.stringify({ slug: `p${Math.random().toString(36).slice(2, 10)}` }),
      });
    for (let n = 0; n < 3; n++) assert.equal((await create()).status, 201);
    const database = new DatabaseSync(join(shared.server.dataDir, "mooring.db"), { timeout: 10_000 });
    database.exec("pragma busy_timeout = 5000");
    database
      .prepare(
        "update audit_head set seq = seq - 2, hash = (select hash from audit where org_id = audit_head.org_id and seq = audit_head.seq - 2) where org_id = ?",
      )
      .run(home.org.id);
    database.close();
    assert.equal((await create()).status, 500, "the next number is taken");
    const words = ["--org", "mended", "--data-dir", shared.server.dataDir, "--json"];
    assert.equal((await mooring(["audit", "verify", ...words])).code, 1);
    const repaired = await mooring(["audit", "repair", ...words]);
    assert.equal(repaired.code, 0, repaired.stderr);
    const [done] = JSON.parse(repaired.stdout) as {
      log: string;
      entries: number[];
      found: { kind: string; from: number; to: number }[];
    }[];
    assert.equal(done?.log, "mended");
    assert.deepEqual(
      done.found.map(({ kind, from, to }) => [kind, to - from]),
      [["head", 1]],
    );
    assert.equal((await create()).status, 201);
    const verified = await mooring(["audit", "verify", ...words]);
    assert.equal(verified.code, 0, verified.stdout);
    const [report] = JSON.parse(verified.stdout) as { ok: boolean; declared: { kind: string; entry: number }[] }[];
    assert.deepEqual(
      [report?.ok, report?.declared.map(({ kind, entry }) => [kind, entry])],
      [true, [["head", done.entries[0]]]],
    );
    const answer = await shared.server.call<{ ok: boolean; declared: unknown[] }>("GET", "/v1/audit/verify", { token });
    assert.deepEqual([answer.body.ok, answer.body.declared.length], [true, 1]);
    assert.match(
      (await mooring(["audit", "repair", "--org", "mended", "--data-dir", shared.server.dataDir])).stdout,
      /nothing to repair/,
    );
  },
);
