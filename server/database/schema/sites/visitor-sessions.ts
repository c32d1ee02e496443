/** A session of a visitor of a site, who presented a valid visitor token. It ends with the token. */
export interface VisitorSessionsTable {
  /** SHA-256 of the secret in the cookie, in hex. */
  hash: string;
  organization: string;
  site: string;
  /** The visitor token, sealed. It is verified with each request. */
  token: string;
  expiresAt: string;
}
