import Type from "typebox";
import { closed, Id, IdOrSlug, nullable, page } from "./organization/shapes.ts";
import { route } from "./route.ts";
import { AppSlug, CursorQuery, Timestamp } from "./shared.ts";

const Bytes = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
const Count = Bytes;
const Digest = Type.String({ description: "sha256: or sha512: and hexadecimal digits" });
const MediaType = Type.String();
const Days = Type.Integer({ minimum: 1, maximum: 36_500 });
const Pattern = Type.String({
  minLength: 1,
  maxLength: 128,
  pattern: "^[a-zA-Z0-9._*-]+$",
  description: "a pattern of tags; * matches any characters",
});
const Patterns = Type.Array(Pattern, { maxItems: 20 });

export const ImageRetention = Type.Object(
  {
    keep_last: nullable(
      Type.Integer({
        minimum: 1,
        maximum: 10_000,
        description: "the number of most recently moved tags that are kept",
      }),
    ),
    keep_days: nullable(Days),
    keep_tags: Type.Array(Pattern, { maxItems: 20, description: "tags that are always kept" }),
    untagged_days: nullable(Days),
  },
  closed,
);

export const ImageRepository = Type.Object({
  app_id: Id,
  slug: AppSlug,
  name: Type.String({ description: "in the registry, without its domain" }),
  project_id: Id,
  public: Type.Boolean({ description: "everybody may pull, without credentials" }),
  immutable_tags: Type.Array(Type.String(), { description: "patterns of tags that can't be moved or deleted" }),
  retention: nullable(ImageRetention),
  tags: Count,
  manifests: Count,
  size_bytes: Bytes,
  pulls: Count,
  last_pull_at: nullable(Timestamp),
  last_push_at: nullable(Timestamp),
});

const Platform = {
  os: nullable(Type.String()),
  architecture: nullable(Type.String()),
  variant: nullable(Type.String()),
};

export const ImageTag = Type.Object({
  name: Type.String(),
  digest: Digest,
  media_type: MediaType,
  artifact_type: nullable(Type.String()),
  platforms: Type.Array(Type.Object(Platform), {
    description: "for an index: each platform once, 20 at most; for an image: the platform of its config at the push",
  }),
  size_bytes: nullable(
    Type.Integer({
      minimum: 0,
      description:
        "the size of all its content, equal content counted once; null: not computed, because the manifests of the page have too much content",
    }),
  ),
  immutable: Type.Boolean(),
  pulls: Type.Integer({ minimum: 0, description: "pulls of the manifest, by any name" }),
  last_pull_at: nullable(Timestamp),
  created_at: Timestamp,
  updated_at: Type.String({ format: "date-time", description: "the last time that it was set to another manifest" }),
});

const ConfigText = Type.String({ description: "cut after 4096 characters" });

/** The data that the builder of an image wrote. It is unverified; members of a wrong type are left out. */
export const ImageConfig = Type.Object(
  {
    architecture: nullable(ConfigText),
    os: nullable(ConfigText),
    variant: nullable(ConfigText),
    created: nullable(Timestamp),
    author: nullable(ConfigText),
    labels: Type.Record(Type.String(), ConfigText),
    env: Type.Array(ConfigText),
    entrypoint: nullable(Type.Array(ConfigText)),
    cmd: nullable(Type.Array(ConfigText)),
    user: nullable(ConfigText),
    working_dir: nullable(ConfigText),
    exposed_ports: Type.Array(ConfigText),
    history: Type.Array(
      Type.Object({
        created: nullable(Timestamp),
        created_by: nullable(ConfigText),
        empty_layer: Type.Boolean({ description: "this step made no layer" }),
      }),
    ),
  },
  {
    description:
      "the content of an image's config, if it has the OCI's or Docker's media type and 1 MiB at most; otherwise null. Members of a wrong type are " +
      "left out. Texts are cut after 4096 characters, lists and labels after 1000 entries",
  },
);

export const ImageManifest = Type.Object({
  digest: Digest,
  media_type: MediaType,
  artifact_type: nullable(Type.String()),
  size_bytes: Type.Integer({ minimum: 0, description: "the size of the manifest itself" }),
  total_size_bytes: Type.Integer({
    minimum: 0,
    description: "the size of all its content, equal content counted once",
  }),
  tags: Type.Array(Type.String()),
  annotations: Type.Record(Type.String(), Type.String()),
  subject: nullable(Digest),
  config: nullable(Type.Object({ digest: Digest, media_type: MediaType, size_bytes: Bytes })),
  image_config: nullable(ImageConfig),
  layers: Type.Array(
    Type.Object({
      digest: Digest,
      media_type: MediaType,
      size_bytes: Bytes,
      foreign: Type.Boolean({ description: "kept elsewhere" }),
    }),
  ),
  platforms: Type.Array(
    Type.Object({
      digest: Digest,
      media_type: MediaType,
      ...Platform,
      total_size_bytes: Bytes,
    }),
    { description: "the manifests of an index" },
  ),
  referrers: Type.Array(
    Type.Object({
      digest: Digest,
      media_type: MediaType,
      artifact_type: nullable(Type.String()),
      kind: Type.Enum(["signature", "sbom", "attestation", "other"]),
      size_bytes: Bytes,
      annotations: Type.Record(Type.String(), Type.String()),
      created_at: Timestamp,
    }),
    { description: "the first 100 manifests that refer to this one" },
  ),
  pulls: Count,
  last_pull_at: nullable(Timestamp),
  created_by: Type.String(),
  created_at: Timestamp,
});

const repositoryParams = Type.Object({ app_id: IdOrSlug });
const manifestParams = Type.Object({
  app_id: IdOrSlug,
  reference: Type.String({ minLength: 1, maxLength: 200, description: "a tag or a digest" }),
});

export const REGISTRY_API_ROUTES = {
  listImageRepositories: route({
    operationId: "listImageRepositories",
    method: "GET",
    path: "/v1/registry/repositories",
    tag: "registry",
    summary: "List the repositories that the token can pull from, newest first",
    permission: "registry:pull",
    resource: "repositories",
    query: Type.Object({ ...CursorQuery, project: Type.Optional(IdOrSlug) }),
    result: page(ImageRepository),
    status: 200,
    problems: ["invalid_parameter", "not_found"],
  }),
  getImageRepository: route({
    operationId: "getImageRepository",
    method: "GET",
    path: "/v1/registry/repositories/{app_id}",
    tag: "registry",
    summary: "Read a repository",
    permission: "registry:pull",
    resource: "repositories",
    params: repositoryParams,
    result: ImageRepository,
    status: 200,
    problems: ["not_found"],
  }),
  updateImageRepository: route({
    operationId: "updateImageRepository",
    method: "PATCH",
    path: "/v1/registry/repositories/{app_id}",
    tag: "registry",
    summary: "Change a repository: make it public, protect tags, set rules that delete old images",
    permission: "apps:write",
    params: repositoryParams,
    headers: ["If-Match"],
    body: Type.Object(
      {
        public: Type.Optional(Type.Boolean()),
        immutable_tags: Type.Optional(Patterns),
        retention: Type.Optional(nullable(ImageRetention)),
      },
      closed,
    ),
    result: ImageRepository,
    status: 200,
    problems: ["invalid_body", "not_found", "concurrent_update"],
  }),
  emptyImageRepository: route({
    operationId: "emptyImageRepository",
    method: "DELETE",
    path: "/v1/registry/repositories/{app_id}",
    tag: "registry",
    summary: "Delete every image of a repository; the app stays",
    description:
      "The content goes to the trash as one item (`GET /v1/trash`), and can be restored. 409 if a tag is immutable, or if the project has a deletion lock.",
    permission: "registry:delete",
    resource: "repositories",
    params: repositoryParams,
    status: 204,
    problems: ["not_found", "conflict"],
  }),
  listImageTags: route({
    operationId: "listImageTags",
    access: "image.list",
    method: "GET",
    path: "/v1/registry/repositories/{app_id}/tags",
    tag: "registry",
    summary: "List the tags of a repository, by name",
    permission: "registry:pull",
    resource: "repositories",
    params: repositoryParams,
    query: Type.Object({ ...CursorQuery }),
    result: page(ImageTag),
    status: 200,
    problems: ["invalid_parameter", "not_found"],
  }),
  getImageManifest: route({
    operationId: "getImageManifest",
    access: "image.pull",
    method: "GET",
    path: "/v1/registry/repositories/{app_id}/manifests/{reference}",
    tag: "registry",
    summary: "Show an image's content, its platforms, and the manifests that refer to it",
    permission: "registry:pull",
    resource: "repositories",
    params: manifestParams,
    result: ImageManifest,
    status: 200,
    problems: ["not_found"],
  }),
  deleteImageManifest: route({
    operationId: "deleteImageManifest",
    access: "image.delete",
    method: "DELETE",
    path: "/v1/registry/repositories/{app_id}/manifests/{reference}",
    tag: "registry",
    summary: "Delete a tag, or by its digest an image with all its tags",
    description:
      "Works like the registry's own DELETE. It goes to the trash (`GET /v1/trash`), and can be restored unless one of its tags was pushed again. An immutable tag, an image with such a tag, and an image that an index needs can't be deleted: `conflict`.",
    permission: "registry:delete",
    resource: "repositories",
    params: manifestParams,
    status: 204,
    problems: ["not_found", "conflict"],
  }),
  runImageRetention: route({
    operationId: "runImageRetention",
    method: "POST",
    path: "/v1/registry/repositories/{app_id}/retention",
    tag: "registry",
    summary: "Delete the images that a repository's rules no longer keep, or list them without deleting",
    description: "The body may have rules only for a dry run. Without them, the rules of the repository are used.",
    permission: "registry:delete",
    resource: "repositories",
    params: repositoryParams,
    body: Type.Object({ dry_run: Type.Boolean(), retention: Type.Optional(ImageRetention) }, closed),
    result: Type.Object({
      tags: Type.Array(Type.Object({ name: Type.String(), digest: Digest })),
      manifests: Type.Array(Type.Object({ digest: Digest, size_bytes: Bytes })),
    }),
    status: 200,
    problems: ["invalid_body", "not_found"],
  }),
} as const;
