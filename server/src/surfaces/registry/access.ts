import type { AccessAction } from "@mooring/contract";
import { noteAccess, type Accessed } from "#http/index.ts";
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
  if (target.kind === "uploads" || target.kind === "upload") return;
  const isList = target.kind === "tags" || target.kind === "referrers";
  const about: Accessed = {
    action: isList ? "image.list" : ACTIONS[action],
    targetKind: target.kind === "blob" ? "blob" : "image",
    targetId: admitted?.repository.id ?? null,
    targetName: target.name,
    version: target.kind === "blob" ? target.digest : target.kind === "manifest" ? target.reference : undefined,
  };
  const place = admitted?.repository;
  noteAccess(request, place === undefined ? about : { ...about, orgId: place.orgId, projectId: place.projectId });
}
