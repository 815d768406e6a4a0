import {
  beginTotp as begin,
  confirmTotp as confirm,
  createRecoveryCodes as create,
  deleteTotp as turnOff,
} from "#domain/people/index.ts";
import type { PortalOperation } from "../deps.ts";
import { originOf } from "../origin.ts";

export const beginTotp: PortalOperation<"beginTotp"> = (deps, _input, { session, reply }) => {
  void reply.header("cache-control", "no-store");
  return begin(deps.people, session);
};

export const confirmTotp: PortalOperation<"confirmTotp"> = async (deps, { body }, context) => {
  void context.reply.header("cache-control", "no-store");
  return { recovery_codes: await confirm(deps.people, context.session, body.code, originOf(context)) };
};

export const deleteTotp: PortalOperation<"deleteTotp"> = async (deps, _input, context) => {
  await turnOff(deps.people, context.session, originOf(context));
};

export const createRecoveryCodes: PortalOperation<"createRecoveryCodes"> = async (deps, _input, context) => {
  void context.reply.header("cache-control", "no-store");
  return { recovery_codes: await create(deps.people, context.session, originOf(context)) };
};
