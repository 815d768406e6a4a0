/**
 * The default headers of every answer: it is data, and no browser treats it as a page, a script or a frame of this
 * origin, including errors and refusals (CSP level 3, Fetch).
 */
export const DATA_FIELDS = {
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'; sandbox",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
} as const;
