/** A pending sign-in with a SAML provider. Deleted when it is completed. */
export interface SamlRequestsTable {
  /** SHA-256 of the relay state, in hex. */
  relayStateHash: string;
  /** ID of the authentication request that the response refers to. */
  requestId: string;
  organization: string;
  samlProvider: string;
  /** SHA-256 of the cookie of the browser that started the sign-in, in hex. Null if cookies are not secure. */
  browserHash: string | null;
  /** Path to open after the sign-in. */
  returnPath: string | null;
  createdAt: string;
  expiresAt: string;
}

/** An accepted assertion of a SAML provider, until it expires. */
export interface SamlAssertionsTable {
  samlProvider: string;
  /** SHA-256 of the ID of the assertion, in hex. */
  assertionHash: string;
  organization: string;
  expiresAt: string;
}
