import { FILE_ROUTES, USAGE_ROUTES } from "@mooring/contract";
import type { QueryClient } from "@tanstack/react-query";

const READS = [
  FILE_ROUTES.listFiles,
  FILE_ROUTES.listFileNames,
  FILE_ROUTES.listFileVersions,
  FILE_ROUTES.listTrash,
  FILE_ROUTES.getFileSettings,
  USAGE_ROUTES.getUsage,
];

/** Reads again all lists that an upload, a copy, a deletion or a restore has changed. */
export async function filesChanged(queries: QueryClient, organization: string): Promise<void> {
  await Promise.all(
    READS.map(({ operationId }) => queries.invalidateQueries({ queryKey: [organization, operationId] })),
  );
}
