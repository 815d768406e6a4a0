import { REGISTRY_API_ROUTES } from "@mooring/contract";
import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import { useOrganization } from "~/app/scope.ts";
import type { Manifest } from "./images.ts";

const AT_ONCE = 4;
let running = 0;
const waiting: (() => void)[] = [];

/** A list of tags asks for as many manifests as it has rows: a few at a time. */
async function inTurn<R>(run: () => Promise<R>): Promise<R> {
  if (running >= AT_ONCE) await new Promise<void>((resolve) => waiting.push(resolve));
  running++;
  try {
    return await run();
  } finally {
    running--;
    waiting.shift()?.();
  }
}

/** What an image is made of. By its digest it is kept: what a digest names never changes, but for what refers to it. */
export function useManifest(app: string, reference: string, { enabled = true } = {}): UseQueryResult<Manifest> {
  const { client, slug } = useOrganization();
  return useQuery({
    queryKey: [slug, REGISTRY_API_ROUTES.getImageManifest.operationId, app, reference],
    queryFn: ({ signal }) =>
      inTurn(() =>
        client.call(REGISTRY_API_ROUTES.getImageManifest, {
          params: { app_id: app, reference },
          purpose: "read the image",
          signal,
        }),
      ),
    staleTime: reference.includes(":") ? 60_000 : 5_000,
    enabled,
  });
}
