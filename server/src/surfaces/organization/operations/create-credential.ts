import type { ORGANIZATION_ROUTES } from "@mooring/contract";
import { answering } from "#domain/idempotency/index.ts";
import type { MadeCredential } from "#domain/identity/index.ts";
import type { Operation } from "#http/index.ts";
import { msFromIso } from "#kernel/time.ts";
import type { OrganizationSurfaceDeps } from "../index.ts";
import { credentialBody } from "../model.ts";
import { actingOf, projectFor } from "../resources.ts";

export function createCredential(
  deps: OrganizationSurfaceDeps,
): Operation<typeof ORGANIZATION_ROUTES.createCredential> {
  return async ({ body }, context) => {
    const named = body.project ?? null;
    const project = named === null ? null : await projectFor(deps, context.principal, named, "credentials:write");
    const input = {
      projectId: project?.id ?? null,
      name: body.name,
      scopes: body.scopes,
      expiresAtMs: body.expires_at === undefined || body.expires_at === null ? null : msFromIso(body.expires_at),
      allowedAddresses: body.allowed_addresses ?? null,
    };
    void context.reply.header("cache-control", "no-store");
    const { credentials } = deps.identity;
    return answering(
      ({ credential, clientSecret }: MadeCredential) => ({
        ...credentialBody(credential),
        client_secret: clientSecret,
      }),
      () =>
        body.without_secret === true
          ? credentials.createWithoutSecret(actingOf(context), input)
          : credentials.create(actingOf(context), input),
    );
  };
}
