import Type from "typebox";

/** ISO 8601 UTC date-time. */
export const Timestamp = Type.String({ format: "date-time", description: "ISO 8601 UTC" });

/** Slugs of organizations and projects: 2 to 39 of `a-z 0-9 -`, no hyphen at either end. */
export const Slug = Type.String({ pattern: "^[a-z0-9](?:[a-z0-9-]{0,37}[a-z0-9])$" });

/** Slugs of apps: an S3 bucket name that is an OCI name component too, 3 to 63 characters. */
export const AppSlug = Type.String({
  minLength: 3,
  maxLength: 63,
  pattern: "^[a-z0-9]+(?:(?:\\.|-+)[a-z0-9]+)*$",
  description: "a-z, 0-9, dots and hyphens; begins and ends with a letter or digit",
});

/** A name that people read: 1 to 100 characters, no control characters. */
export const DisplayName = Type.String({ minLength: 1, maxLength: 100, pattern: "^[^\\u0000-\\u001f\\u007f]*$" });

/** RFC 9457 problem details, with our additions. */
export const ProblemBody = Type.Object({
  type: Type.String(),
  title: Type.String(),
  status: Type.Integer(),
  detail: Type.String(),
  instance: Type.String(),
  code: Type.String({ description: "stable and machine-readable; see docs/errors.md" }),
  request_id: Type.String(),
  errors: Type.Optional(
    Type.Array(Type.Object({ pointer: Type.String({ description: "JSON pointer, RFC 6901" }), detail: Type.String() })),
  ),
});

/** Cursor pages: `next_cursor` is null on the last one. */
export const CursorQuery = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 50 })),
  cursor: Type.Optional(Type.String({ maxLength: 512 })),
};
