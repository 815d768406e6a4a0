import Type from "typebox";
import { route } from "../route.ts";
import { AppSlug, CursorQuery, DisplayName } from "../shared.ts";
import { App, IdOrSlug, closed, page } from "./shapes.ts";

const appParams = Type.Object({ app_id: IdOrSlug });

export const APP_ROWS = {
  listApps: route({
    operationId: "listApps",
    method: "GET",
    path: "/v1/apps",
    tag: "apps",
    summary: "List the apps that the token can reach, newest first",
    permission: "apps:read",
    query: Type.Object({ ...CursorQuery, project: Type.Optional(IdOrSlug) }),
    result: page(App),
    status: 200,
    problems: ["invalid_parameter", "not_found"],
  }),
  createApp: route({
    operationId: "createApp",
    method: "POST",
    path: "/v1/apps",
    tag: "apps",
    summary: "Create an app, which is a registry repository and a bucket",
    permission: "apps:write",
    body: Type.Object({ project: IdOrSlug, slug: AppSlug, name: Type.Optional(DisplayName) }, closed),
    result: App,
    status: 201,
    problems: ["invalid_body", "not_found", "duplicate_slug", "limit_reached"],
    idempotent: true,
  }),
  getApp: route({
    operationId: "getApp",
    method: "GET",
    path: "/v1/apps/{app_id}",
    tag: "apps",
    summary: "Read an app",
    permission: "apps:read",
    params: appParams,
    result: App,
    status: 200,
    problems: ["not_found"],
  }),
  updateApp: route({
    operationId: "updateApp",
    method: "PATCH",
    path: "/v1/apps/{app_id}",
    tag: "apps",
    summary: "Change an app's name; its slug can't change",
    headers: ["If-Match"],
    permission: "apps:write",
    params: appParams,
    body: Type.Object({ name: DisplayName }, closed),
    result: App,
    status: 200,
    problems: ["invalid_body", "not_found", "concurrent_update"],
  }),
  moveApp: route({
    operationId: "moveApp",
    method: "POST",
    path: "/v1/apps/{app_id}/move",
    tag: "apps",
    summary: "Move an app, with its images and its bucket, to another project of the organization",
    description:
      "Its slug, repository and bucket keep their names. The members and keys of the new project get access: " +
      "credentials and keys of the old project lose it. Needs `apps:write` in both projects. Access lists that name the old " +
      "project then name the new one. The bucket's policy does not change. 409 if the bucket has more than 1,000,000 objects.",
    permission: "apps:write",
    recentSignIn: true,
    params: appParams,
    body: Type.Object({ project: IdOrSlug }, closed),
    result: App,
    status: 200,
    problems: ["invalid_body", "not_found", "conflict"],
  }),
  deleteApp: route({
    operationId: "deleteApp",
    method: "DELETE",
    path: "/v1/apps/{app_id}",
    tag: "apps",
    summary: "Delete an app with its bucket and its images; it can be restored for a time",
    description:
      "An app with content goes to the trash (`GET /v1/trash`). Until it is restored, its bucket and its repository are absent everywhere. Its slug is free at once. An empty app is deleted at once. 409 if its project has a deletion lock, or if its bucket has an object lock and is not empty.",
    permission: "apps:write",
    recentSignIn: true,
    params: appParams,
    status: 204,
    problems: ["not_found", "conflict"],
  }),
} as const;
