import { SAML, type SamlConfig, ValidateInResponseTo } from '@node-saml/node-saml';
import { SAML_REQUEST_LIFETIME_MS } from './requests.ts';

/** Accepted difference between the clocks of this server and an identity provider. */
export const MAX_CLOCK_SKEW_MS = 120_000;
/** Maximum age of an accepted assertion, in addition to its own expiry. */
export const MAX_ASSERTION_AGE_MS = 600_000;

export const EMAIL_FORMAT = 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress';

/** Settings of both sides of a sign-in. */
export interface SignInSettings {
  /** Of the identity provider. */
  ssoURL: string;
  entityID: string;
  certificates: string[];
  /** Of this service. */
  service: { entityID: string; acsURL: string };
}

/** Creates the library's object for one message. */
export function createSaml({ ssoURL, certificates, service }: SignInSettings, requestId: string): SAML {
  const createdAt = new Date().toISOString();
  const options: SamlConfig = {
    entryPoint: ssoURL,
    idpCert: certificates,
    issuer: service.entityID,
    audience: service.entityID,
    callbackUrl: service.acsURL,
    identifierFormat: EMAIL_FORMAT,
    disableRequestedAuthnContext: true,
    wantAssertionsSigned: true,
    // The signature of the assertion is always required. One of the response is only verified.
    wantAuthnResponseSigned: false,
    acceptedClockSkewMs: MAX_CLOCK_SKEW_MS,
    maxAssertionAgeMs: MAX_ASSERTION_AGE_MS,
    validateInResponseTo: ValidateInResponseTo.always,
    requestIdExpirationPeriodMs: SAML_REQUEST_LIFETIME_MS,
    generateUniqueId: () => requestId,
    // Requests are stored in the database, which the caller has searched.
    cacheProvider: {
      saveAsync: async () => null,
      getAsync: async (id) => (id === requestId ? createdAt : null),
      removeAsync: async () => null,
    },
  };
  return new SAML(options);
}

/** Returns the URL of the identity provider that requests a sign-in (HTTP-Redirect binding). */
export async function requestUrl({
  settings,
  requestId,
  relayState,
}: {
  settings: SignInSettings;
  requestId: string;
  relayState: string;
}): Promise<string> {
  return await createSaml(settings, requestId).getAuthorizeUrlAsync(relayState, undefined, {});
}

/** Returns the metadata of this service for an identity provider, in XML. */
export function metadataOf({ settings, id }: { settings: SignInSettings; id: string }): string {
  return createSaml(settings, id).generateServiceProviderMetadata(null);
}
