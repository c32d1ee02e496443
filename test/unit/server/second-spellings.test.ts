import { SignJWT } from 'jose';
import { expect, test } from 'vitest';
import { openCursor, sealCursor } from '../../../server/database/lists/cursors.ts';
import { readExpiry } from '../../../server/identity/signatures.ts';
import { openSecret, sealingKey, sealSecret } from '../../../server/outgoing/credentials.ts';
import { signMemberClaims } from '../../../server/platform/accounts/members/queries/claims.ts';
import { isWellFormedVisitorToken } from '../../../server/platform/sites/visitors/token-form.ts';
import { verifyMemberClaims } from '../../../server/platform/sites/visitors/tokens.ts';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** Other texts that decode to the same bytes as a text of base64url. */
function spellingsOf(text: string): string[] {
  const others = [...ALPHABET]
    .map((character) => text.slice(0, -1) + character)
    .filter((other) => other !== text && same(other, text));
  return [
    ...others,
    `${text}=`,
    `${text}==`,
    `${text}.`,
    `${text} `,
    ` ${text}`,
    `${text}\n`,
    `${text.slice(0, 4)}!${text.slice(4)}`,
    `${text.slice(0, 4)}=${text.slice(4)}`,
    `${text}%`,
    text.replaceAll('-', '+').replaceAll('_', '/'),
  ].filter((other) => other !== text);
}

const same = (one: string, other: string) =>
  Buffer.from(one, 'base64url').equals(Buffer.from(other, 'base64url'));

const secretKey = 'k'.repeat(32);
const clock = () => new Date('2026-03-01T00:00:00Z');

test('a member claim has one spelling, in each of its parts', async () => {
  const services = { clock, secretKey };
  const token = await signMemberClaims(services, { user: 'usr_1', organization: 'org_1' });
  expect(await verifyMemberClaims(services, 'org_1', token)).toBe('usr_1');
  const parts = token.split('.');
  for (const [index, part] of parts.entries()) {
    for (const spelling of spellingsOf(part)) {
      const other = parts.with(index, spelling).join('.');
      expect([other, await verifyMemberClaims(services, 'org_1', other)]).toEqual([other, undefined]);
    }
  }
});

test('a visitor token whose signature has bits after its last byte is refused', async () => {
  const token = await new SignJWT({ exp: 1 }).setProtectedHeader({ alg: 'HS256' }).sign(new Uint8Array(32));
  const [header, payload, signature = ''] = token.split('.');
  const spellings = spellingsOf(signature).filter((other) => /^[\w-]+$/.test(other));
  // The last character of 32 bytes has two bits that mean nothing.
  expect(spellings).toHaveLength(3);
  expect(isWellFormedVisitorToken(token)).toBe(true);
  for (const spelling of spellings) {
    expect(isWellFormedVisitorToken(`${header}.${payload}.${spelling}`)).toBe(false);
  }
});

test('a sealed secret has one spelling', () => {
  const key = sealingKey(secretKey);
  for (const length of [1, 2, 3]) {
    const sealed = sealSecret('x'.repeat(length), key, 'context');
    expect(openSecret(sealed, key, 'context')).toHaveLength(length);
    for (const spelling of [...spellingsOf(sealed), `${sealed}.x`]) {
      expect(() => openSecret(spelling, key, 'context'), spelling).toThrow('cannot be decrypted');
    }
  }
});

test('a cursor has one spelling', () => {
  const scope = { scope: 'list', key: secretKey };
  for (const position of ['a', 'ab', 'abc']) {
    const cursor = sealCursor(position, scope);
    expect(openCursor(cursor, scope)).toBe(position);
    for (const spelling of spellingsOf(cursor)) {
      expect(() => openCursor(spelling, scope), spelling).toThrow();
    }
  }
});

test('the expiry of a signed URL has one spelling', () => {
  expect(readExpiry('1772323200000')).toBe(1772323200000);
  for (const other of [
    '+1772323200000',
    ' 1772323200000',
    '01772323200000',
    '1.7723232e12',
    '0x19CA',
    '1772323200000.0',
    '',
    undefined,
    ['1'],
  ]) {
    expect(readExpiry(other)).toBeNaN();
  }
});
