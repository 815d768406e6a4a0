/** A file whose content is durable; see `domain/files`. */
interface FileRow {
  id: string;
  org_id: string;
  /** Null: belongs to the organization. */
  project_id: string | null;
  /** As it was sent. */
  filename: string;
  content_type: string;
  size: number;
  /** Hexadecimal. */
  sha256: string;
  blob_id: string;
  /** A user id or credential id: who asked for the grant. */
  created_by: string;
  /** When the content was there. */
  created_at: number;
}

/** Files, the trash, and uploads that have not ended. */
export interface FileTables {
  file: FileRow;
  /** Files that were deleted and can be restored: a file as it was, out of every list. It holds its content as a file does. */
  trashed_file: FileRow & {
    /** A user id or credential id; null: the server itself. */
    deleted_by: string | null;
    deleted_at: number;
    /** From then on it counts as deleted for good, and is removed within a minute. */
    purge_at: number;
  };
  /** The permission to upload one file, once. It is deleted when the file exists, or when it has expired. */
  upload_grant: {
    /** The id that the file will have. */
    id: string;
    org_id: string;
    project_id: string | null;
    filename: string;
    content_type: string;
    /** As declared; null: not said. */
    size: number | null;
    sha256: string | null;
    bytes_max: number;
    /** Bytes that `file_usage` counts for it. */
    reserved: number;
    created_by: string;
    created_at: number;
    expires_at: number;
    /** The name of the running upload, until the time beside it. */
    claim: string | null;
    claimed_until: number | null;
    /** `Upload-Metadata` of a resumable upload as it was sent; null: the upload comes in one request. */
    metadata: string | null;
  };
  /** The received part of a resumable upload: consecutive ranges of the content. */
  upload_part: { grant_id: string; start: number; org_id: string; size: number; blob_id: string };
  /** Counters of an organization's files and grants. */
  file_usage: {
    org_id: string;
    /** A project's id, or an empty text for the organization itself. */
    place: string;
    files: number;
    bytes: number;
    grants: number;
    /** Bytes of uploads that may still come. */
    reserved: number;
    trashed_files: number;
    /** They count towards the quota as those of files do. */
    trashed_bytes: number;
  };
  /** How many files a name has in a place; a name without a file has no row. */
  file_name: {
    org_id: string;
    filename: string;
    /** As in `file_usage`. */
    place: string;
    files: number;
  };
  /** The settings of an organization's files; null: the server's default. */
  file_policy: {
    org_id: string;
    /** Set by the operator. 2^53 − 1 means no limit. */
    stored_bytes_max: number | null;
    /** By the organization: how long deleted files can be restored; 0: not at all. */
    trash_days: number | null;
    updated_at: number;
  };
}
