import { ORGANIZATION_ROUTES } from "@mooring/contract";
import { boundToken, newInvitation, pair } from "../testing/requests.ts";
import { testOperation } from "../testing/suite.ts";
import { PASSWORD } from "../testing/world.ts";

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
