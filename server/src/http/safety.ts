/**
 * The default header fields of every answer, including errors. Answers are data: browsers must not use them as a page,
 * a script or a frame of this origin (CSP level 3, Fetch).
 */
export const DATA_FIELDS = {
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'; sandbox",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
} as const;
