import Type from "typebox";
import { route } from "../route.ts";
import { CursorQuery, Timestamp } from "../shared.ts";
import { TRASH_KINDS } from "../trash-kinds.ts";
import { Id, IdOrSlug, nullable, page } from "./shapes.ts";

const TrashKindName = Type.Enum([...TRASH_KINDS]);
const itemParams = Type.Object({ item_id: Id });

const NewSlug = Type.String({ minLength: 1, maxLength: 64, description: "the slug of the restored app or project" });

const TrashItem = Type.Object({
  id: Id,
  kind: TrashKindName,
  name: Type.String({ description: "the name of the webhook, the slug, or the image with its tag or digest" }),
  object_id: Type.String({
    description: "the id of the webhook, app or project; of an image or a repository: of its app",
  }),
  project_id: Id,
  tags: Type.Array(Type.String(), { description: "the tags of an image; empty for other kinds" }),
  deleted_at: Timestamp,
  deleted_by: nullable(Type.String({ description: "id of a person or credential; null: the server itself" })),
  purge_at: Type.String({ format: "date-time", description: "ISO 8601 UTC; it can be restored until then" }),
});

export const TRASH_ROWS = {
  listTrashItems: route({
    operationId: "listTrashItems",
    method: "GET",
    path: "/v1/trash",
    tag: "trash",
    summary: "List deleted objects that can be restored, last deleted first",
    description:
      "Webhooks, images, the content of repositories, apps with their buckets, and projects. Each needs the permission to read it: `webhooks:read`, `registry:pull`, `apps:read`, `projects:read`. Deleted files are in `GET /v1/files/trash`. An object that was deleted with its project comes back with the project.",
    permission: "authenticated",
    query: Type.Object({
      ...CursorQuery,
      project: Type.Optional(IdOrSlug),
      kind: Type.Optional(TrashKindName),
    }),
    result: page(TrashItem),
    status: 200,
    problems: ["invalid_parameter", "not_found"],
  }),
  getTrashItem: route({
    operationId: "getTrashItem",
    method: "GET",
    path: "/v1/trash/{item_id}",
    tag: "trash",
    summary: "Show a deleted object that can be restored",
    permission: "authenticated",
    params: itemParams,
    result: TrashItem,
    status: 200,
    problems: ["not_found", "insufficient_scope"],
  }),
  restoreTrashItem: route({
    operationId: "restoreTrashItem",
    method: "POST",
    path: "/v1/trash/{item_id}/restore",
    tag: "trash",
    summary: "Restore a deleted object, as it was",
    description:
      "Needs the permission to create it: `webhooks:write`, `registry:push`, `apps:write`, `projects:write`. 409 `conflict` names the obstacle, for example a tag that was pushed again, or a slug that a new app has. `slug` restores an app or a project under another one. A project comes back with everything in it, and its credentials work as before.",
    permission: "authenticated",
    params: itemParams,
    query: Type.Object({ slug: Type.Optional(NewSlug) }),
    status: 204,
    problems: ["invalid_parameter", "not_found", "insufficient_scope", "project_archived", "conflict", "limit_reached"],
  }),
  purgeTrashItem: route({
    operationId: "purgeTrashItem",
    method: "DELETE",
    path: "/v1/trash/{item_id}",
    tag: "trash",
    summary: "Delete an object in the trash for good",
    description:
      "Needs the permission to delete it: `webhooks:write`, `registry:delete`, `apps:write`, `projects:write`. It can't be restored any more. Its content is deleted within minutes.",
    permission: "authenticated",
    recentSignIn: true,
    params: itemParams,
    status: 204,
    problems: ["not_found", "insufficient_scope", "project_archived", "conflict"],
  }),
} as const;
