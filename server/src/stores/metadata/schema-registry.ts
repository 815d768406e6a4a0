/** Tables of the container registry. A repository is an app; `repository` holds the app's id. See `domain/registry`. */
export interface RegistryTables {
  /** The data of an app as a repository; one without a row has the defaults. */
  registry_repository: {
    /** The app's. */
    id: string;
    org_id: string;
    /** The app's, which never changes: the catalog is in its order. */
    slug: string;
    /** 1: everybody may pull, without credentials. */
    is_public: number;
    /** JSON list of patterns: existing tags that match can't be moved or deleted. */
    immutable_tags: string;
    /** JSON object of rules that delete tags and manifests; null: none. */
    retention: string | null;
    /** Manifests that were asked for, by whichever name. */
    pulls: number;
    last_pull_at: number | null;
    last_push_at: number | null;
    updated_at: number;
  };
  /** A blob as one repository has it: what has no row here is not there, whichever other repository may have it. */
  registry_blob: {
    repository: string;
    /** Algorithm and hexadecimal, as it was pushed. */
    digest: string;
    org_id: string;
    blob_id: string;
    /** Hexadecimal; the same content may have been pushed by another algorithm. */
    sha256: string;
    size: number;
    created_at: number;
    /** Nothing may delete it before this time; null while a manifest of the repository needs it. */
    lease_until: number | null;
  };
  /** An upload that has content, or that was ended: one that only began has no row. */
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
  /** The received part of an upload: consecutive ranges of the content. */
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
    /** The manifest's own, or its config's media type. */
    artifact_type: string | null;
    /** Digest of the manifest that it refers to, whether or not that exists. */
    subject: string | null;
    /** JSON object. */
    annotations: string;
    size: number;
    created_by: string;
    created_at: number;
    pulls: number;
    last_pull_at: number | null;
    /** Since when it has no tag; null while it has one. */
    untagged_at: number | null;
    /** May be deleted after this time unless something needs it; null: stays until somebody or a rule deletes it. */
    lease_until: number | null;
  };
  /** The parts of a manifest. */
  registry_reference: {
    repository: string;
    manifest: string;
    target: string;
    org_id: string;
    kind: "config" | "layer" | "foreign" | "manifest";
    position: number;
    media_type: string;
    size: number;
    /** JSON object: of a manifest in an index, or of an image by its config; null: none. */
    platform: string | null;
  };
  registry_tag: {
    repository: string;
    name: string;
    org_id: string;
    digest: string;
    created_by: string;
    created_at: number;
    /** When it last came to point at another manifest. */
    updated_at: number;
  };
  /** How much a repository holds; one without a row holds nothing. */
  registry_contents: {
    repository: string;
    org_id: string;
    tags: number;
    manifests: number;
    /** Bytes of blobs and manifests together. */
    bytes: number;
  };
  /** The size of an organization's images, each content once. */
  registry_usage: {
    org_id: string;
    bytes: number;
    /** Bytes of uploads that have not ended. */
    uploading: number;
  };
  /** The operator's settings for an organization's images; null: the server's default. */
  registry_policy: {
    org_id: string;
    /** 2^53 − 1 means no limit. */
    stored_bytes_max: number | null;
    updated_at: number;
  };
}
