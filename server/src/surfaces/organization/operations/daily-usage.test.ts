import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { USAGE_ROUTES } from "@mooring/contract";
import { DAY_MS, deleteOldUsage, measureUsage } from "#domain/usage/index.ts";
import { trustedClock } from "#kernel/testing.ts";
import { isoFromMs } from "#kernel/time.ts";
import { boundToken, pair } from "../testing/requests.ts";
import { testOperation } from "../testing/suite.ts";
import { createWorld, type World } from "../testing/world.ts";
import { withUsage } from "../testing/usage.ts";

const PATH = "/v1/usage/daily";
const ofProject = (project: string) => ({ path: `${PATH}?project=${project}` });

testOperation(
  USAGE_ROUTES.listDailyUsage,
  {
    ask: () => ({ path: PATH }),
    hidden: (world) => [
      pair(world.rival.open.id, ofProject),
      pair("closed", ofProject, "absent"),
      pair(world.acme.closed.id, (project) => ({
        ...ofProject(project),
        token: world.person(world.acme, world.acme.people.admin),
      })),
    ],
    problems: {
      forbidden: async (world) => ({ path: PATH, token: await boundToken(world) }),
      not_acceptable: async () => ({ path: PATH, headers: { accept: "text/html" } }),
    },
  },
  withUsage(),
);

interface Item {
  readonly day: string;
  readonly project_id?: string | null;
  readonly credential_id?: string | null;
  readonly credential_name?: string | null;
  readonly service?: string;
  readonly requests: number;
  readonly refused: number;
  readonly bytes_in: number;
  readonly bytes_out: number;
  readonly bytes_scanned: number;
  readonly bytes_stored: number;
}

describe("daily usage", () => {
  let world: World;
  before(async () => {
    world = await createWorld(withUsage());
  });
  after(() => world.close());

  const dayOf = (ms: number): string => isoFromMs(ms).slice(0, 10);
  const counted = (
    orgId: string,
    id: string | null,
    projectId: string | null,
    service: "query" | "files" = "query",
  ) => {
    const sender = { orgId, id, projectId, isPerson: false, ip: null, userAgent: undefined };
    return { ...sender, service, refused: false, limited: false, bytesIn: 10, bytesOut: 100 };
  };
  const listed = async (token: string, query = ""): Promise<readonly Item[]> => {
    const answer = await world.call("GET", PATH + query, { token });
    assert.equal(answer.status, 200, answer.text);
    return answer.json["items"] as Item[];
  };

  test("adds up by day, project, credential and service, and shows only visible projects", async () => {
    const { acme, rival, identity, metadata } = world;
    const { activity } = identity;
    const clock = trustedClock(world.clock);
    const [open, closed] = [acme.open.id, acme.closed.id];
    activity.count(counted(acme.id, "cred_gone", open));
    activity.count({ ...counted(acme.id, "cred_gone", closed, "files"), refused: true });
    activity.count(counted(acme.id, null, open, "files"));
    activity.count(counted(rival.id, "cred_rival", null));
    const scan = { orgId: acme.id, projectId: open, service: "query", credentialId: "cred_gone", bytes: 5000 };
    activity.countScan(scan);
    await metadata.write((tx) =>
      tx
        .insertInto("file_usage")
        .values({
          org_id: acme.id,
          place: open,
          files: 1,
          bytes: 7,
          grants: 0,
          reserved: 0,
          trashed_files: 0,
          trashed_bytes: 2,
        })
        .execute(),
    );
    await measureUsage({ metadata, clock });
    await activity.flush();
    activity.count(counted(acme.id, "cred_gone", open));
    await activity.flush();

    const owner = world.person(acme, acme.people.owner);
    const today = dayOf(world.clock.nowMs());
    const ofFiles = await listed(owner, "?service=files&group_by=all");
    assert.deepEqual(
      ofFiles.map((item) => [item.project_id, item.credential_id, item.requests, item.refused, item.bytes_stored]),
      [
        [open, null, 1, 0, 9],
        [closed, "cred_gone", 1, 1, 0],
      ].toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1)),
    );
    const [queried] = await listed(owner, `?service=query&credential=cred_gone&group_by=credential`);
    assert.deepEqual(queried, {
      day: today,
      credential_id: "cred_gone",
      credential_name: null,
      requests: 2,
      refused: 0,
      bytes_in: 20,
      bytes_out: 200,
      bytes_scanned: 5000,
      bytes_stored: 0,
    });
    const total = await listed(owner, `?total=true&group_by=project&project=${open}`);
    assert.deepEqual(
      total.map((item) => [item.project_id, item.requests, item.bytes_stored]),
      [[open, 3, 9]],
    );

    const viewer = world.person(acme, acme.people.viewer);
    const seen = await listed(viewer, "?group_by=project");
    assert.ok(!seen.some(({ project_id: project }) => project === closed), "a private project is hidden");
    assert.ok(seen.some(({ project_id: project }) => project === open));
  });

  test("pages have all rows once, and CSV has the same rows", async () => {
    const { acme } = world;
    const token = world.person(acme, acme.people.owner);
    const all = await listed(token, "?group_by=all");
    const paged: Item[] = [];
    for (let cursor: string | null = ""; cursor !== null;) {
      const next: string = cursor === "" ? "" : `&cursor=${cursor}`;
      const answer = await world.call("GET", `${PATH}?group_by=all&limit=1${next}`, { token });
      paged.push(...(answer.json["items"] as Item[]));
      cursor = answer.json["next_cursor"] as string | null;
    }
    assert.deepEqual(paged, all);
    const turned = await world.call("GET", `${PATH}?from=2026-11-02&to=2026-11-01`, { token });
    assert.equal(turned.json["code"], "invalid_parameter", turned.text);
    const csv = await world.call("GET", `${PATH}?group_by=all`, { token, headers: { accept: "text/csv" } });
    const lines = csv.text.trimEnd().split("\r\n");
    assert.equal(
      lines[0],
      "day,project_id,credential_id,credential_name,service,requests,refused,bytes_in,bytes_out,bytes_scanned,bytes_stored",
    );
    assert.equal(lines.length, all.length + 1);
  });

  test("an emptied project stores nothing, and rows end after 13 months", async () => {
    const { acme, metadata } = world;
    const clock = trustedClock(world.clock);
    const token = world.person(acme, acme.people.owner);
    await metadata.write((tx) => tx.updateTable("file_usage").set({ bytes: 0, trashed_bytes: 0 }).execute());
    await measureUsage({ metadata, clock });
    assert.ok((await listed(token)).every((item) => item.bytes_stored === 0));
    const nowMs = world.clock.nowMs();
    const day = nowMs - (nowMs % DAY_MS);
    const row = { org_id: acme.id, project_id: "", credential_id: "", requests: 1, refused: 0 };
    const bytes = { bytes_in: 0, bytes_out: 0, bytes_scanned: 0, bytes_stored: 0 };
    const old = { ...row, ...bytes, day: day - 397 * DAY_MS, service: "old" };
    const kept = { ...row, ...bytes, day: day - 396 * DAY_MS, service: "kept" };
    await metadata.write((tx) => tx.insertInto("usage_daily").values([old, kept]).execute());
    await deleteOldUsage({ metadata, clock });
    const left = await metadata.read
      .selectFrom("usage_daily")
      .select("service")
      .where("day", "<", day - 30 * DAY_MS)
      .execute();
    assert.deepEqual(left, [{ service: "kept" }]);
  });
});
