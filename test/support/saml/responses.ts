import { randomBytes } from 'node:crypto';
import { SignedXml } from 'xml-crypto';
import { type KeyPair, PROVIDER_KEY } from './keys.ts';

/** The values of a response; the rest is fixed. */
export interface ResponseValues {
  acsURL: string;
  audience: string;
  issuer: string;
  requestId: string;
  /** Markup of the subject's name. */
  nameID: string;
  /** Markup of the attributes. */
  attributes: string;
  assertionId: string;
  destination: string;
  recipient: string;
  responseIssuer: string;
  responseInResponseTo: string;
  /** Of the subject confirmation; omitted if empty. */
  inResponseTo: string;
  status: string;
  confirmationMethod: string;
  issuedAt: Date;
  notBefore: Date;
  notOnOrAfter: Date;
  /** Of the subject confirmation; omitted if undefined. */
  confirmedUntil: Date | undefined;
  /** Attributes of the authentication statement. */
  sessionEnd: string;
}

/** The values that a test must choose. */
export type RequiredValues = Pick<ResponseValues, 'acsURL' | 'audience' | 'issuer' | 'requestId'>;

export const EMAIL_FORMAT = 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress';

/** Returns the markup of a name that is an email address. */
export const nameIDOf = (email: string): string =>
  `<saml:NameID Format="${EMAIL_FORMAT}">${email}</saml:NameID>`;

/** Returns a time relative to now. */
export const inMinutes = (minutes: number): Date => new Date(Date.now() + minutes * 60_000);

export const randomId = (): string => `_${randomBytes(16).toString('hex')}`;

function valuesOf(values: RequiredValues & Partial<ResponseValues>): ResponseValues {
  return {
    nameID: nameIDOf('ada@example.com'),
    attributes: '',
    assertionId: randomId(),
    destination: values.acsURL,
    recipient: values.acsURL,
    responseIssuer: values.issuer,
    responseInResponseTo: values.requestId,
    inResponseTo: values.requestId,
    status: 'urn:oasis:names:tc:SAML:2.0:status:Success',
    confirmationMethod: 'urn:oasis:names:tc:SAML:2.0:cm:bearer',
    issuedAt: inMinutes(0),
    notBefore: inMinutes(-1),
    notOnOrAfter: inMinutes(5),
    confirmedUntil: inMinutes(5),
    sessionEnd: '',
    ...values,
  };
}

/** Returns an unsigned assertion. */
export function assertionOf(required: RequiredValues & Partial<ResponseValues>): string {
  const values = valuesOf(required);
  const { inResponseTo, confirmedUntil } = values;
  const statement =
    values.attributes && `<saml:AttributeStatement>${values.attributes}</saml:AttributeStatement>`;
  return `<saml:Assertion xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="${values.assertionId}" Version="2.0" IssueInstant="${values.issuedAt.toISOString()}"><saml:Issuer>${values.issuer}</saml:Issuer><saml:Subject>${values.nameID}<saml:SubjectConfirmation Method="${values.confirmationMethod}"><saml:SubjectConfirmationData${confirmedUntil ? ` NotOnOrAfter="${confirmedUntil.toISOString()}"` : ''} Recipient="${values.recipient}"${inResponseTo && ` InResponseTo="${inResponseTo}"`}/></saml:SubjectConfirmation></saml:Subject><saml:Conditions NotBefore="${values.notBefore.toISOString()}" NotOnOrAfter="${values.notOnOrAfter.toISOString()}"><saml:AudienceRestriction><saml:Audience>${values.audience}</saml:Audience></saml:AudienceRestriction></saml:Conditions><saml:AuthnStatement AuthnInstant="${values.issuedAt.toISOString()}"${values.sessionEnd}><saml:AuthnContext><saml:AuthnContextClassRef>urn:oasis:names:tc:SAML:2.0:ac:classes:Password</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement>${statement}</saml:Assertion>`;
}

/** Returns a response around markup, without a signature of its own. */
export function envelopeOf(required: RequiredValues & Partial<ResponseValues>, content: string): string {
  const values = valuesOf(required);
  return `<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" ID="${randomId()}" Version="2.0" IssueInstant="${values.issuedAt.toISOString()}" Destination="${values.destination}" InResponseTo="${values.responseInResponseTo}"><saml:Issuer xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion">${values.responseIssuer}</saml:Issuer><samlp:Status><samlp:StatusCode Value="${values.status}"/></samlp:Status>${content}</samlp:Response>`;
}

/** How an element is signed. */
export interface Signing extends Partial<KeyPair> {
  algorithm?: string;
  digest?: string;
}

/** Signs the first element with a local name, as identity providers do: the signature follows its issuer. */
export function sign(
  xml: string,
  element: 'Assertion' | 'Response',
  {
    key = PROVIDER_KEY.key,
    algorithm = 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
    digest = 'http://www.w3.org/2001/04/xmlenc#sha256',
  }: Signing = {},
): string {
  const exclusive = 'http://www.w3.org/2001/10/xml-exc-c14n#';
  const signature = new SignedXml({
    privateKey: key,
    signatureAlgorithm: algorithm,
    canonicalizationAlgorithm: exclusive,
  });
  signature.addReference({
    xpath: `//*[local-name(.)='${element}']`,
    transforms: ['http://www.w3.org/2000/09/xmldsig#enveloped-signature', exclusive],
    digestAlgorithm: digest,
  });
  signature.computeSignature(xml, {
    location: { reference: `//*[local-name(.)='${element}']/*[local-name(.)='Issuer']`, action: 'after' },
  });
  return signature.getSignedXml();
}

/** Returns a response with a signed assertion. */
export const signedResponse = (
  values: RequiredValues & Partial<ResponseValues>,
  signing: Signing = {},
): string => sign(envelopeOf(values, assertionOf(values)), 'Assertion', signing);

export const encode = (xml: string | Buffer): string => Buffer.from(xml).toString('base64');
