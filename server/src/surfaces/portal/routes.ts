import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { DISCOVERY_ROUTES, PORTAL_ROUTES } from "@mooring/contract";
import { mountRoutes } from "#http/index.ts";
import { Problem } from "#kernel/problem.ts";
import type { PortalSurfaceDeps } from "./deps.ts";
import * as instance from "./operations/instance.ts";
import { sendTestMail } from "./operations/instance.ts";
import * as invitations from "./operations/invitations.ts";
import { beginInvitationWithOidc } from "./operations/invitations.ts";
import * as session from "./operations/session.ts";
import * as passkeys from "./operations/passkeys.ts";
import * as signIn from "./operations/sign-in.ts";
import { beginPasskeySignIn } from "./operations/sign-in.ts";
import * as secondFactors from "./operations/second-factors.ts";
import * as account from "./operations/account.ts";
import { changeEmail, requestVerification } from "./operations/account.ts";
import * as backups from "./operations/backups.ts";
import * as restores from "./operations/restores.ts";
import * as organizations from "./operations/organizations.ts";
import * as personalAccessTokens from "./operations/personal-access-tokens.ts";
import * as sessions from "./operations/sessions.ts";
import { getAddresses } from "./operations/addresses.ts";
import * as logins from "./operations/logins.ts";
import * as jobs from "./operations/jobs.ts";
import * as operators from "./operations/operators.ts";
import * as signingKeys from "./operations/signing-keys.ts";
import { openSetUp, setUp } from "./operations/set-up.ts";
import { signInWithOidc } from "./operations/sign-in-with-oidc.ts";
import * as identities from "./operations/identities.ts";
import * as passwordReset from "./operations/password-reset.ts";
import { openReset, requestReset, resetPassword } from "./operations/password-reset.ts";
import * as accounts from "./operations/accounts.ts";
import { createPages, NOTICES_PATH, PAGE_PATHS, type Page } from "./pages.ts";

/** Every row of the contract, the redirects of single sign-on, and the pages. */
export function mountPortal(app: FastifyInstance, deps: PortalSurfaceDeps): void {
  mountRoutes(
    app,
    deps,
    { ...PORTAL_ROUTES, getAddresses: DISCOVERY_ROUTES.getAddresses },
    {
      getAddresses,
      ...instance,
      ...invitations,
      ...session,
      ...passkeys,
      ...signIn,
      ...secondFactors,
      ...account,
      ...backups,
      ...restores,
      ...organizations,
      ...personalAccessTokens,
      ...sessions,
      ...logins,
      ...jobs,
      ...operators,
      ...signingKeys,
      ...identities,
      ...passwordReset,
      ...accounts,
      // These count attempts, so they have a state.
      changeEmail: changeEmail(deps),
      requestVerification: requestVerification(deps),
      sendTestMail: sendTestMail(deps),
      beginInvitationWithOidc: beginInvitationWithOidc(deps),
      requestReset: requestReset(deps),
      openReset: openReset(deps),
      resetPassword: resetPassword(deps),
      openSetUp: openSetUp(deps),
      setUp: setUp(deps),
      beginPasskeySignIn: beginPasskeySignIn(deps),
    },
  );
  const oidc = signInWithOidc(deps);
  app.get("/api/sign-in/oidc", (request, reply) => oidc.begin({ request, reply }));
  app.get("/api/sign-in/oidc/callback", (request, reply) => oidc.finish({ request, reply }));
  mountPages(app, deps);
}

/** Mounts the pages, which are public, since they contain no data. */
function mountPages(app: FastifyInstance, deps: PortalSurfaceDeps): void {
  const pages = createPages(deps.portalDir ?? undefined);
  for (const path of PAGE_PATHS)
    app.get(path, async (request, reply) => sendPage(request, reply, await pages.document()));
  for (const path of ["/portal/assets/*", "/favicon.svg", NOTICES_PATH])
    app.get(path, async (request, reply) => {
      const name = new URL(request.url, "http://portal").pathname.slice(1);
      const page = await pages.asset(name, request.headers["accept-encoding"] ?? "");
      if (page === undefined) throw new Problem("not_found", "There is nothing at this address.");
      return sendPage(request, reply, page);
    });
}

function sendPage(request: FastifyRequest, reply: FastifyReply, { headers, body, etag }: Page): FastifyReply {
  void reply.headers(headers);
  if (etag === undefined) return reply.send(body);
  void reply.header("etag", etag);
  return request.headers["if-none-match"] === etag ? reply.code(304).send() : reply.send(body);
}
