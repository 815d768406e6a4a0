/** The origins whose pages may use some routes; implemented by `domain/files`, and for ingest keys by `domain/identity`. */
export interface PageOrigins {
  /** Whether any organization allows the origin. A preflight does not name the organization. */
  isAllowed(origin: string): Promise<boolean>;
  isAllowedBy(orgId: string, origin: string): Promise<boolean>;
}
