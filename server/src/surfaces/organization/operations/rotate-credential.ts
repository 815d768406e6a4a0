import type { ORGANIZATION_ROUTES } from "@mooring/contract";
import { answering } from "#domain/idempotency/index.ts";
import type { MadeCredential } from "#domain/identity/index.ts";
import type { Operation } from "#http/index.ts";
import type { OrganizationSurfaceDeps } from "../index.ts";
import { credentialBody } from "../model.ts";
import { actingOf } from "../resources.ts";

export function rotateCredential(
  deps: OrganizationSurfaceDeps,
): Operation<typeof ORGANIZATION_ROUTES.rotateCredential> {
  return async ({ params, body }, context) => {
    const overlap = body.overlap_seconds === undefined ? {} : { overlapS: body.overlap_seconds };
    void context.reply.header("cache-control", "no-store");
    return answering(
      ({ credential, clientSecret }: MadeCredential) => ({
        ...credentialBody(credential),
        client_secret: clientSecret,
      }),
      () => deps.identity.credentials.rotate(actingOf(context), params.credential_id, overlap),
    );
  };
}
