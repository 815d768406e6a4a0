import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { DISCOVERY_ROUTES, PORTAL_ROUTES } from "@mooring/contract";
import { mountRoute } from "#http/index.ts";
import { Problem } from "#kernel/problem.ts";
import type { PortalSurfaceDeps } from "./deps.ts";
import { acceptClock, getInstance, sendTestMail } from "./operations/instance.ts";
import { acceptInvitationSignedIn, beginInvitationWithOidc } from "./operations/invitations.ts";
import { beginConfirmation, confirmSession, createSessionToken, getSession } from "./operations/session.ts";
import { beginPasskey, createPasskey, deletePasskey, listPasskeys, updatePasskey } from "./operations/passkeys.ts";
import {
  beginPasskeySignIn,
  getSignInMethods,
  signInWithPasskey,
  signInWithPassword,
  signInWithRecoveryCode,
  signInWithTotp,
  signOut,
} from "./operations/sign-in.ts";
import { beginTotp, confirmTotp, createRecoveryCodes, deleteTotp } from "./operations/second-factors.ts";
import {
  changeEmail,
  changePassword,
  dismissNotice,
  requestVerification,
  updateAccount,
} from "./operations/account.ts";
import { createBackup, deleteBackup, listBackups } from "./operations/backups.ts";
import { createOrganization, listOrganizations } from "./operations/organizations.ts";
import {
  createPersonalAccessToken,
  deletePersonalAccessToken,
  listPersonalAccessTokens,
} from "./operations/personal-access-tokens.ts";
import { deleteOtherSessions, deleteSession, listSessions } from "./operations/sessions.ts";
import { getAddresses } from "./operations/addresses.ts";
import { listJobs, runJob } from "./operations/jobs.ts";
import { retireSigningKey, rotateSigningKey } from "./operations/signing-keys.ts";
import { openSetUp, setUp } from "./operations/set-up.ts";
import { signInWithOidc } from "./operations/sign-in-with-oidc.ts";
import { beginIdentityLink, deleteIdentity } from "./operations/identities.ts";
import { createResetLink, openReset, requestReset, resetPassword } from "./operations/password-reset.ts";
import { listAccounts } from "./operations/accounts.ts";
import { createPages, NOTICES_PATH, PAGE_PATHS, type Page } from "./pages.ts";

/** Mounts operations by row, and pages by address. The pages are public, since they contain no data. */
export function mountPortal(app: FastifyInstance, deps: PortalSurfaceDeps): void {
  mountRoute(app, deps.host, DISCOVERY_ROUTES.getAddresses, getAddresses(deps));
  mountSignIn(app, deps);
  mountAccount(app, deps);
  mountInstance(app, deps);
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

function mountSignIn(app: FastifyInstance, deps: PortalSurfaceDeps): void {
  const { host } = deps;
  mountRoute(app, host, PORTAL_ROUTES.openSetUp, openSetUp(deps));
  mountRoute(app, host, PORTAL_ROUTES.requestReset, requestReset(deps));
  mountRoute(app, host, PORTAL_ROUTES.openReset, openReset(deps));
  mountRoute(app, host, PORTAL_ROUTES.resetPassword, resetPassword(deps));
  mountRoute(app, host, PORTAL_ROUTES.dismissNotice, dismissNotice(deps));
  mountRoute(app, host, PORTAL_ROUTES.setUp, setUp(deps));
  mountRoute(app, host, PORTAL_ROUTES.getSignInMethods, getSignInMethods(deps));
  mountRoute(app, host, PORTAL_ROUTES.signInWithPassword, signInWithPassword(deps));
  mountRoute(app, host, PORTAL_ROUTES.signInWithTotp, signInWithTotp(deps));
  mountRoute(app, host, PORTAL_ROUTES.signInWithRecoveryCode, signInWithRecoveryCode(deps));
  mountRoute(app, host, PORTAL_ROUTES.beginPasskeySignIn, beginPasskeySignIn(deps));
  mountRoute(app, host, PORTAL_ROUTES.signInWithPasskey, signInWithPasskey(deps));
  mountRoute(app, host, PORTAL_ROUTES.acceptInvitationSignedIn, acceptInvitationSignedIn(deps));
  mountRoute(app, host, PORTAL_ROUTES.beginInvitationWithOidc, beginInvitationWithOidc(deps));
  mountRoute(app, host, PORTAL_ROUTES.signOut, signOut(deps));
  mountRoute(app, host, PORTAL_ROUTES.getSession, getSession(deps));
  mountRoute(app, host, PORTAL_ROUTES.createSessionToken, createSessionToken(deps));
  mountRoute(app, host, PORTAL_ROUTES.beginConfirmation, beginConfirmation(deps));
  mountRoute(app, host, PORTAL_ROUTES.confirmSession, confirmSession(deps));
  const oidc = signInWithOidc(deps);
  app.get("/api/sign-in/oidc", (request, reply) => oidc.begin({ request, reply }));
  app.get("/api/sign-in/oidc/callback", (request, reply) => oidc.finish({ request, reply }));
}

function mountAccount(app: FastifyInstance, deps: PortalSurfaceDeps): void {
  const { host } = deps;
  mountRoute(app, host, PORTAL_ROUTES.requestVerification, requestVerification(deps));
  mountRoute(app, host, PORTAL_ROUTES.changeEmail, changeEmail(deps));
  mountRoute(app, host, PORTAL_ROUTES.beginIdentityLink, beginIdentityLink(deps));
  mountRoute(app, host, PORTAL_ROUTES.deleteIdentity, deleteIdentity(deps));
  mountRoute(app, host, PORTAL_ROUTES.updateAccount, updateAccount(deps));
  mountRoute(app, host, PORTAL_ROUTES.changePassword, changePassword(deps));
  mountRoute(app, host, PORTAL_ROUTES.beginTotp, beginTotp(deps));
  mountRoute(app, host, PORTAL_ROUTES.confirmTotp, confirmTotp(deps));
  mountRoute(app, host, PORTAL_ROUTES.deleteTotp, deleteTotp(deps));
  mountRoute(app, host, PORTAL_ROUTES.createRecoveryCodes, createRecoveryCodes(deps));
  mountRoute(app, host, PORTAL_ROUTES.listPasskeys, listPasskeys(deps));
  mountRoute(app, host, PORTAL_ROUTES.beginPasskey, beginPasskey(deps));
  mountRoute(app, host, PORTAL_ROUTES.createPasskey, createPasskey(deps));
  mountRoute(app, host, PORTAL_ROUTES.updatePasskey, updatePasskey(deps));
  mountRoute(app, host, PORTAL_ROUTES.deletePasskey, deletePasskey(deps));
  mountRoute(app, host, PORTAL_ROUTES.listSessions, listSessions(deps));
  mountRoute(app, host, PORTAL_ROUTES.deleteSession, deleteSession(deps));
  mountRoute(app, host, PORTAL_ROUTES.deleteOtherSessions, deleteOtherSessions(deps));
  mountRoute(app, host, PORTAL_ROUTES.listPersonalAccessTokens, listPersonalAccessTokens(deps));
  mountRoute(app, host, PORTAL_ROUTES.createPersonalAccessToken, createPersonalAccessToken(deps));
  mountRoute(app, host, PORTAL_ROUTES.deletePersonalAccessToken, deletePersonalAccessToken(deps));
}

function mountInstance(app: FastifyInstance, deps: PortalSurfaceDeps): void {
  const { host } = deps;
  mountRoute(app, host, PORTAL_ROUTES.listAccounts, listAccounts(deps));
  mountRoute(app, host, PORTAL_ROUTES.createResetLink, createResetLink(deps));
  mountRoute(app, host, PORTAL_ROUTES.getInstance, getInstance(deps));
  mountRoute(app, host, PORTAL_ROUTES.acceptClock, acceptClock(deps));
  mountRoute(app, host, PORTAL_ROUTES.sendTestMail, sendTestMail(deps));
  mountRoute(app, host, PORTAL_ROUTES.rotateSigningKey, rotateSigningKey(deps));
  mountRoute(app, host, PORTAL_ROUTES.retireSigningKey, retireSigningKey(deps));
  mountRoute(app, host, PORTAL_ROUTES.listJobs, listJobs(deps));
  mountRoute(app, host, PORTAL_ROUTES.runJob, runJob(deps));
  mountRoute(app, host, PORTAL_ROUTES.listBackups, listBackups(deps));
  mountRoute(app, host, PORTAL_ROUTES.createBackup, createBackup(deps));
  mountRoute(app, host, PORTAL_ROUTES.deleteBackup, deleteBackup(deps));
  mountRoute(app, host, PORTAL_ROUTES.listOrganizations, listOrganizations(deps));
  mountRoute(app, host, PORTAL_ROUTES.createOrganization, createOrganization(deps));
}

function sendPage(request: FastifyRequest, reply: FastifyReply, { headers, body, etag }: Page): FastifyReply {
  void reply.headers(headers);
  if (etag === undefined) return reply.send(body);
  void reply.header("etag", etag);
  return request.headers["if-none-match"] === etag ? reply.code(304).send() : reply.send(body);
}
