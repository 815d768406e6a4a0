import { BUCKET_ROUTES } from "@mooring/contract";
import { useQueryClient } from "@tanstack/react-query";
import { useCallback } from "react";
import { useList, type ItemList } from "~/api/queries.ts";
import { useOrganization } from "~/app/scope.ts";
import { DELIMITER, type Line } from "./objects.ts";

const PAGE = 200;

/** The operations to read again after an object is added or deleted. */
const CHANGED = [
  BUCKET_ROUTES.getBucket,
  BUCKET_ROUTES.listObjects,
  BUCKET_ROUTES.listObjectVersions,
  BUCKET_ROUTES.getObject,
];

/** Reads one folder of a bucket. With `versions`, it includes old versions and deleted objects. */
export function useLines(app: string, prefix: string, versions: boolean): ItemList<Line> {
  const query = { prefix, delimiter: DELIMITER, limit: PAGE };
  const input = { params: { app_id: app }, query };
  const objects = useList(BUCKET_ROUTES.listObjects, { ...input, purpose: "list the objects" }, { enabled: !versions });
  const all = useList(
    BUCKET_ROUTES.listObjectVersions,
    { ...input, purpose: "list the versions" },
    { enabled: versions },
  );
  return versions ? all : objects;
}

/** Returns a function that reads all lists of objects again. */
export function useObjectsChanged(): () => void {
  const queries = useQueryClient();
  const { slug } = useOrganization();
  return useCallback(() => {
    for (const { operationId } of CHANGED) void queries.invalidateQueries({ queryKey: [slug, operationId] });
  }, [queries, slug]);
}
