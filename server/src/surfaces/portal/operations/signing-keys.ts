import type { PortalOperation } from "../deps.ts";

/** Publishes the next signing key, or returns the one that is already published. */
export const rotateSigningKey: PortalOperation<"rotateSigningKey"> = async (deps, _input, { operator }) => {
  const { alg } = deps.identity.keys.signer();
  const keys = await deps.identity.keys.rotate(operator.actor);
  const next = keys.find((key) => key.state === "next" && key.alg === alg);
  if (next === undefined) throw new Error("a rotation made no next key");
  return { kid: next.kid };
};

/** Retires a key: from now on no node accepts its signatures. */
export const retireSigningKey: PortalOperation<"retireSigningKey"> = (deps, { params }, { operator }) =>
  deps.identity.retireKeyNow(params.kid, operator.actor);
