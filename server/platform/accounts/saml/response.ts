import { DOMParser } from '@xmldom/xmldom';
import {
  createSaml,
  EMAIL_FORMAT,
  MAX_ASSERTION_AGE_MS,
  MAX_CLOCK_SKEW_MS,
  type SignInSettings,
} from './messages.ts';

/** What a valid assertion states, in plain data. */
export interface Assertion {
  id: string;
  /** Time when the assertion stops being accepted. */
  expiresAt: Date;
  /** Time when the identity provider ends its session. */
  sessionEndsAt: Date | undefined;
  /** In lower case. */
  email: string;
  displayName: string | undefined;
}

/** A response of an identity provider, and the request that it must respond to. */
export interface ReceivedResponse {
  settings: SignInSettings;
  requestId: string;
  /** In base64. */
  response: string;
}

const ASSERTIONS = 'urn:oasis:names:tc:SAML:2.0:assertion';
const PROTOCOL = 'urn:oasis:names:tc:SAML:2.0:protocol';
const SIGNATURES = 'http://www.w3.org/2000/09/xmldsig#';
const SUCCESS = 'urn:oasis:names:tc:SAML:2.0:status:Success';
const BEARER = 'urn:oasis:names:tc:SAML:2.0:cm:bearer';

/** Names of attributes with the email address, in lower case, the first ones preferred. */
const EMAIL_ATTRIBUTES = [
  'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress',
  'urn:oid:0.9.2342.19200300.100.1.3',
  'email',
  'mail',
  'emailaddress',
  'user.email',
  // The name of a user of AD FS and Microsoft Entra ID, which has the form of an email address.
  'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/upn',
  'upn',
  'userprincipalname',
];
/** Format of a name of no stated kind, which is also that of a name without a format (SAML 2.0 Core, 8.3.1). */
const UNSPECIFIED_FORMAT = 'urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified';
/** Names of attributes with the full name, in lower case, the first ones preferred. */
const NAME_ATTRIBUTES = [
  'http://schemas.microsoft.com/identity/claims/displayname',
  'urn:oid:2.16.840.1.113730.3.1.241',
  'displayname',
  'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/name',
  'name',
  'urn:oid:2.5.4.3',
  'cn',
];
/** Names of attributes with the given name and the surname, in lower case, the first ones preferred. */
const GIVEN_NAME_ATTRIBUTES = [
  'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/givenname',
  'urn:oid:2.5.4.42',
  'givenname',
  'firstname',
];
const SURNAME_ATTRIBUTES = [
  'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/surname',
  'urn:oid:2.5.4.4',
  'surname',
  'sn',
  'lastname',
];

/** ASCII only: some other characters, such as the Kelvin sign, are ASCII letters in lower case. */
const EMAIL = /^[\x21-\x3f\x41-\x7e]+@[A-Za-z\d](?:[A-Za-z\d.-]*[A-Za-z\d])?$/;
/** Maximum number of start and end tags in a response: the time of a library grows with the square of the number. */
export const MAX_SAML_TAGS = 5000;
/** Maximum length of an email address in an assertion. */
export const MAX_ASSERTED_EMAIL_CHARACTERS = 254;
/** Maximum length of a name that is read from an assertion; longer names are truncated. */
export const MAX_ASSERTED_NAME_CHARACTERS = 100;

/**
 * Validates a response, and returns what its signed assertion states. Runs in a thread, because parsing takes long for
 * some input.
 *
 * @throws Error with the cause, for the log
 */
export async function readResponse({ settings, requestId, response }: ReceivedResponse): Promise<Assertion> {
  const xml = decode(response);
  const envelope = parse(xml);
  requireEnvelope(envelope, settings);
  requireStrongDigests(envelope);
  const { profile } = await createSaml(settings, requestId).validatePostResponseAsync({
    SAMLResponse: response,
  });
  const signed = profile?.getAssertionXml?.();
  check(signed !== undefined, 'The response contains no assertion.');
  // From here on, only what the signature covers is read.
  return readAssertion(parse(signed), settings, requestId);
}

/** Decodes a message. Markup that is not needed, and parsers treat differently, is rejected before it is parsed. */
function decode(base64: string): string {
  const text = base64.replaceAll(/\s/g, '');
  check(/^[A-Za-z\d+/]+={0,2}$/.test(text), 'The response is not in base64.');
  const xml = new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(text, 'base64'));
  check(!xml.includes('<!'), 'The response contains a document type, a comment or a CDATA section.');
  check(
    xml.split('<', MAX_SAML_TAGS + 2).length <= MAX_SAML_TAGS + 1,
    'The response contains too many tags.',
  );
  check(xml.lastIndexOf('<?') <= 0, 'The response contains a processing instruction.');
  return xml;
}

function parse(xml: string): Element {
  const fail = (message: unknown) => {
    throw new Error(`The response is not well-formed XML: ${String(message)}`);
  };
  const parser = new DOMParser({ errorHandler: { warning: fail, error: fail, fatalError: fail } });
  return parser.parseFromString(xml, 'text/xml').documentElement;
}

/** Checks the response around the assertion, which may be unsigned: it can only be a reason to reject. */
function requireEnvelope(response: Element, { entityID, service }: SignInSettings): void {
  check(isNamed(response, PROTOCOL, 'Response'), 'The message is not a response.');
  const destination = response.getAttribute('Destination');
  check(
    !destination || destination === service.acsURL,
    `The response is for the destination ${destination}, not for ${service.acsURL}.`,
  );
  const [issuer] = childrenOf(response, ASSERTIONS, 'Issuer');
  check(
    issuer === undefined || elementText(issuer) === entityID,
    `The response has the issuer ${issuer && elementText(issuer)}, not ${entityID}.`,
  );
  const [status] = childrenOf(response, PROTOCOL, 'Status');
  const [code] = status ? childrenOf(status, PROTOCOL, 'StatusCode') : [];
  const value = code?.getAttribute('Value');
  check(value === SUCCESS, `The response has the status ${value}.`);
}

/** Signatures with SHA-1 can be forged by those who influence what is signed. */
function requireStrongDigests(response: Element): void {
  for (const name of ['SignatureMethod', 'DigestMethod']) {
    for (const method of Array.from(response.getElementsByTagNameNS(SIGNATURES, name))) {
      const algorithm = method.getAttribute('Algorithm') ?? '';
      check(!/sha1$/i.test(algorithm), `The response is signed with ${algorithm}.`);
    }
  }
}

function readAssertion(assertion: Element, settings: SignInSettings, requestId: string): Assertion {
  const { entityID, service } = settings;
  check(isNamed(assertion, ASSERTIONS, 'Assertion'), 'The signed element is not an assertion.');
  const id = assertion.getAttribute('ID') ?? '';
  const issuer = elementText(onlyChild(assertion, 'Issuer'));
  check(issuer === entityID, `The assertion has the issuer ${issuer}, not ${entityID}.`);
  const issuedAt = timeOf(assertion, 'IssueInstant');
  check(issuedAt.getTime() <= Date.now() + MAX_CLOCK_SKEW_MS, 'The assertion was issued in the future.');

  const subject = onlyChild(assertion, 'Subject');
  // The library checks the times of one confirmation, so there must not be another one.
  const confirmation = onlyChild(subject, 'SubjectConfirmation');
  const method = confirmation.getAttribute('Method');
  check(method === BEARER, `The subject has the confirmation method ${method}.`);
  const data = onlyChild(confirmation, 'SubjectConfirmationData');
  const recipient = data.getAttribute('Recipient');
  check(recipient === service.acsURL, `The assertion has the recipient ${recipient}, not ${service.acsURL}.`);
  const request = data.getAttribute('InResponseTo');
  check(request === requestId, `The assertion responds to the request ${request}, not ${requestId}.`);
  const notOnOrAfter = timeOf(data, 'NotOnOrAfter').getTime();

  const attributes = readAttributes(assertion);
  const latest = Math.min(notOnOrAfter, issuedAt.getTime() + MAX_ASSERTION_AGE_MS);
  return {
    id,
    expiresAt: new Date(latest + MAX_CLOCK_SKEW_MS),
    sessionEndsAt: sessionEndOf(assertion),
    email: emailOf(subject, attributes),
    displayName: fullNameOf(attributes),
  };
}

function sessionEndOf(assertion: Element): Date | undefined {
  const [statement] = childrenOf(assertion, ASSERTIONS, 'AuthnStatement');
  check(statement !== undefined, 'The assertion states no authentication.');
  return statement.getAttribute('SessionNotOnOrAfter') ? timeOf(statement, 'SessionNotOnOrAfter') : undefined;
}

/** Returns the values of the attributes by name in lower case. */
function readAttributes(assertion: Element): Map<string, string[]> {
  const attributes = new Map<string, string[]>();
  for (const statement of childrenOf(assertion, ASSERTIONS, 'AttributeStatement')) {
    for (const attribute of childrenOf(statement, ASSERTIONS, 'Attribute')) {
      const name = attribute.getAttribute('Name')?.toLowerCase() ?? '';
      const values = childrenOf(attribute, ASSERTIONS, 'AttributeValue').map(elementText);
      attributes.set(name, [...(attributes.get(name) ?? []), ...values]);
    }
  }
  return attributes;
}

function emailOf(subject: Element, attributes: Map<string, string[]>): string {
  const nameID = onlyChild(subject, 'NameID');
  const format = nameID.getAttribute('Format') || UNSPECIFIED_FORMAT;
  const name = elementText(nameID);
  const attribute = EMAIL_ATTRIBUTES.find((candidate) => attributes.get(candidate)?.length);
  // Without a format, the name may be any other identifier.
  const unspecified = format === UNSPECIFIED_FORMAT && EMAIL.test(name) ? [name] : [];
  const values = format === EMAIL_FORMAT ? [name] : (attributes.get(attribute ?? '') ?? unspecified);
  for (const value of values) {
    check(
      value.length <= MAX_ASSERTED_EMAIL_CHARACTERS && EMAIL.test(value),
      'The assertion contains an invalid email address.',
    );
  }
  const [email, ...others] = new Set(values.map((value) => value.toLowerCase()));
  check(email !== undefined, 'The assertion contains no email address.');
  check(others.length === 0, 'The assertion contains several email addresses.');
  return email;
}

function fullNameOf(attributes: Map<string, string[]>): string | undefined {
  const firstOf = (names: readonly string[]) =>
    names.flatMap((name) => attributes.get(name) ?? []).find((value) => value !== '') ?? '';
  const parts = [GIVEN_NAME_ATTRIBUTES, SURNAME_ATTRIBUTES].map(firstOf).join(' ').trim();
  const value = firstOf(NAME_ATTRIBUTES);
  // The usual name of an AD FS user is the login.
  const text = (parts !== '' && EMAIL.test(value) ? parts : value || parts)
    .replaceAll(/[\p{C}\s]+/gu, ' ')
    .trim();
  return Array.from(text).slice(0, MAX_ASSERTED_NAME_CHARACTERS).join('') || undefined;
}

function childrenOf(parent: Element, namespace: string, name: string): Element[] {
  return Array.from(parent.childNodes).filter(
    (node): node is Element => node.nodeType === node.ELEMENT_NODE && isNamed(node, namespace, name),
  );
}

/** Returns the only child with a name in the namespace of assertions. */
function onlyChild(parent: Element, name: string): Element {
  const [child, ...others] = childrenOf(parent, ASSERTIONS, name);
  check(child !== undefined && others.length === 0, `${parent.localName} must contain one ${name}.`);
  return child;
}

const isNamed = (node: Node, namespace: string, name: string): boolean =>
  'namespaceURI' in node && node.namespaceURI === namespace && 'localName' in node && node.localName === name;

/** Returns the text of an element without child elements. */
function elementText(element: Element): string {
  const isText = Array.from(element.childNodes).every((node) => node.nodeType === node.TEXT_NODE);
  check(isText, `${element.localName} must contain text only.`);
  return element.textContent?.trim() ?? '';
}

function timeOf(element: Element, name: string): Date {
  const time = new Date(element.getAttribute(name) ?? '');
  check(!Number.isNaN(time.getTime()), `${element.localName} has no valid ${name}.`);
  return time;
}

function check(condition: boolean, message: string): asserts condition {
  if (!condition) {
    throw new Error(message);
  }
}
