import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  openSecret,
  redact,
  sealingKey,
  sealSecret,
  splitCredentials,
} from '../../../server/outgoing/credentials.ts';

describe('splitting credentials off a URL', () => {
  test('extracts and decodes user name and password', () => {
    const { url, credentials } = splitCredentials('https://ada:p%40ss%3Aw%2Frd@git.example/docs.git');
    expect(url.href).toBe('https://git.example/docs.git');
    expect(credentials).toEqual({ username: 'ada', password: 'p@ss:w/rd' });
  });

  test('extracts a lone token', () => {
    const { url, credentials } = splitCredentials('https://t0ken@git.example/docs.git');
    expect(url.href).toBe('https://git.example/docs.git');
    expect(credentials).toEqual({ username: 't0ken', password: '' });
  });

  test('keeps the account name of an ssh URL, and extracts its password', () => {
    expect(splitCredentials('ssh://git@git.example/docs.git')).toEqual({
      url: new URL('ssh://git@git.example/docs.git'),
    });
    expect(splitCredentials('ssh://git:secret@git.example/docs.git').url.href).toBe(
      'ssh://git@git.example/docs.git',
    );
  });

  test('does not repeat a URL that it cannot parse', () => {
    const read = () => splitCredentials('https://ada:s3cret/word@git.example/');
    expect(read).toThrow(expect.objectContaining({ code: 'invalid-url' }));
    expect(read).not.toThrow(/s3cret/);
  });
});

describe('redacting', () => {
  test.each([
    [
      "fatal: unable to access 'https://ada:p@ss@git.example/x/'",
      "fatal: unable to access 'https://***@git.example/x/'",
    ],
    [
      'see https://t0ken@a.example and http://u:v@b.example',
      'see https://***@a.example and http://***@b.example',
    ],
    ['GET https://a.example/x?private_token=abc&page=2', 'GET https://a.example/x?private_token=***&page=2'],
    ['> Authorization: Basic YWRhOnNlY3JldA==', '> Authorization: Basic ***'],
    [
      'mail ada@docs.example about https://a.example/@ada',
      'mail ada@docs.example about https://a.example/@ada',
    ],
    ['Basic authentication failed', 'Basic authentication failed'],
  ])('%s', (text, expected) => {
    expect(redact(text)).toBe(expected);
  });

  test('removes known credentials in every encoding', () => {
    const credentials = { username: 'ada', password: 'p@ss word' };
    const header = Buffer.from('ada:p@ss word').toString('base64');
    expect(redact(`p@ss word, p%40ss%20word, ${header}`, credentials)).toBe('***, ***, ***');
  });

  test.each(['://', 'a', '?', 'authorization: ', '?token'])(
    'takes little time for a long text of %s',
    (part) => {
      expect(redact(part.repeat(50_000))).not.toBe('');
    },
  );
});

describe('sealing secrets', () => {
  const key = sealingKey('a secret key of the operator');

  test('opens sealed secrets of any content', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string(), (secret, context) => {
        expect(openSecret(sealSecret(secret, key, context), key, context)).toBe(secret);
      }),
    );
  });

  test('reveals nothing of the secret, and never seals it the same way twice', () => {
    const first = sealSecret('https://ada:secret@git.example', key);
    expect(first).not.toContain('secret');
    expect(sealSecret('https://ada:secret@git.example', key)).not.toBe(first);
  });

  test('opens nothing with another key, for another context, or after a change', () => {
    const sealed = sealSecret('secret', key, 'job 1');
    const changed = sealed[20] === 'A' ? 'B' : 'A';
    expect(() => openSecret(sealed, sealingKey('another'), 'job 1')).toThrow('cannot be decrypted');
    expect(() => openSecret(sealed, key, 'job 2')).toThrow('cannot be decrypted');
    expect(() => openSecret(`${sealed.slice(0, 20)}${changed}${sealed.slice(21)}`, key, 'job 1')).toThrow(
      'cannot be decrypted',
    );
    expect(() => openSecret('', key)).toThrow('cannot be decrypted');
    expect(() => openSecret('v1.AAAA', key)).toThrow('cannot be decrypted');
  });
});
