import { describe, expect, test } from 'vitest';
import { parseCertificates } from '../../../server/platform/accounts/saml/certificates.ts';
import { readResponse } from '../../../server/platform/accounts/saml/response.ts';
import { isReturnPath } from '../../../server/platform/accounts/saml/sign-in/return-path.ts';
import { ATTACKS } from '../../support/saml/attacks.ts';
import { OTHER_KEY, PROVIDER_KEY, UNSUPPORTED_CERTIFICATES } from '../../support/saml/keys.ts';
import { encode, inMinutes, type ResponseValues, signedResponse } from '../../support/saml/responses.ts';

const service = {
  entityID: 'https://docs.example.com/saml/saml_1',
  acsURL: 'https://docs.example.com/saml/saml_1/acs',
};
const settings = {
  entityID: 'https://accounts.example.com',
  ssoURL: 'https://accounts.example.com/sso',
  certificates: [OTHER_KEY.certificate, PROVIDER_KEY.certificate],
  service,
};
const values = {
  acsURL: service.acsURL,
  audience: service.entityID,
  issuer: settings.entityID,
  requestId: '_request',
};
const own = { ...settings, certificates: [PROVIDER_KEY.certificate] };

const read = (response: string, with_ = settings) =>
  readResponse({ settings: with_, requestId: values.requestId, response });
const readSigned = (changed: Partial<ResponseValues> = {}) =>
  read(encode(signedResponse({ ...values, ...changed })));

describe('a response', () => {
  test('is valid if a certificate of the provider signed its assertion', async () => {
    const notOnOrAfter = inMinutes(5);
    expect(await readSigned({ confirmedUntil: notOnOrAfter, assertionId: '_a' })).toEqual({
      id: '_a',
      email: 'ada@example.com',
      displayName: undefined,
      sessionEndsAt: undefined,
      expiresAt: new Date(notOnOrAfter.getTime() + 120_000),
    });
  });

  test('can differ from this clock by less than two minutes', async () => {
    const late = { notOnOrAfter: inMinutes(-1.9), confirmedUntil: inMinutes(-1.9) };
    const early = { notBefore: inMinutes(1.9), issuedAt: inMinutes(1.9) };
    for (const changed of [late, early, { issuedAt: inMinutes(-11.9) }]) {
      expect(await readSigned(changed)).toMatchObject({ email: 'ada@example.com' });
    }
  });

  test('states the email address, the name and the end of the session', async () => {
    const attribute = (name: string, value: string) =>
      `<saml:Attribute Name="${name}"><saml:AttributeValue>${value}</saml:AttributeValue></saml:Attribute>`;
    const unspecified = '<saml:NameID>u-1</saml:NameID>';
    const names = attribute('displayName', ' Ada\n &lt;b&gt; ') + attribute('department', 'x');
    for (const name of ['email', 'Mail', 'urn:oid:0.9.2342.19200300.100.1.3']) {
      const attributes = attribute(name, 'Ada@Example.com') + names;
      const sessionEnd = ' SessionNotOnOrAfter="2030-01-01T00:00:00Z"';
      expect(await readSigned({ nameID: unspecified, attributes, sessionEnd })).toMatchObject({
        email: 'ada@example.com',
        displayName: 'Ada <b>',
        sessionEndsAt: new Date('2030-01-01T00:00:00Z'),
      });
    }
  });

  describe('states the email address', () => {
    const Claims = 'http://schemas.xmlsoap.org/ws/2005/05/identity/claims';
    const Unspecified = 'urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified';
    const Persistent = 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent';
    const nameID = (text: string, format?: string) =>
      `<saml:NameID${format === undefined ? '' : ` Format="${format}"`}>${text}</saml:NameID>`;
    const attribute = (name: string, value: string) =>
      `<saml:Attribute Name="${name}"><saml:AttributeValue>${value}</saml:AttributeValue></saml:Attribute>`;

    test.each([
      ['as a name of an unspecified format', { nameID: nameID('ada@example.com', Unspecified) }],
      ['as a name without a format', { nameID: nameID('ada@example.com') }],
      [
        'as an attribute, beside a name of an unspecified format',
        {
          nameID: nameID('a.lovelace@corp.example', Unspecified),
          attributes: attribute(`${Claims}/emailaddress`, 'ada@example.com'),
        },
      ],
      [
        'as the name of a user of AD FS',
        {
          nameID: nameID('CORP\\ada', Unspecified),
          attributes: attribute(`${Claims}/upn`, 'ada@example.com'),
        },
      ],
      [
        'as an email address, beside the name of a user of AD FS',
        {
          nameID: nameID('u-1', Persistent),
          attributes: attribute(`${Claims}/upn`, 'ada@corp.example') + attribute('mail', 'ada@example.com'),
        },
      ],
    ])('%s', async (_, changed) => {
      expect(await readSigned(changed)).toMatchObject({ email: 'ada@example.com' });
    });

    test.each([
      ['a name of another format', nameID('ada@example.com', Persistent)],
      ['a name that is no email address', nameID('ada', Unspecified)],
    ])('but not as %s', async (_, name) => {
      await expect(readSigned({ nameID: name })).rejects.toThrow('The assertion contains no email address.');
    });

    test.each([
      ['its parts', { givenname: 'Ada', surname: 'Lovelace' }, 'Ada Lovelace'],
      [
        'its parts, beside the login',
        { name: 'ada@corp.example', givenname: 'Ada', surname: 'Lovelace' },
        'Ada Lovelace',
      ],
      ['one part', { givenname: 'Ada' }, 'Ada'],
      ['the whole name', { name: 'Ada L', givenname: 'Ada', surname: 'Lovelace' }, 'Ada L'],
    ])('and the name by %s', async (_, claims, displayName) => {
      const attributes = Object.entries(claims).map(([name, value]) => attribute(`${Claims}/${name}`, value));
      expect(await readSigned({ attributes: attributes.join('') })).toMatchObject({ displayName });
    });
  });

  test('can contain hundreds of groups', async () => {
    const groups = '<saml:AttributeValue>group</saml:AttributeValue>'.repeat(2000);
    const attributes = `<saml:Attribute Name="groups">${groups}</saml:Attribute>`;
    expect(await readSigned({ attributes })).toMatchObject({ email: 'ada@example.com' });
  });

  test.each(ATTACKS)('is rejected if it is $name', async ({ response, cause }) => {
    await expect(read(response(values), own)).rejects.toThrow(cause);
  });
});

describe('the certificate of a provider', () => {
  const { certificate } = PROVIDER_KEY;
  const bare = certificate.replaceAll(/-----.*-----|\n/g, '');

  test.each([
    ['PEM', certificate, 1],
    ['PEM with Windows line ends', certificate.replaceAll('\n', '\r\n'), 1],
    ['PEM in one line', certificate.replaceAll('\n', ''), 1],
    ['bare base64', bare, 1],
    ['bare base64 in several lines', bare.replaceAll(/.{20}/g, '$&\r\n '), 1],
    ['several', `${certificate}\n${OTHER_KEY.certificate}`, 2],
  ])('can be %s', (_, text, count) => {
    expect(parseCertificates(text)).toHaveLength(count);
    expect(parseCertificates(text)?.[0]).toBe(certificate);
  });

  test.each([
    ['text', 'no certificate'],
    ['damaged', certificate.replace('MII', 'MIJ')],
    ['followed by text', `${certificate}x`],
    ['one of several that is damaged', `${certificate}${certificate.replace('MII', 'MIJ')}`],
    ['of an elliptic curve', UNSUPPORTED_CERTIFICATES.curve],
    ['for RSA-PSS only', UNSUPPORTED_CERTIFICATES.pss],
    ['with a short key', UNSUPPORTED_CERTIFICATES.short],
    ['a private key', PROVIDER_KEY.key],
  ])('cannot be %s', (_, text) => {
    expect(parseCertificates(text)).toBeUndefined();
  });
});

describe('the path to return to', () => {
  test.each(['/', '/docs', '/docs?a=b#c', '/a//b', '/%2F%2Fevil.example', '/?next=//evil.example'])(
    'can be %s',
    (path) => {
      expect(isReturnPath(path)).toBe(true);
    },
  );

  test.each([
    '',
    'docs',
    '//evil.example',
    '///evil.example',
    '//origin.invalid/docs',
    '/\\evil.example',
    '\\\\evil.example',
    '/a\\b',
    '/\t/evil.example',
    '/\n/evil.example',
    ' /docs',
    '/do cs',
    '/\u0000',
    '/ü',
    '/..//evil.example',
    '/.//evil.example',
    '/a/..//evil.example',
    '/%2e%2e//evil.example',
    'https://evil.example/',
    'javascript:alert(1)',
    'http:/docs',
    `/${'a'.repeat(2048)}`,
    ['/docs'],
    undefined,
  ])('cannot be %j', (value) => {
    expect(isReturnPath(value)).toBe(false);
  });
});
