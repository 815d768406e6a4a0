import type { BodyOf, FILE_ROUTES } from "@mooring/contract";
import { changePolicy, policyOf, policyVersion, type FilePolicy } from "#domain/files/index.ts";
import { requireOrganization } from "#domain/identity/index.ts";
import { callerOf } from "#http/index.ts";
import { Problem } from "#kernel/problem.ts";
import { etagOf as versionOf } from "#kernel/versions.ts";
import type { FileOperation } from "../deps.ts";
import { settingsBody } from "../model.ts";

export const getFileSettings: FileOperation<"getFileSettings"> = async (deps, _input, { principal, reply }) => {
  const policy = await policyOf(deps.metadata.read, principal.orgId);
  void reply.header("etag", versionOf(policyVersion(policy)));
  return { data: settingsBody(policy, deps.settings) };
};

export const updateFileSettings: FileOperation<"updateFileSettings"> = async (deps, { body }, context) => {
  const { principal, request, reply } = context;
  requireOrganization(principal, "org:write");
  const change = changeIn(body);
  const ifMatch = request.headers["if-match"];
  const policy = await changePolicy(deps, callerOf(context), principal.orgId, { change, ifMatch });
  void reply.header("etag", versionOf(policyVersion(policy)));
  return { data: settingsBody(policy, deps.settings) };
};

function changeIn({
  trash_days: trashDays,
  allowed_origins: origins,
}: BodyOf<typeof FILE_ROUTES.updateFileSettings>): Partial<FilePolicy> {
  return {
    ...(trashDays === undefined ? {} : { trashDays }),
    ...(origins === undefined ? {} : { allowedOrigins: exactOrigins(origins).toSorted() }),
  };
}

/** Requires each origin as browsers send it, because the server compares texts. */
function exactOrigins(origins: readonly string[]): readonly string[] {
  const errors = origins.flatMap((text, at) => {
    const { origin } = URL.parse(text) ?? {};
    if (origin === text) return [];
    const detail = origin === undefined ? "is not an origin of a web page" : `is not exact; write ${origin}`;
    return [{ pointer: `/allowed_origins/${at}`, detail }];
  });
  if (errors.length > 0) throw new Problem("invalid_body", "An origin is not written as browsers send it.", { errors });
  return origins;
}
