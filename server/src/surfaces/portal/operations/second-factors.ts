import type { PORTAL_ROUTES } from "@mooring/contract";
import {
  beginTotp as begin,
  confirmTotp as confirm,
  createRecoveryCodes as create,
  deleteTotp as turnOff,
} from "#domain/people/index.ts";
import type { Operation } from "#http/index.ts";
import type { PortalSurfaceDeps } from "../deps.ts";
import { originOf } from "../origin.ts";

export function beginTotp(deps: PortalSurfaceDeps): Operation<typeof PORTAL_ROUTES.beginTotp> {
  return (_input, { session, reply }) => {
    void reply.header("cache-control", "no-store");
    return begin(deps.people, session);
  };
}

export function confirmTotp(deps: PortalSurfaceDeps): Operation<typeof PORTAL_ROUTES.confirmTotp> {
  return async ({ body }, context) => {
    void context.reply.header("cache-control", "no-store");
    return { recovery_codes: await confirm(deps.people, context.session, body.code, originOf(context)) };
  };
}

export function deleteTotp(deps: PortalSurfaceDeps): Operation<typeof PORTAL_ROUTES.deleteTotp> {
  return async (_input, context) => {
    await turnOff(deps.people, context.session, originOf(context));
  };
}

export function createRecoveryCodes(deps: PortalSurfaceDeps): Operation<typeof PORTAL_ROUTES.createRecoveryCodes> {
  return async (_input, context) => {
    void context.reply.header("cache-control", "no-store");
    return { recovery_codes: await create(deps.people, context.session, originOf(context)) };
  };
}
