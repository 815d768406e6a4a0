/** Tables of the S3 gateway; see `schema.ts` for the value types, and `domain/s3` for their use. */
export interface S3Tables {
  s3_key: {
    id: string;
    /** The access key ID: twenty characters. */
    access_key: string;
    org_id: string;
    /** Null: reaches the whole organization. */
    project_id: string | null;
    name: string;
    /** Space-separated. */
    scopes: string;
    /** JSON list of names; null: every bucket. */
    buckets: string | null;
    /** The key reaches only objects whose keys begin with this. */
    prefix: string;
    /** Sealed under the master key. */
    secret: Uint8Array;
    /** History: a user id, a credential id, or `system`. */
    created_by: string;
    /** The person or credential whose permissions limit it: a user id, a credential id, or `system`. */
    responsible: string;
    responsible_since: number;
    /** JSON: the limits that it kept from earlier responsible credentials (`Inherited`); null: none. */
    inherited: string | null;
    /** JSON: the resources to which it is limited, by id; null: no such limit. */
    resources: string | null;
    /** `leak`: it was revoked because its secret leaked. Null: no reason was given. */
    end_reason: string | null;
    created_at: number;
    expires_at: number | null;
    revoked_at: number | null;
    last_used_at: number | null;
    /** CIDR ranges with spaces between them; null: any address. */
    allowed_addresses: string | null;
    /** 1: waits for approval and has no permissions until then. */
    pending: number;
  };
  /** The former secret of an S3 key, during the overlap of a rotation. A key has at most one. */
  s3_key_former: {
    id: string;
    key_id: string;
    /** The former access key ID. */
    access_key: string;
    /** Sealed under the master key. */
    secret: Uint8Array;
    ends_at: number;
    last_used_at: number | null;
  };
  /** Settings of a bucket. An app without a row has the defaults. */
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
  /** The current version of each key, unless that is a delete marker. */
  s3_object: S3Version & {
    blob_id: string;
  };
  /** Earlier versions, and delete markers. */
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
    /** JSON: details of the future object. */
    detail: string;
    /** Null while parts may be uploaded. */
    completed_at: number | null;
    /** JSON: the resulting object, for a client that repeats the completion. */
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
    /** Base64; the first bytes of the counter for the part's encryption. */
    nonce: string | null;
    modified_at: number;
  };
  /** Counters of a bucket, spread over one or more rows so that writers do not wait for each other. */
  s3_usage: {
    org_id: string;
    bucket: string;
    shard: number;
    objects: number;
    bytes: number;
    /** Grows when a version is added, removed or moved. */
    writes: number;
  };
  /** Destinations for events of buckets. */
  s3_destination: {
    id: string;
    org_id: string;
    /** Unique in the organization. The last part of the ARN. */
    name: string;
    url: string;
    /** Signs the messages; sealed under the master key. */
    secret: Uint8Array;
    created_at: number;
  };
  /** Events that were not delivered yet, or could not be delivered. */
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
  /** UTF-8, so that both databases sort by bytes. */
  key: Uint8Array;
  /** Negative; smaller is newer. */
  seq: number;
  /** `null` or an id. */
  version_id: string;
  org_id: string;
  size: number;
  etag: string;
  modified_at: number;
  /** Empty: the bucket's owner. Otherwise id and slug with a space between. */
  owner: string;
  /** JSON object. */
  tags: string;
  /** JSON: all other properties; see `domain/s3`. */
  detail: string;
  /** JSON list of the uploaded parts; null: uploaded in one request. */
  parts: string | null;
}
