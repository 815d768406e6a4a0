import {
  beginPasskey as begin,
  createPasskey as create,
  deletePasskey as remove,
  passkeysOf,
  renamePasskey,
} from "#domain/people/index.ts";
import type { PortalOperation } from "../deps.ts";
import { passkeyBody } from "../model.ts";
import { originOf } from "../origin.ts";

export const listPasskeys: PortalOperation<"listPasskeys"> = async (deps, _input, { session }) => ({
  items: (await passkeysOf(deps.people.metadata.read, session.userId)).map(passkeyBody),
});

export const beginPasskey: PortalOperation<"beginPasskey"> = (deps, _input, { session, request, reply }) => {
  void reply.header("cache-control", "no-store");
  return begin(deps.people, session, request.headers.host);
};

export const createPasskey: PortalOperation<"createPasskey"> = async (deps, { body }, context) =>
  passkeyBody(await create(deps.people, context.session, body, originOf(context)));

export const updatePasskey: PortalOperation<"updatePasskey"> = async (deps, { params, body }, context) =>
  passkeyBody(
    await renamePasskey(deps.people, context.session, { id: params.passkey_id, name: body.name }, originOf(context)),
  );

export const deletePasskey: PortalOperation<"deletePasskey"> = async (deps, { params }, context) => {
  await remove(deps.people, context.session, params.passkey_id, originOf(context));
};
