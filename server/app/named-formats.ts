import type { NamedFormats } from '../contract/index.ts';
import { parseCertificates } from '../platform/accounts/saml/certificates.ts';
import { isIconData, isIconDataOrUrl, isImageData } from '../platform/kit/images.ts';

/** The formats that the contract names. Each of its schemas with such a format states the rule in `x-rule`. */
export const namedFormats: NamedFormats = {
  // Empty for a certificate that is not set.
  'x509-certificate': (text) => text === '' || parseCertificates(text) !== undefined,
  'image-data': isImageData,
  'icon-data': isIconData,
  'icon-data-or-url': isIconDataOrUrl,
};
