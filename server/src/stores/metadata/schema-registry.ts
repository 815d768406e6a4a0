/**
 * Tables of the container registry. A repository is an app, and `repository` holds the app's id. See `domain/registry`.
 */
export interface RegistryTables {
  /** Settings and counters of a repository. Without a row, it has the defaults. */
  registry_repository: {
    /** The app's id. */
    id: string;
    org_id: string;
    /** The app's slug, which never changes. It is the order of the catalog. */
    slug: string;
    /** 1: pulls need no credentials. */
    is_public: number;
    /** JSON list of patterns. Existing tags that match a pattern cannot be moved or deleted. */
    immutable_tags: string;
    /** JSON object of rules that delete tags and manifests, or null. */
    retention: string | null;
    /** Number of requests for manifests, by tag or by digest. */
    pulls: number;
    last_pull_at: number | null;
    last_push_at: number | null;
    updated_at: number;
  };
  /** Blobs of each repository. A repository without the row does not have the blob, even if another one has it. */
  registry_blob: {
    repository: string;
    /** Algorithm and hexadecimal digits, as pushed. */
    digest: string;
    org_id: string;
    blob_id: string;
    /** Hexadecimal. The same content may have been pushed under another algorithm. */
    sha256: string;
    size: number;
    created_at: number;
    /** Must not be deleted before this time. Null while a manifest of the repository needs it. */
    lease_until: number | null;
  };
  /** An upload with content, or one that has ended. An upload that was only started has no row. */
  registry_upload: {
    id: string;
    repository: string;
    org_id: string;
    created_by: string;
    state: "open" | "done" | "cancelled";
    received: number;
    created_at: number;
    expires_at: number;
  };
  /** Received parts of an upload, which are consecutive ranges of its content. */
  registry_upload_part: {
    upload_id: string;
    start: number;
    org_id: string;
    size: number;
    sha256: string;
    blob_id: string;
  };
  registry_manifest: {
    repository: string;
    digest: string;
    org_id: string;
    blob_id: string;
    media_type: string;
    /** The manifest's `artifactType`, or the media type of its config. */
    artifact_type: string | null;
    /** Digest of the manifest that it refers to. That manifest need not exist. */
    subject: string | null;
    /** JSON object. */
    annotations: string;
    size: number;
    created_by: string;
    created_at: number;
    pulls: number;
    last_pull_at: number | null;
    /** Since when it has no tag; null while it has a tag. */
    untagged_at: number | null;
    /** May be deleted after this time if nothing needs it. Null: stays until a person or a rule deletes it. */
    lease_until: number | null;
  };
  registry_reference: {
    repository: string;
    manifest: string;
    target: string;
    org_id: string;
    kind: "config" | "layer" | "foreign" | "manifest";
    position: number;
    media_type: string;
    size: number;
    /** JSON object: the platform of a manifest in an index, or of an image by its config; otherwise null. */
    platform: string | null;
  };
  registry_tag: {
    repository: string;
    name: string;
    org_id: string;
    digest: string;
    created_by: string;
    created_at: number;
    /** When it was last moved to another manifest. */
    updated_at: number;
  };
  /** Counters of a repository. Without a row, it is empty. */
  registry_contents: {
    repository: string;
    org_id: string;
    tags: number;
    manifests: number;
    /** Bytes of blobs and manifests together. */
    bytes: number;
  };
  /** Usage of an organization's images. Equal content counts once. */
  registry_usage: {
    org_id: string;
    bytes: number;
    /** Bytes of unfinished uploads. */
    uploading: number;
  };
  /** The operator's settings for an organization's images; null means the server's default. */
  registry_policy: {
    org_id: string;
    /** 2^53 − 1 means no limit. */
    stored_bytes_max: number | null;
    updated_at: number;
  };
}
