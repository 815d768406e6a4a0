import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { PROJECT_ROLE_SCOPES } from "@mooring/contract";
import { createProject, SYSTEM } from "#domain/organizations/index.ts";
import { openMail } from "#stores/mail/index.ts";
import { startSmtp, type SmtpServer } from "../../../../tests/fixtures/smtp-server.ts";
import { deps, fresh } from "./testing/requests.ts";
import { assertProblem } from "./testing/suite.ts";
import { createWorld, type Answer, type World } from "./testing/world.ts";

/** Owners see what a private project is, and enter it only by an act that its maintainers see. */
describe("an owner and a private project", () => {
  let smtp: SmtpServer;
  let world: World;
  let owner: string;
  let admin: string;
  let slug: string;
  let projectId: string;

  before(async () => {
    smtp = await startSmtp();
    const mail = openMail({ url: `smtp://127.0.0.1:${smtp.port}`, from: "noreply@example.com" });
    world = await createWorld({ mail });
    owner = world.person(world.acme, world.acme.people.owner);
    admin = world.person(world.acme, world.acme.people.admin);
    slug = fresh("of-admin");
    const input = { slug, visibility: "private", maintainer: world.acme.people.admin } as const;
    projectId = (await createProject(deps(world), SYSTEM, world.acme.id, input)).id;
  });
  after(async () => {
    await world.close();
    await smtp.close();
  });

  const ask = (method: string, path: string, token: string, body?: unknown): Promise<Answer> =>
    world.call(method, path, { token, ...(body === undefined ? {} : { body }) });
  async function done(method: string, path: string, token: string, body?: unknown): Promise<Record<string, unknown>> {
    const answer = await ask(method, path, token, body);
    assert.ok(answer.status < 300, answer.text);
    return answer.json;
  }
  const slugs = async (path: string, token: string): Promise<string[]> =>
    ((await done("GET", path, token))["items"] as { slug: string }[]).map((item) => item.slug);

  test("sees its name, size, members and credentials, and revokes there, but sees none of its content", async () => {
    assert.ok((await slugs("/v1/projects", owner)).includes(slug));
    const size = await done("GET", `/v1/projects/${slug}/size`, owner);
    assert.deepEqual([size["members"], size["apps"], size["files_bytes"]], [1, 0, 0]);
    await done("GET", `/v1/projects/${slug}/members`, owner);
    const made = await done("POST", "/v1/credentials", admin, {
      name: "deploys",
      project: slug,
      scopes: ["apps:read"],
    });
    const listed = (await done("GET", `/v1/credentials?project=${slug}`, owner))["items"] as { id: string }[];
    assert.deepEqual([listed.length, listed[0]?.id], [1, made["id"]]);
    const path = `/v1/credentials/${String(made["id"])}`;
    await done("GET", path, owner);
    for (const [method, at, body] of [
      ["POST", `${path}/rotate`, {}],
      ["POST", `${path}/adopt`, undefined],
      ["PATCH", path, { name: "x" }],
      ["GET", `/v1/apps?project=${slug}`, undefined],
      ["PATCH", `/v1/projects/${slug}`, { name: "x" }],
      ["DELETE", `/v1/projects/${slug}`, undefined],
      ["PUT", `/v1/projects/${slug}/members/${world.acme.people.owner}`, { role: "maintainer" }],
    ] as const)
      assertProblem(await ask(method, at, owner, body), "not_found");
    await done("DELETE", path, owner);
    const me = (await done("GET", "/v1/me", owner))["projects"] as { slug: string }[];
    assert.ok(!me.some((project) => project.slug === slug), "their own list has only the projects that they are in");
    const viewer = world.person(world.acme, world.acme.people.viewer);
    assert.ok(!(await slugs("/v1/projects", viewer)).includes(slug));
  });

  test("enters it for a time, with a reason in the audit log and a mail to its maintainers", async () => {
    const path = `/v1/projects/${slug}/enter`;
    assertProblem(await ask("POST", path, owner, { reason: "" }), "invalid_body");
    assertProblem(await ask("POST", path, owner, { reason: "x", expires_at: "2199-01-01T00:00:00Z" }), "invalid_body");
    assertProblem(await ask("POST", path, admin, { reason: "x" }), "forbidden");
    const entered = await done("POST", path, owner, { reason: "An audit" });
    const end = Date.parse(String(entered["expires_at"]));
    assert.ok(end > world.clock.nowMs() && end <= world.clock.nowMs() + 86_400_000);
    await done("PATCH", `/v1/projects/${slug}`, owner, { name: "Seen" });
    await done("GET", `/v1/apps?project=${slug}`, owner);
    const [message = assert.fail()] = smtp.received;
    assert.deepEqual(message.to, [`admin@${world.acme.slug}.example`]);
    assert.match(message.text, /An audit/);
    const audit = (await done("GET", "/v1/audit?action=project.enter", owner))["items"] as {
      detail: { reason: string };
    }[];
    assert.equal(audit[0]?.detail.reason, "An audit");
    const members = (await done("GET", `/v1/projects/${slug}/members`, admin))["items"] as {
      user_id: string;
      entered: { reason: string } | null;
    }[];
    const entries = members.map(({ user_id: id, entered: entry }) => [id, entry?.reason ?? null] as const);
    const { owner: ownerId, admin: adminId } = world.acme.people;
    assert.deepEqual(new Map(entries), new Map([[ownerId, "An audit"] as const, [adminId, null] as const]));
    assertProblem(await ask("POST", path, owner, { reason: "again" }), "conflict");
  });

  test("cannot stay longer than the entry, by themselves, a credential or a group, until a maintainer lets them", async () => {
    const own = `/v1/projects/${slug}/members/${world.acme.people.owner}`;
    const forever = { role: "maintainer", expires_at: null };
    const { token } = await world.credential({ by: "owner", projectId, scopes: PROJECT_ROLE_SCOPES.maintainer });
    for (const by of [owner, token]) {
      const longer = await ask("PUT", own, by, forever);
      assertProblem(longer, "forbidden");
      assert.match(longer.text, /membership ends on/);
      assertProblem(await ask("PATCH", `/v1/projects/${slug}`, by, { visibility: "organization" }), "forbidden");
    }
    const group = fresh("stay");
    await done("POST", "/v1/groups", owner, { slug: group });
    assertProblem(await ask("PUT", `/v1/projects/${slug}/groups/${group}`, owner, forever), "forbidden");
    const lowered = await done("PUT", own, owner, { role: "writer" });
    assert.notEqual(lowered["entered"], null, "their own change leaves the notice");
    assert.equal((await done("PUT", own, admin, forever))["entered"], null);
  });
});
