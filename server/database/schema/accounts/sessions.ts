/** A session of a member who signed in with a SAML provider. It ends with the membership and with the provider. */
export interface SessionsTable {
  /** SHA-256 of the secret in the cookie, in hex. */
  hash: string;
  organization: string;
  user: string;
  samlProvider: string;
  createdAt: string;
  expiresAt: string;
}
