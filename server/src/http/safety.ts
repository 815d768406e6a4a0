/**
 * What every answer carries unless it says otherwise: it is data, and no browser takes it for a page, a script or a frame of this
 * origin, errors and refusals among it (CSP level 3, Fetch).
 */
export const DATA_FIELDS = {
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'; sandbox",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
} as const;
