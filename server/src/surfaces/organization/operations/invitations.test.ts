import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { ORGANIZATION_ROUTES } from "@mooring/contract";
import { invite, SYSTEM } from "#domain/organizations/index.ts";
import { newSecret } from "#kernel/secrets.ts";
import { systemClock } from "#kernel/time.ts";
import { openMail } from "#stores/mail/index.ts";
import { decodedMail, startSmtp, type SmtpServer } from "../../../../../tests/fixtures/smtp-server.ts";
import { boundToken, deps, fresh, joinOtherwise, newInvitation, pair } from "../testing/requests.ts";
import { testOperation, type Ask } from "../testing/suite.ts";
import { createWorld, PASSWORD, type World } from "../testing/world.ts";

testOperation(ORGANIZATION_ROUTES.listInvitations, {
  ask: () => ({ path: "/v1/invitations" }),
  problems: {
    forbidden: async (world) => ({
      path: "/v1/invitations",
      token: await boundToken(world),
    }),
  },
});

testOperation(ORGANIZATION_ROUTES.createInvitation, {
  ask: () => ({ path: "/v1/invitations", body: { email: `${fresh("invited")}@example.org`, role: "developer" } }),
  problems: {
    forbidden: async (world) => ({
      path: "/v1/invitations",
      body: { email: "boss@example.org", role: "owner" },
      token: world.person(world.acme, world.acme.people.admin),
    }),
    conflict: async ({ acme }) => ({
      path: "/v1/invitations",
      body: { email: `viewer@${acme.slug}.example`, role: "viewer" },
    }),
  },
});

const pathOf = (id: string): string => `/v1/invitations/${id}/renew`;

testOperation(ORGANIZATION_ROUTES.renewInvitation, {
  ask: async (world) => ({ path: pathOf((await newInvitation(world)).id), body: {} }),
  hidden: async (world) => [
    pair((await newInvitation(world, world.rival)).id, (name) => ({ path: pathOf(name), body: {} })),
  ],
  problems: {
    forbidden: async (world) => {
      const input = { email: `${fresh("boss")}@a.example`, role: "owner" } as const;
      const { invitation } = await invite(deps(world), SYSTEM, world.acme.id, input);
      const token = world.person(world.acme, world.acme.people.admin);
      return { path: pathOf(invitation.id), body: {}, token };
    },
    conflict: async (world) => {
      const { id, token } = await newInvitation(world);
      await world.call("POST", "/v1/invitations/accept", { body: { token, name: "Guest", password: PASSWORD } });
      return { path: pathOf(id), body: {} };
    },
  },
});

describe("links by e-mail", () => {
  let smtp: SmtpServer;
  let world: World;
  let token: string;

  before(async () => {
    smtp = await startSmtp();
    const mail = openMail({ url: `smtp://127.0.0.1:${smtp.port}`, from: "noreply@example.com" });
    world = await createWorld({ mail });
    token = await world.token();
  });

  after(async () => {
    await world.close();
    await smtp.close();
  });

  const create = (body: object) => world.call("POST", "/v1/invitations", { token, body: { role: "viewer", ...body } });
  const accept = (link: unknown) => {
    const body = { token: String(link).split("#")[1], name: "Guest", password: PASSWORD };
    return world.call("POST", "/v1/invitations/accept", { body });
  };

  test("a new invitation is mailed to the person, and the list shows that", async () => {
    const made = await create({ email: "grace@example.org" });
    const [message = assert.fail()] = smtp.received;
    assert.deepEqual(message.to, ["grace@example.org"]);
    const [mailed] =
      /https:\/\/portal\.example\/invitation#mriv_\w+/.exec(decodedMail(message.text)) ?? assert.fail(message.text);
    assert.notEqual(
      mailed,
      made.json["link"],
      "the inviter's link differs from the mailed link, which verifies the address",
    );
    assert.equal(made.json["email_failure"], null);
    const list = await world.call("GET", "/v1/invitations", { token });
    const [item = assert.fail()] = list.json["items"] as { email_sent_at: string }[];
    assert.ok(Date.parse(item.email_sent_at) <= systemClock.nowMs());
  });

  test("a renewed invitation mails a new link, and the old one ends", async () => {
    const first = await create({ email: "mary@example.org", send_email: false });
    assert.equal(first.json["email_sent_at"], null);
    const second = await world.call("POST", pathOf(String(first.json["id"])), { token, body: {} });
    assert.equal(second.status, 200, second.text);
    assert.deepEqual(smtp.received.at(-1)?.to, ["mary@example.org"]);
    assert.equal((await accept(first.json["link"])).status, 404);
    assert.equal((await accept(second.json["link"])).status, 200);
  });

  test("a refused mail keeps the invitation, and the reason is shown", async () => {
    const refusing = await startSmtp({ misbehave: { recipient: "550 5.1.1 no such user" } });
    const mail = openMail({ url: `smtp://127.0.0.1:${refusing.port}`, from: "noreply@example.com" });
    const other = await createWorld({ mail });
    try {
      const by = { token: await other.token(), body: { email: "typo@example.org", role: "viewer" } };
      const made = await other.call("POST", "/v1/invitations", by);
      assert.equal(made.status, 201, made.text);
      assert.equal(made.json["email_sent_at"], null);
      assert.match(String(made.json["email_failure"]), /does not accept this address: 550 5\.1\.1 no such user/);
      await refusing.close();
      const again = await other.call("POST", pathOf(String(made.json["id"])), { ...by, body: {} });
      assert.match(String(again.json["email_failure"]), /could not be sent/);
      assert.ok(!String(again.json["email_failure"]).includes("127.0.0.1"), "only the operator sets the mail server");
    } finally {
      await other.close();
    }
  });
});

testOperation(ORGANIZATION_ROUTES.revokeInvitation, {
  ask: async (world) => ({ path: `/v1/invitations/${(await newInvitation(world)).id}` }),
  hidden: async (world) => [
    pair((await newInvitation(world, world.rival)).id, (name) => ({ path: `/v1/invitations/${name}` })),
  ],
  problems: {
    forbidden: async (world) => ({
      path: `/v1/invitations/${(await newInvitation(world)).id}`,
      token: await boundToken(world),
    }),
    conflict: async (world) => {
      const { id, token } = await newInvitation(world);
      await world.call("POST", "/v1/invitations/accept", { body: { token, name: "Guest", password: PASSWORD } });
      return { path: `/v1/invitations/${id}` };
    },
  },
});

testOperation(ORGANIZATION_ROUTES.acceptInvitation, {
  ask: async (world) => ({
    path: "/v1/invitations/accept",
    body: { token: (await newInvitation(world)).token, name: "Guest", password: PASSWORD },
  }),
  problems: {
    not_found: async () => ({
      path: "/v1/invitations/accept",
      body: { token: newSecret("mriv"), name: "x", password: PASSWORD },
    }),
    forbidden: async (world) => {
      const { token } = await invite(deps(world), SYSTEM, world.acme.id, {
        email: `viewer@${world.rival.slug}.example`,
        role: "viewer",
      });
      return { path: "/v1/invitations/accept", body: { token, password: "not the password" } };
    },
    conflict: async (world) => {
      const email = `${fresh("twice")}@example.org`;
      const { token } = await invite(deps(world), SYSTEM, world.acme.id, { email, role: "viewer" });
      await joinOtherwise(world, email);
      return { path: "/v1/invitations/accept", body: { token, password: PASSWORD } };
    },
    organization_read_only: (world) => invitedTo(world, "read_only"),
    organization_blocked: (world) => invitedTo(world, "blocked"),
    rate_limited: async (world) => {
      const path = "/v1/invitations/accept";
      const body = { token: "mriv_unknown", name: "x", password: PASSWORD };
      for (let i = 0; i < 10; i++) await world.call("POST", path, { body });
      return { path, body };
    },
  },
});

/** Returns a request that accepts an invitation to another organization, which was suspended since. */
async function invitedTo(world: World, state: "read_only" | "blocked"): Promise<Ask> {
  const tenant = await world.tenant(fresh("suspended"));
  const { token } = await newInvitation(world, tenant);
  await world.suspend(state, tenant);
  return { path: "/v1/invitations/accept", body: { token, name: "Guest", password: PASSWORD } };
}

test("invalid links do not stop somebody at the same address from using a valid one", async () => {
  const world = await createWorld();
  const path = "/v1/invitations/accept";
  const wrong = { token: newSecret("mriv"), name: "x", password: PASSWORD };
  const other = () => ({ ...wrong, token: newSecret("mriv") });
  const statuses: number[] = [];
  for (let i = 0; i < 11; i++) statuses.push((await world.call("POST", path, { body: other() })).status);
  assert.deepEqual(statuses, [...Array.from({ length: 10 }, () => 404), 429]);
  const body = { token: (await newInvitation(world)).token, name: "Guest", password: PASSWORD };
  assert.equal((await world.call("POST", path, { body })).status, 200);
  await world.close();
});
