import assert from "node:assert/strict";
import { test } from "node:test";
import { ORGANIZATION_ROUTES } from "@mooring/contract";
import { invite, SYSTEM } from "#domain/organizations/index.ts";
import { newSecret } from "#kernel/secrets.ts";
import { deps, fresh, joinOtherwise, newInvitation } from "../testing/requests.ts";
import { testOperation } from "../testing/suite.ts";
import { createWorld, PASSWORD } from "../testing/world.ts";

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
        email: "viewer@rival.example",
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
    rate_limited: async (world) => {
      const path = "/v1/invitations/accept";
      const body = { token: "mriv_unknown", name: "x", password: PASSWORD };
      for (let i = 0; i < 10; i++) await world.call("POST", path, { body });
      return { path, body };
    },
  },
});

test("links that are none keep nobody at the address from a right one", async () => {
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
