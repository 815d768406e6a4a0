import type { AccessAction } from "@mooring/contract";
import { noteAccess } from "#http/index.ts";
import type { Action } from "#domain/registry/index.ts";
import type { Admitted } from "./admission.ts";
import type { Request } from "./exchange.ts";
import type { Target } from "./wire/target.ts";

const ACTIONS: Readonly<Record<Action, AccessAction>> = {
  pull: "image.pull",
  push: "image.push",
  delete: "image.delete",
};

type Named = Extract<Target, { name: string }>;

/**
 * Names the image for the access log. A refused request without a principal belongs to no organization, so it has no row. The
 * pieces of an upload have none either: the manifest that follows has one.
 */
export function noteImage(
  request: Request,
  { action }: { readonly action: Action },
  target: Named,
  admitted?: Pick<Admitted, "repository">,
): void {
  const place = admitted?.repository;
  if (place !== undefined) noteAccess(request, { orgId: place.orgId, projectId: place.projectId });
  if (target.kind === "uploads" || target.kind === "upload") return;
  const isList = target.kind === "tags" || target.kind === "referrers";
  noteAccess(request, {
    action: isList ? "image.list" : ACTIONS[action],
    targetKind: target.kind === "blob" ? "blob" : "image",
    targetId: place?.id ?? null,
    targetName: target.name,
    version: target.kind === "blob" ? target.digest : target.kind === "manifest" ? target.reference : undefined,
  });
}
