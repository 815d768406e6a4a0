import { answering } from "#domain/idempotency/index.ts";
import type { ORGANIZATION_ROUTES } from "@mooring/contract";
import { createAccessKey, type MadeAccessKey } from "#domain/s3/index.ts";
import type { Operation } from "#http/index.ts";
import { msFromIso } from "#kernel/time.ts";
import type { OrganizationSurfaceDeps } from "../index.ts";
import { s3KeyBody } from "../model.ts";
import { actingOf, keyDepsOf, projectFor } from "../resources.ts";

export function createS3Key(deps: OrganizationSurfaceDeps): Operation<typeof ORGANIZATION_ROUTES.createS3Key> {
  return async ({ body }, context) => {
    const named = body.project ?? null;
    const project = named === null ? null : await projectFor(deps, context.principal, named, "credentials:write");
    const { name, scopes, buckets, prefix, read_only: readOnly, expires_at: expiresAt } = body;
    const expiresAtMs = expiresAt === undefined || expiresAt === null ? null : msFromIso(expiresAt);
    const projectId = project?.id ?? null;
    const { allowed_addresses: allowedAddresses } = body;
    const input = { name, projectId, scopes, buckets, prefix, readOnly, expiresAtMs, allowedAddresses };
    void context.reply.header("cache-control", "no-store");
    return answering(
      ({ key, secret }: MadeAccessKey) => ({ ...s3KeyBody(key), secret_access_key: secret }),
      () => createAccessKey(keyDepsOf(deps), actingOf(context), input),
    );
  };
}
