import { REGISTRY_API_ROUTES } from "@mooring/contract";
import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import { useOrganization } from "~/app/scope.ts";
import type { Manifest } from "./images.ts";

/** Reads the parts of an image. A manifest read by its digest is cached, because only its referrers can change. */
export function useManifest(app: string, reference: string): UseQueryResult<Manifest> {
  const { client, slug } = useOrganization();
  return useQuery({
    queryKey: [slug, REGISTRY_API_ROUTES.getImageManifest.operationId, app, reference],
    queryFn: ({ signal }) =>
      client.call(REGISTRY_API_ROUTES.getImageManifest, {
        params: { app_id: app, reference },
        purpose: "read the image",
        signal,
      }),
    staleTime: reference.includes(":") ? 60_000 : 5_000,
  });
}
