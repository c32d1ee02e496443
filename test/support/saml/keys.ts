import { readFileSync } from 'node:fs';

const read = (name: string) =>
  readFileSync(new URL(`../../fixtures/saml/${name}.pem`, import.meta.url), 'utf8');

/** A key with its certificate, created with openssl and valid until 2126. No program uses or trusts them. */
export interface KeyPair {
  key: string;
  certificate: string;
}

/** Key of the identity provider of tests. */
export const PROVIDER_KEY: KeyPair = { key: read('provider.key'), certificate: read('provider.certificate') };

/** Key of another identity provider. */
export const OTHER_KEY: KeyPair = { key: read('other.key'), certificate: read('other.certificate') };

/** Certificates with unusable keys: of an elliptic curve, for other signatures (RSA-PSS), and of 1,024 bits. */
export const UNSUPPORTED_CERTIFICATES = {
  curve: read('curve.certificate'),
  pss: read('pss.certificate'),
  short: read('short.certificate'),
};
