import { deflateRawSync } from 'node:zlib';
import { OTHER_KEY } from './keys.ts';
import {
  assertionOf,
  encode,
  envelopeOf,
  inMinutes,
  nameIDOf,
  type RequiredValues,
  type ResponseValues,
  randomId,
  sign,
  signedResponse,
} from './responses.ts';

/** A response that must be rejected. */
export interface Attack {
  name: string;
  /** Part of the cause in the log. */
  cause: string;
  /** Returns the response in base64. */
  response: (values: RequiredValues) => string;
}

/** Address that the forged assertions state; the signed ones state another. */
const FORGED_EMAIL = 'admin@example.com';

const SIGNATURE = /<Signature [\s\S]*?<\/Signature>/;
const signatureOf = (xml: string): string => SIGNATURE.exec(xml)?.[0] ?? '';
const forged = (values: RequiredValues) => assertionOf({ ...values, nameID: nameIDOf(FORGED_EMAIL) });
const assertionIn = (xml: string): string => /<saml:Assertion [\s\S]*<\/saml:Assertion>/.exec(xml)?.[0] ?? '';

/** Creates an attack with a response that has a valid signature, but invalid values. */
const signed = (
  name: string,
  cause: string,
  change: (values: RequiredValues) => Partial<ResponseValues>,
): Attack => ({
  name,
  cause,
  response: (values) => encode(signedResponse({ ...values, ...change(values) })),
});

/** Creates an attack that moves a signed assertion (signature wrapping). */
const wrapped = (
  name: string,
  cause: string,
  wrap: (parts: { original: string; evil: string; values: RequiredValues }) => string,
): Attack => ({
  name: `signature wrapping: ${name}`,
  cause,
  response: (values) => {
    const original = assertionIn(signedResponse(values));
    return encode(wrap({ original, evil: forged(values), values }));
  },
});

const intoFirst = (assertion: string, content: string, after: string) =>
  assertion.replace(after, () => after + content);

const SIGNATURES: Attack[] = [
  {
    name: 'an unsigned assertion',
    cause: 'Invalid signature',
    response: (values) => encode(envelopeOf(values, assertionOf(values))),
  },
  {
    name: 'an assertion signed by another key',
    cause: 'Invalid signature',
    response: (values) => encode(signedResponse(values, { key: OTHER_KEY.key })),
  },
  {
    name: 'a signed response with an unsigned assertion',
    cause: 'Invalid signature',
    response: (values) => encode(sign(envelopeOf(values, assertionOf(values)), 'Response')),
  },
  {
    name: 'an assertion changed after it was signed',
    cause: 'Invalid signature',
    response: (values) => encode(signedResponse(values).replace('ada@example.com', FORGED_EMAIL)),
  },
  {
    name: 'a signature with SHA-1',
    cause: 'is signed with http://www.w3.org/2000/09/xmldsig#rsa-sha1',
    response: (values) =>
      encode(signedResponse(values, { algorithm: 'http://www.w3.org/2000/09/xmldsig#rsa-sha1' })),
  },
  {
    name: 'a digest with SHA-1',
    cause: 'is signed with http://www.w3.org/2000/09/xmldsig#sha1',
    response: (values) =>
      encode(signedResponse(values, { digest: 'http://www.w3.org/2000/09/xmldsig#sha1' })),
  },
];

const WRAPPING: Attack[] = [
  wrapped('a forged assertion before the signed one', 'multiple assertions', ({ original, evil, values }) =>
    envelopeOf(values, evil + original),
  ),
  wrapped('a forged assertion after the signed one', 'multiple assertions', ({ original, evil, values }) =>
    envelopeOf(values, original + evil),
  ),
  wrapped('the signed assertion in a forged one', 'Invalid signature', ({ original, evil, values }) =>
    envelopeOf(
      values,
      evil.replace('</saml:Assertion>', () => `${original}</saml:Assertion>`),
    ),
  ),
  wrapped('a forged assertion with the signature', 'Invalid signature', ({ original, evil, values }) => {
    const issuer = `<saml:Issuer>${values.issuer}</saml:Issuer>`;
    return envelopeOf(values, intoFirst(evil, signatureOf(original), issuer));
  }),
  wrapped(
    'a forged assertion with the signature, next to the signed one',
    'multiple assertions',
    ({ original, evil, values }) => {
      const issuer = `<saml:Issuer>${values.issuer}</saml:Issuer>`;
      const rest = original.replace(SIGNATURE, '');
      return envelopeOf(values, intoFirst(evil, signatureOf(original), issuer) + rest);
    },
  ),
  wrapped('the signed assertion in the signature', 'Invalid signature', ({ original, evil, values }) => {
    const issuer = `<saml:Issuer>${values.issuer}</saml:Issuer>`;
    const rest = original.replace(SIGNATURE, '');
    const signature = signatureOf(original).replace(
      '</Signature>',
      () => `<Object>${rest}</Object></Signature>`,
    );
    return envelopeOf(values, intoFirst(evil, signature, issuer));
  }),
  wrapped('the signed assertion in an extension', 'Invalid signature', ({ original, evil, values }) =>
    envelopeOf(values, `<samlp:Extensions>${original}</samlp:Extensions>${evil}`),
  ),
  wrapped(
    'two elements with the ID of the signed one',
    'cannot refer to more than one',
    ({ original, values }) => {
      const [, id = ''] = / ID="([^"]+)"/.exec(original) ?? [];
      return envelopeOf(values, `<samlp:Extensions ID="${id}"/>${original}`);
    },
  ),
  {
    name: 'signature wrapping: a signed response in a forged one',
    cause: 'Invalid signature',
    response: (values) => {
      const original = sign(envelopeOf(values, assertionOf(values)), 'Response');
      const evil = envelopeOf(values, `<samlp:Extensions>${original}</samlp:Extensions>${forged(values)}`);
      return encode(evil);
    },
  },
];

const VALUES: Attack[] = [
  signed('another audience', 'audience mismatch', () => ({ audience: 'https://other.example.com' })),
  signed('another recipient', 'has the recipient', () => ({ recipient: 'https://other.example.com/acs' })),
  signed('another destination', 'for the destination', () => ({
    destination: 'https://other.example.com/acs',
  })),
  signed('another issuer of the assertion', 'The assertion has the issuer', ({ issuer }) => ({
    issuer: 'https://other.example.com',
    responseIssuer: issuer,
  })),
  signed('another issuer of the response', 'The response has the issuer', () => ({
    responseIssuer: 'https://other.example.com',
  })),
  signed('an expired assertion', 'expired', () => ({ notOnOrAfter: inMinutes(-2.1) })),
  signed('an expired subject confirmation', 'No valid subject confirmation', () => ({
    confirmedUntil: inMinutes(-2.1),
  })),
  signed('an assertion that is not yet valid', 'not yet valid', () => ({ notBefore: inMinutes(2.1) })),
  signed('an assertion that was issued too long ago', 'No valid subject confirmation', () => ({
    issuedAt: inMinutes(-12.1),
  })),
  signed('an assertion from the future', 'issued in the future', () => ({ issuedAt: inMinutes(2.1) })),
  signed('an assertion without expiry', 'not a valid date', () => ({ confirmedUntil: undefined })),
  signed('the answer to another request', 'InResponseTo is not valid', () => {
    const id = randomId();
    return { responseInResponseTo: id, inResponseTo: id };
  }),
  signed('an assertion for another request', 'InResponseTo does not match', () => ({
    inResponseTo: randomId(),
  })),
  signed('an assertion for no request', 'The assertion responds to the request', () => ({
    inResponseTo: '',
  })),
  signed('a failed authentication', 'has the status', () => ({
    status: 'urn:oasis:names:tc:SAML:2.0:status:Responder',
  })),
  signed('another confirmation method', 'has the confirmation method', () => ({
    confirmationMethod: 'urn:oasis:names:tc:SAML:2.0:cm:sender-vouches',
  })),
  signed('two names', 'must contain one NameID', () => ({
    nameID: nameIDOf('ada@example.com') + nameIDOf(FORGED_EMAIL),
  })),
  signed('no email address', 'contains no email address', () => ({
    nameID: '<saml:NameID>ada</saml:NameID>',
  })),
  signed('two email addresses', 'several email addresses', () => ({
    nameID: '<saml:NameID>ada</saml:NameID>',
    attributes: `<saml:Attribute Name="email"><saml:AttributeValue>ada@example.com</saml:AttributeValue><saml:AttributeValue>${FORGED_EMAIL}</saml:AttributeValue></saml:Attribute>`,
  })),
  signed('a name with an element', 'must contain text only', () => ({
    nameID: nameIDOf('ada@example.com<x/>'),
  })),
  signed('an invalid end of the session', 'no valid SessionNotOnOrAfter', () => ({
    sessionEnd: ' SessionNotOnOrAfter="later"',
  })),
  {
    name: 'an assertion without authentication',
    cause: 'states no authentication',
    response: (values) => {
      const assertion = assertionOf(values).replace(/<saml:AuthnStatement.*<\/saml:AuthnStatement>/, '');
      return encode(sign(envelopeOf(values, assertion), 'Assertion'));
    },
  },
  {
    name: 'an assertion of SAML 1',
    cause: 'not an assertion',
    response: (values) => {
      const assertion = assertionOf(values).replace('SAML:2.0:assertion', 'SAML:1.0:assertion');
      return encode(sign(envelopeOf(values, assertion), 'Assertion'));
    },
  },
  ...[
    'ada',
    'ada@',
    'a da@example.com',
    'ad@a@example.com',
    'ad\u0131@example.com',
    '\u212Aim@example.com',
  ].map((email) =>
    signed(`the email address ${email}`, 'invalid email address', () => ({ nameID: nameIDOf(email) })),
  ),
];

const MARKUP: Attack[] = [
  {
    name: 'a comment in the name',
    cause: 'a comment',
    response: (values) =>
      encode(
        signedResponse({ ...values, nameID: nameIDOf(`${FORGED_EMAIL}.evil.example`) }).replace(
          `${FORGED_EMAIL}.evil`,
          `${FORGED_EMAIL}<!---->.evil`,
        ),
      ),
  },
  {
    name: 'an external entity',
    cause: 'a document type',
    response: (values) => {
      const xml = signedResponse(values).replace('ada@example.com', '&x;');
      return encode(`<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]>${xml}`);
    },
  },
  {
    name: 'nested entities',
    cause: 'a document type',
    response: (values) =>
      encode(`<!DOCTYPE r [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]>${signedResponse(values)}`),
  },
  {
    name: 'a processing instruction',
    cause: 'a processing instruction',
    response: (values) => encode(signedResponse(values).replace('<saml:Subject>', '<?x y?><saml:Subject>')),
  },
  { name: 'text that is not base64', cause: 'not in base64', response: () => '<samlp:Response/>' },
  {
    name: 'a compressed response',
    cause: 'not valid',
    response: (values) => encode(deflateRawSync(signedResponse(values))),
  },
  {
    name: 'a compressed response that expands a thousandfold',
    cause: 'not valid',
    response: () => encode(deflateRawSync(Buffer.alloc(10_000_000, 'a'))),
  },
  {
    name: 'XML that is not well-formed',
    cause: 'not well-formed',
    response: () => encode('<samlp:Response'),
  },
  {
    name: 'too many tags',
    cause: 'too many tags',
    response: (values) => encode(envelopeOf(values, assertionOf(values) + '<a/>'.repeat(5000))),
  },
  { name: 'another message', cause: 'not a response', response: () => encode('<LogoutResponse/>') },
];

export const ATTACKS: readonly Attack[] = [...SIGNATURES, ...WRAPPING, ...VALUES, ...MARKUP];
