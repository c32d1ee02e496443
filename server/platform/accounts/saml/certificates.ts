import { X509Certificate } from 'node:crypto';

/** Minimum size of the key of a certificate, in bits. */
const MIN_KEY_BITS = 2048;

const PEM_BLOCK = /-----BEGIN CERTIFICATE-----([^-]*)-----END CERTIFICATE-----/g;
const BASE64 = /^[A-Za-z\d+/]+={0,2}$/;

/**
 * Parses the signing certificates of an identity provider: PEM, several if it is about to replace one, or the bare
 * base64 text of one, in any number of lines. Their validity periods are ignored, as identity providers publish
 * certificates only to transfer keys.
 *
 * @returns the certificates in PEM format; undefined if one is invalid or has no RSA key of at least 2048 bits
 */
export function parseCertificates(text: string): string[] | undefined {
  const blocks = [...text.matchAll(PEM_BLOCK)].map(([, content = '']) => content);
  const isPem = blocks.length > 0 && text.replaceAll(PEM_BLOCK, '').trim() === '';
  const certificates = (isPem ? blocks : [text]).map(parseCertificate);
  return certificates.includes(undefined)
    ? undefined
    : certificates.filter((certificate) => certificate !== undefined);
}

function parseCertificate(base64: string): string | undefined {
  const content = base64.replaceAll(/\s/g, '');
  if (!BASE64.test(content)) {
    return undefined;
  }
  try {
    const certificate = new X509Certificate(Buffer.from(content, 'base64'));
    const { asymmetricKeyType, asymmetricKeyDetails } = certificate.publicKey;
    const isSupported =
      asymmetricKeyType === 'rsa' && (asymmetricKeyDetails?.modulusLength ?? 0) >= MIN_KEY_BITS;
    return isSupported ? certificate.toString() : undefined;
  } catch {
    return undefined;
  }
}
