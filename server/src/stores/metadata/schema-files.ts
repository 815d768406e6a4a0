/** A file with durable content; see `domain/files`. */
interface FileRow {
  id: string;
  org_id: string;
  /** Null: belongs to the organization. */
  project_id: string | null;
  /** As the client sent it. */
  filename: string;
  content_type: string;
  size: number;
  /** Hexadecimal. */
  sha256: string;
  blob_id: string;
  /** The user id or credential id that asked for the grant. */
  created_by: string;
  /** When the content was complete. */
  created_at: number;
}

/** Files, the trash, and unfinished uploads. */
export interface FileTables {
  file: FileRow;
  /** Deleted files that can be restored. No list of files shows them, and they still hold their content. */
  trashed_file: FileRow & {
    /** A user id or credential id. Null: the server deleted it. */
    deleted_by: string | null;
    deleted_at: number;
    /** From this time it counts as deleted for good. It is removed within a minute. */
    purge_at: number;
  };
  /** The permission to upload one file once. It is deleted when the file exists or the grant has expired. */
  upload_grant: {
    /** The id of the future file. */
    id: string;
    org_id: string;
    project_id: string | null;
    filename: string;
    content_type: string;
    /** The declared size; null when the client gave none. */
    size: number | null;
    sha256: string | null;
    bytes_max: number;
    /** Bytes that `file_usage` counts for this grant. */
    reserved: number;
    created_by: string;
    created_at: number;
    expires_at: number;
    /** The name of the running upload, valid until `claim_until`. */
    claim: string | null;
    claimed_until: number | null;
    /** `Upload-Metadata` of a resumable upload, as the client sent it. Null: the upload is one request. */
    metadata: string | null;
  };
  /** Received parts of a resumable upload, which are consecutive ranges of its content. */
  upload_part: { grant_id: string; start: number; org_id: string; size: number; blob_id: string };
  /** Counters of an organization's files and grants. */
  file_usage: {
    org_id: string;
    /** A project's id, or an empty text for the organization itself. */
    place: string;
    files: number;
    bytes: number;
    grants: number;
    /** Reserved bytes of unfinished uploads. */
    reserved: number;
    trashed_files: number;
    /** Count towards the quota, like the bytes of files. */
    trashed_bytes: number;
  };
  /** Number of files with a name in a place. A name without files has no row. */
  file_name: {
    org_id: string;
    filename: string;
    /** As in `file_usage`. */
    place: string;
    files: number;
  };
  /** File settings of an organization; null means the server's default. */
  file_policy: {
    org_id: string;
    /** Set by the operator; 2^53 − 1 means no limit. */
    stored_bytes_max: number | null;
    /** Set by the organization: the number of days in which deleted files can be restored; 0 for none. */
    trash_days: number | null;
    updated_at: number;
  };
  /** Pages of this origin may upload files of the organization. A row each, so that one index answers a preflight. */
  file_origin: { org_id: string; origin: string };
}
