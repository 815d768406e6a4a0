import type { REGISTRY_API_ROUTES } from "@mooring/contract";
import { absent } from "#domain/organizations/index.ts";
import { deleteReference, isTag, parseDigest, RegistryError } from "#domain/registry/index.ts";
import type { Operation } from "#http/index.ts";
import { Problem } from "#kernel/problem.ts";
import type { ImagesSurfaceDeps } from "../deps.ts";
import { callerOf, repositoryFor } from "../model.ts";

export function deleteImageManifest(
  deps: ImagesSurfaceDeps,
): Operation<typeof REGISTRY_API_ROUTES.deleteImageManifest> {
  return async ({ params }, context) => {
    const { app_id, reference } = params;
    const repository = await repositoryFor(deps, context.principal, app_id, "registry:delete");
    if (!isTag(reference) && parseDigest(reference) === undefined) throw absent();
    await deleteReference(deps, callerOf(context), repository, reference).catch((error: unknown) => {
      throw error instanceof RegistryError ? problemOf(error, reference) : error;
    });
    return undefined;
  };
}

/** The registry's refusals in the words of this API. */
function problemOf(error: RegistryError, reference: string): Problem | RegistryError {
  if (error.code === "MANIFEST_UNKNOWN") return absent();
  if (error.code === "DENIED") {
    const what = isTag(reference) ? `The tag ${reference}` : "A tag of this image";
    return new Problem("conflict", `${what} is immutable; change the repository's immutable_tags first.`);
  }
  if (error.code !== "UNSUPPORTED") return error;
  return new Problem("conflict", "An index of this repository needs the image; delete the index first.");
}
