import { sessionTokens } from "@mooring/client";
import { hashKey, useQueryClient, type QueryClient } from "@tanstack/react-query";
import { useSyncExternalStore } from "react";
import { sessionClient } from "~/api/clients.ts";
import { sessionQuery, useSession } from "~/api/session.ts";
import { useOrganization } from "~/app/scope.ts";
import { filesChanged } from "./changed.ts";
import type { UploadView } from "./upload-queue.ts";
import { Uploads } from "./uploads.ts";

const known = new Map<string, Uploads>();
const RELOAD_MS = 1000;
const SESSION_HASH = hashKey(sessionQuery.queryKey);

/** Returns the uploads of the signed-in person in this organization. */
export function useUploads(): Uploads {
  const queries = useQueryClient();
  const { user } = useSession();
  const { slug } = useOrganization();
  return uploadsOf(queries, user.id, slug);
}

/** Returns the progress of the uploads, updated several times a second. */
export function useUploadViews(uploads: Uploads): readonly UploadView[] {
  return useSyncExternalStore(uploads.subscribe, uploads.views);
}

function uploadsOf(queries: QueryClient, userId: string, organization: string): Uploads {
  const owner = `mooring:${userId}:${organization}:`;
  const found = known.get(owner);
  if (found !== undefined) return found;
  const uploads = new Uploads({
    owner,
    tokens: sessionTokens(sessionClient, organization, () => Date.now()),
    onDone: listReloader(queries, organization),
  });
  known.set(owner, uploads);
  disposeWithSession(queries, userId, owner, uploads);
  return uploads;
}

/**
 * Stops the uploads when the session ends. With the next person's session, they would continue in that person's name.
 */
function disposeWithSession(queries: QueryClient, userId: string, owner: string, uploads: Uploads): void {
  const stop = queries.getQueryCache().subscribe(({ type, query }) => {
    if (query.queryHash !== SESSION_HASH) return;
    const person = (query.state.data as { user: { id: string } } | null | undefined)?.user.id;
    if (type !== "removed" && person === userId) return;
    if (type !== "removed" && person === undefined && query.state.data === undefined) return;
    stop();
    known.delete(owner);
    uploads.dispose();
  });
}

/** Reads the list again after uploads, once for several that end together. */
function listReloader(queries: QueryClient, organization: string): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  return () => {
    timer ??= setTimeout(() => {
      timer = undefined;
      void filesChanged(queries, organization);
    }, RELOAD_MS);
  };
}
