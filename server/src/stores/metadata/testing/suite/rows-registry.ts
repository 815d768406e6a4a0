import type { RegistryTables } from "../../schema-registry.ts";

const AT = { repository: "app_1", org_id: "org_1" };
const DIGEST = `sha256:${"0".repeat(64)}`;

/** Rows of the tables of the container registry; see `rows.ts`. */
export const REGISTRY_ROWS: RegistryTables = {
  registry_repository: {
    id: "app_1",
    org_id: "org_1",
    slug: "shop",
    is_public: 0,
    immutable_tags: '["v*"]',
    retention: null,
    pulls: 9_007_199_254_740_991,
    last_pull_at: null,
    last_push_at: 2,
    updated_at: 1,
  },
  registry_blob: {
    ...AT,
    digest: DIGEST,
    blob_id: "blob_1",
    sha256: "d5",
    size: 10,
    created_at: 1,
    lease_until: null,
  },
  registry_upload: {
    ...AT,
    id: "upl_1",
    created_by: "cred_1",
    state: "open",
    received: 5,
    created_at: 1,
    expires_at: 2,
  },
  registry_upload_part: { upload_id: "upl_1", start: 0, org_id: "org_1", size: 5, sha256: "d6", blob_id: "blob_1" },
  registry_manifest: {
    ...AT,
    digest: DIGEST,
    blob_id: "blob_1",
    media_type: "application/vnd.oci.image.index.v1+json",
    artifact_type: null,
    subject: DIGEST,
    annotations: "{}",
    size: 5,
    created_by: "cred_1",
    created_at: 1,
    pulls: 1,
    last_pull_at: 3,
    untagged_at: 1,
    lease_until: null,
  },
  registry_reference: {
    ...AT,
    manifest: DIGEST,
    target: DIGEST,
    kind: "manifest",
    position: 0,
    media_type: "application/vnd.oci.image.manifest.v1+json",
    size: 5,
    platform: '{"os":"linux"}',
  },
  registry_tag: { ...AT, name: "v1", digest: DIGEST, created_by: "cred_1", created_at: 1, updated_at: 1 },
  registry_contents: { ...AT, tags: 1, manifests: 1, bytes: 15 },
  registry_usage: { org_id: "org_1", bytes: 15, uploading: 5 },
  registry_policy: { org_id: "org_1", stored_bytes_max: null, updated_at: 1 },
};
