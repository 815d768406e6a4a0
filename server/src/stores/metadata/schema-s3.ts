/** Tables of the S3 gateway; see `schema.ts` for what their columns may hold, and `domain/s3` for what they are for. */
export interface S3Tables {
  s3_key: {
    id: string;
    /** Twenty characters: what clients sign with. */
    access_key: string;
    org_id: string;
    /** Null: reaches the whole organization. */
    project_id: string | null;
    name: string;
    /** Space-separated. */
    scopes: string;
    /** JSON list of names; null: every bucket. */
    buckets: string | null;
    /** Keys of objects that it reaches begin with this. */
    prefix: string;
    /** Sealed under the master key. */
    secret: Uint8Array;
    /** A user id, a credential id, or `system`. */
    created_by: string;
    created_at: number;
    expires_at: number | null;
    revoked_at: number | null;
    last_used_at: number | null;
    /** CIDR ranges with spaces between them; null: from anywhere. */
    allowed_addresses: string | null;
    /** 1: may do nothing until somebody approves it. */
    pending: number;
  };
  /** The settings of a bucket; an app without a row has the defaults. */
  s3_bucket: {
    /** The app's id. */
    id: string;
    org_id: string;
    versioning: "unversioned" | "enabled" | "suspended";
    /** JSON: a `BucketConfig`. */
    config: string;
    /** Grows with every change. */
    revision: number;
  };
  /** The present version of each key, unless it is a delete marker. */
  s3_object: S3Version & {
    blob_id: string;
  };
  /** Versions before the present one, and delete markers. */
  s3_history: S3Version & {
    /** Null: a delete marker. */
    blob_id: string | null;
  };
  s3_upload: {
    id: string;
    bucket: string;
    org_id: string;
    key: Uint8Array;
    created_at: number;
    /** As in `S3Version`. */
    owner: string;
    /** JSON: what the object will have. */
    detail: string;
    /** Null while parts may come. */
    completed_at: number | null;
    /** JSON: the resulting object, for a client that completes it again. */
    result: string | null;
  };
  s3_part: {
    upload_id: string;
    number: number;
    org_id: string;
    blob_id: string;
    size: number;
    etag: string;
    /** Base64. */
    checksum: string | null;
    /** Base64; begins the counter of the part's encryption. */
    nonce: string | null;
    modified_at: number;
  };
  /** Counters of a bucket, in one row or several, so that writers don't wait for each other. */
  s3_usage: {
    org_id: string;
    bucket: string;
    shard: number;
    objects: number;
    bytes: number;
    /** Grows whenever a version comes, goes or moves. */
    writes: number;
  };
  /** Where events of buckets can be sent. */
  s3_destination: {
    id: string;
    org_id: string;
    /** Unique in the organization; the last part of the ARN. */
    name: string;
    url: string;
    /** Signs the messages; sealed under the master key. */
    secret: Uint8Array;
    created_at: number;
  };
  /** Events that were not delivered yet, or can't be. */
  s3_delivery: {
    /** The `webhook-id` of every attempt. */
    id: string;
    org_id: string;
    destination_id: string;
    body: string;
    state: "pending" | "dead";
    attempts: number;
    created_at: number;
    last_status: number | null;
    last_error: string | null;
  };
}

interface S3Version {
  /** The app's id. */
  bucket: string;
  /** UTF-8, so that both databases have them in the order of bytes. */
  key: Uint8Array;
  /** Smaller is newer, and negative. */
  seq: number;
  /** `null` or an id. */
  version_id: string;
  org_id: string;
  size: number;
  etag: string;
  modified_at: number;
  /** Empty: the bucket's owner; otherwise id and slug with a space between. */
  owner: string;
  /** JSON object. */
  tags: string;
  /** JSON: everything else; see `domain/s3`. */
  detail: string;
  /** JSON list: the parts that it came in; null: it came in one piece. */
  parts: string | null;
}
