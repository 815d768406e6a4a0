import { auditInstance } from "#domain/people/index.ts";
import { Problem } from "#kernel/problem.ts";
import type { PortalOperation } from "../deps.ts";
import { originOf } from "../origin.ts";

export const listRestores: PortalOperation<"listRestores"> = async (deps, _input, { reply }) => {
  void reply.header("cache-control", "no-store");
  return {
    items: deps.restores
      .list()
      .map(({ startedAt, endedAt, ...state }) => ({ ...state, started_at: startedAt, ended_at: endedAt })),
  };
};

/** The audit log of the organization gets an entry when the restore ends. */
export const createRestore: PortalOperation<"createRestore"> = async (deps, { body }, context) => {
  const { backup = null, kind, organization = null, name = null, slug = null, credentials = "revoked" } = body;
  const needed = { organization: kind === "file" ? null : organization, name: kind === "organization" ? null : name };
  const errors = [
    ...(kind !== "file" && organization === null ? [{ pointer: "/organization", detail: "is required" }] : []),
    ...(kind !== "organization" && name === null ? [{ pointer: "/name", detail: "is required" }] : []),
  ];
  if (errors.length > 0) throw new Problem("invalid_body", "The part of the backup is not named.", { errors });
  const { id } = deps.restores.begin({ backup, kind, ...needed, slug, credentials });
  const detail = { backup, kind, ...needed, credentials };
  const event = { action: "backup.restore", target: { kind: "restore", id }, detail };
  await auditInstance(deps.people, context.operator, event, originOf(context));
  return { id };
};
