import { deleteIdentity as remove } from "#domain/people/index.ts";
import type { PortalOperation } from "../deps.ts";
import { originOf } from "../origin.ts";
import { toProvider } from "../to-provider.ts";

/** When the person comes back from the provider, they must still have this session, with a recent confirmation. */
export const beginIdentityLink: PortalOperation<"beginIdentityLink"> = (deps, _input, context) =>
  toProvider(deps, context, {
    at: "Link it",
    asked: { returnTo: "/account?tab=sign-in", again: true, linksTo: context.session.userId },
  });

export const deleteIdentity: PortalOperation<"deleteIdentity"> = async (deps, _input, context) => {
  await remove(deps.people, context.session, originOf(context));
};
