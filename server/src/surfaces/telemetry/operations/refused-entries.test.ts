import assert from "node:assert/strict";
import { test } from "node:test";
import { TELEMETRY_SETTINGS_ROUTES } from "@mooring/contract";
import { RefusedEntries } from "#domain/refused-entries/index.ts";
import { trustedClock } from "#kernel/testing.ts";
import { Schedule } from "#stores/jobs/index.ts";
import { testOperation } from "../../organization/testing/suite.ts";
import { sharedWorld, type World } from "../../organization/testing/world.ts";
import { hiddenProjects } from "../testing/rules.ts";
import { withTelemetry } from "../testing/settings.ts";

const PATH = "/v1/telemetry/refused";
const WORLD = { ...withTelemetry(), isShared: true } as const;

testOperation(
  TELEMETRY_SETTINGS_ROUTES.listRefusedEntries,
  {
    ask: () => ({ path: PATH }),
    hidden: (world) => hiddenProjects(world, (project) => ({ path: `${PATH}?project=${project}` })),
  },
  WORLD,
);

interface Item {
  readonly project_id: string | null;
  readonly reason: string;
  readonly entries: number;
  readonly requests: number;
  readonly samples: readonly { readonly detail: string }[];
}

async function itemsFor(world: World, token: string, query = ""): Promise<readonly Item[]> {
  const answer = await world.call("GET", `${PATH}${query}`, { token });
  assert.equal(answer.status, 200, answer.text);
  return answer.json["items"] as Item[];
}

test("counts add up over hours and servers, and only readers of a project see its senders", async () => {
  const world = await sharedWorld(WORLD);
  const { acme, rival, metadata } = world;
  const clock = { now: world.clock.nowMs(), nowMs: () => clock.now };
  const node = (): RefusedEntries =>
    new RefusedEntries({
      metadata,
      clock: trustedClock(clock),
      log: { warn: () => {} },
      schedule: new Schedule(clock),
    });
  const [one, two] = [node(), node()];
  const add = (to: RefusedEntries, orgId: string, projectId: string | null, detail: string): void =>
    to.add({
      orgId,
      projectId,
      sender: { kind: "credential", id: "crd_counted" },
      protocol: "ingest",
      type: "logs",
      refused: [{ reason: "too_old", entries: 2, samples: [{ pointer: "", detail, entry: null }] }],
    });
  clock.now -= 3_600_000;
  add(one, acme.id, acme.open.id, "first");
  await one.flush();
  clock.now += 3_600_000;
  add(one, acme.id, acme.open.id, "second");
  add(two, acme.id, acme.open.id, "third");
  add(two, acme.id, acme.closed.id, "closed");
  add(two, acme.id, null, "none");
  add(two, rival.id, null, "rival");
  await one.stop();
  await two.stop();
  const all = await itemsFor(world, world.person(acme, acme.people.admin), "?sender=crd_counted");
  const open = all.find(({ project_id: id }) => id === acme.open.id);
  assert.deepEqual([open?.entries, open?.requests, open?.samples[0]?.detail], [6, 3, "third"]);
  assert.ok(all.some(({ project_id: id }) => id === null));
  assert.ok(!JSON.stringify(all).includes("rival"));
  assert.ok(!JSON.stringify(all).includes('"closed"'), "an admin is not in the private project of the owner");
  const [lastHour] = await itemsFor(world, world.person(acme, acme.people.admin), `?hours=1&project=${acme.open.id}`);
  assert.deepEqual([lastHour?.entries, lastHour?.requests], [4, 2]);
  assert.deepEqual(await itemsFor(world, world.person(acme, acme.people.admin), "?reason=quota"), []);
});

test("counts that can't be written are written later, once", async () => {
  const world = await sharedWorld(WORLD);
  const { acme, clock } = world;
  let isDown = true;
  const metadata = {
    ...world.metadata,
    write: ((work: never) =>
      isDown ? Promise.reject(new Error("down")) : world.metadata.write(work)) as typeof world.metadata.write,
  };
  const schedule = new Schedule(clock);
  const counter = new RefusedEntries({ metadata, clock: trustedClock(clock), log: { warn: () => {} }, schedule });
  const sender = { kind: "credential", id: "crd_later" };
  counter.add({
    orgId: acme.id,
    projectId: null,
    sender,
    protocol: "syslog",
    type: "logs",
    refused: [{ reason: "bad_value", entries: 3, samples: [] }],
  });
  await assert.rejects(counter.flush(), /down/);
  isDown = false;
  await counter.flush();
  await counter.stop();
  const [item] = await itemsFor(world, world.person(acme, acme.people.admin), "?sender=crd_later");
  assert.deepEqual([item?.entries, item?.requests], [3, 1]);
});
