import Type from "typebox";

/** ISO 8601 UTC date-time. */
export const Timestamp = Type.String({ format: "date-time", description: "ISO 8601 UTC" });

/** Slugs of organizations and projects: 2 to 39 of `a-z 0-9 -`, no hyphen at either end. */
export const SLUG_PATTERN = "^[a-z0-9](?:[a-z0-9-]{0,37}[a-z0-9])$";
export const Slug = Type.String({
  pattern: SLUG_PATTERN,
  description: "2 to 39 of a-z, 0-9 and hyphens; begins and ends with a letter or digit",
});

/**
 * Slugs of apps: both an S3 bucket name and an OCI name component, 3 to 63 characters. Not like an IPv4 address, and
 * without the prefixes and suffixes that S3 reserves: clients refuse or misread such bucket names.
 */
export const APP_SLUG_PATTERN =
  "^(?!xn--|sthree-|amzn-s3-demo-)(?!.*(?:-s3alias|--ol-s3|\\.mrap|--x-s3|--table-s3)$)" +
  "(?![0-9]{1,3}(?:\\.[0-9]{1,3}){3}$)(?=.{3,63}$)[a-z0-9]+(?:(?:\\.|-+)[a-z0-9]+)*$";
export const AppSlug = Type.String({
  minLength: 3,
  maxLength: 63,
  pattern: APP_SLUG_PATTERN,
  description:
    "a-z, 0-9, dots and hyphens; begins and ends with a letter or digit; not like an IP address; without the prefixes and suffixes that S3 reserves",
});

/** A name for people: 1 to 100 characters, no control characters. */
export const DisplayName = Type.String({ minLength: 1, maxLength: 100, pattern: "^[^\\u0000-\\u001f\\u007f]*$" });

/** RFC 9457 problem details, with our additions. */
export const ProblemBody = Type.Object({
  type: Type.String(),
  title: Type.String(),
  status: Type.Integer(),
  detail: Type.String(),
  instance: Type.String(),
  code: Type.String({ description: "stable and machine-readable; see docs/reference/errors.md" }),
  request_id: Type.String(),
  required_scope: Type.Optional(Type.String({ description: "of 403 insufficient_scope" })),
  decided_by: Type.Optional(
    Type.Enum(["scope", "role", "policy", "project", "address", "approval", "parent"], {
      description:
        "for 403: the cause of the refusal. role: the role of the person, or of the person responsible for the credential. parent: the credential that created this one",
    }),
  ),
  position: Type.Optional(
    Type.Object(
      { line: Type.Integer(), column: Type.Integer() },
      { description: "the place in a statement, counted from 1; columns in UTF-16 units" },
    ),
  ),
  errors: Type.Optional(
    Type.Array(Type.Object({ pointer: Type.String({ description: "JSON pointer, RFC 6901" }), detail: Type.String() })),
  ),
});

/** Pages by cursor: `next_cursor` is null on the last page. */
export const CursorQuery = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 50 })),
  cursor: Type.Optional(Type.String({ maxLength: 512 })),
};
