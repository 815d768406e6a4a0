import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { startReceiver, type Receiver } from "../../../../tests/fixtures/receiver.ts";
import { boundToken } from "../organization/testing/requests.ts";
import { createWorld, type World } from "../organization/testing/world.ts";
import { appendLogs, save } from "../query/testing/saved.ts";
import { alertBody, make, PATH, withAlerts } from "./testing/alerts.ts";

describe("the permissions of an alert", () => {
  let world: World;
  let receiver: Receiver;
  /** Principals: a member of the private project; a credential, which is not one; and a credential of the open project. */
  let owner: string;
  let credential: string;
  let bound: string;

  before(async () => {
    world = await createWorld(withAlerts({ running: true }));
    receiver = await startReceiver();
    owner = world.person(world.acme, world.acme.people.owner);
    credential = await world.token();
    bound = await boundToken(world);
    await appendLogs(world, [null, world.acme.open.id, world.acme.closed.id]);
  });
  after(async () => {
    await world.close();
    await receiver.close();
  });

  async function savedBy(token: string, body: Record<string, unknown> = {}): Promise<string> {
    const made = await save(world, { sql: "select count(*) as n from logs", ...body }, token);
    assert.equal(made.status, 201, made.text);
    return String(made.json["id"]);
  }

  async function watchedBy(token: string, query_id: string): Promise<string> {
    const condition = { column: "n", operator: ">=", threshold: 0 };
    return String(
      (await make(world, await alertBody(world, { query_id, url: receiver.url, condition }), token)).json["id"],
    );
  }

  interface Seen {
    readonly state: string;
    readonly value: number | null;
    readonly error: { readonly code: string; readonly detail: string } | null;
  }

  /** Waits until the alert was evaluated after `sinceMs`. Returns it. */
  async function evaluated(id: string, sinceMs = 0, token = owner): Promise<Seen> {
    const deadline = performance.now() + 60_000;
    for (;;) {
      const { json } = await world.call("GET", `${PATH}/${id}`, { token });
      if (typeof json["evaluated_at"] === "string" && Date.parse(json["evaluated_at"]) > sinceMs)
        return json as unknown as Seen;
      assert.ok(performance.now() < deadline, `${id} was not evaluated: ${JSON.stringify(json)}`);
      await delay(20);
    }
  }

  /** Evaluates the alert again, as if it were due. */
  async function again(id: string): Promise<Seen> {
    const { evaluated_ms: before } = JSON.parse(
      (await world.metadata.read.selectFrom("alert").select("progress").where("id", "=", id).executeTakeFirstOrThrow())
        .progress,
    ) as { evaluated_ms: number };
    await world.metadata.write(async (tx) => {
      await tx.updateTable("job").set({ due_at: 0 }).where("key", "=", id).execute();
      await world.metadata.notify(tx, "job");
    });
    return evaluated(id, before);
  }

  test("an alert sees the rows that its author sees", async () => {
    assert.equal((await evaluated(await watchedBy(owner, await savedBy(owner)))).value, 3);
    assert.equal((await evaluated(await watchedBy(credential, await savedBy(credential)))).value, 2);
    const inside = await savedBy(bound, { project: "open" });
    assert.equal((await evaluated(await watchedBy(bound, inside))).value, 1);
  });

  test("an alert sees at most the rows of its query's author and of its author", async () => {
    assert.equal((await evaluated(await watchedBy(owner, await savedBy(credential)))).value, 2);
    assert.equal((await evaluated(await watchedBy(credential, await savedBy(owner)))).value, 2);
  });

  test("a person who changes the query of another's alert reads nothing with the other's permissions", async () => {
    const query = await savedBy(owner);
    const id = await watchedBy(owner, query);
    assert.equal((await evaluated(id)).value, 3);
    const sql = "select count(*) as n from logs where true";
    const changed = await world.call("PATCH", `/v1/query/saved/${query}`, { token: credential, body: { sql } });
    assert.equal(changed.status, 200, changed.text);
    assert.equal((await again(id)).value, 2);
  });

  test("a person who changes the destination of another's alert gets nothing with the other's permissions", async () => {
    const id = await watchedBy(owner, await savedBy(owner));
    assert.equal((await evaluated(id)).value, 3);
    const body = { url: `${receiver.url}&to=another` };
    assert.equal((await world.call("PATCH", `${PATH}/${id}`, { token: credential, body })).status, 200);
    assert.equal((await again(id)).value, 2);
  });

  test("an alert stops when its author leaves the organization or can't see its project any more", async () => {
    const leaver = await world.join(world.acme, "leaver@acme.example", "developer");
    const token = world.person(world.acme, leaver);
    const gone = await watchedBy(token, await savedBy(token));
    const project = await world.call("POST", "/v1/projects", { token: owner, body: { slug: "hidden-later" } });
    const hidden = await watchedBy(credential, await savedBy(credential, { project: "hidden-later" }));
    assert.deepEqual([(await evaluated(gone)).state, (await evaluated(hidden)).state], ["firing", "firing"]);

    assert.equal((await world.call("DELETE", `/v1/members/${leaver}`, { token: owner })).status, 204);
    const path = `/v1/projects/${String(project.json["id"])}`;
    const hide = await world.call("PATCH", path, { token: owner, body: { visibility: "private" } });
    assert.equal(hide.status, 200, hide.text);
    for (const [id, code] of [
      [gone, "author_gone"],
      [hidden, "author_lost_rights"],
    ] as const) {
      const seen = await again(id);
      assert.deepEqual([seen.state, seen.value, seen.error?.code], ["stopped", null, code]);
    }
  });
});
