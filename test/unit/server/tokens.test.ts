import { DummyDriver, Kysely, SqliteAdapter, SqliteIntrospector } from 'kysely';
import { expect, test } from 'vitest';
import { ConfigError, readConfig } from '../../../server/app/config.ts';
import type { Queries, Transaction } from '../../../server/database/database.ts';
import { EmbeddedCompiler } from '../../../server/database/engines/compilers.ts';
import type { Schema } from '../../../server/database/schema.ts';
import { authenticate } from '../../../server/identity/caller.ts';
import { createToken, isWellFormedToken, TOKEN_PATTERN } from '../../../server/identity/tokens.ts';

/** An empty database that records statements. */
const emptyDatabase = () => {
  const statements: string[] = [];
  const query = new Kysely<Schema>({
    dialect: {
      createDriver: () => new DummyDriver(),
      createAdapter: () => new SqliteAdapter(),
      createQueryCompiler: () => new EmbeddedCompiler(),
      createIntrospector: (kysely) => new SqliteIntrospector(kysely),
    },
    log: ({ query: { sql } }) => {
      statements.push(sql);
    },
  });
  // Only the methods that build and run a query are called.
  return { statements, query: query as unknown as Queries & Transaction };
};

const newToken = async () =>
  (await createToken(emptyDatabase().query, { user: 'usr', label: '', now: new Date(), createId: String }))
    .token;

test('generates a unique token with the published pattern and its checksum', async () => {
  const tokens = await Promise.all(Array.from({ length: 200 }, newToken));
  for (const token of tokens) {
    expect(token).toMatch(TOKEN_PATTERN);
    expect(isWellFormedToken(token)).toBe(true);
  }
  expect(new Set(tokens).size).toBe(200);
});

test('uses the CRC-32 of the random part in base 62 as the checksum', () => {
  const random = `${'0'.repeat(34)}123456789`;
  expect(isWellFormedToken(`colophon_${random}${base62(crcOf(random))}`)).toBe(true);
});

test('rejects a mistyped token without a query of the database', async () => {
  const token = await newToken();
  for (const at of [9, 20, 40, 51, 57]) {
    const wrong = `${token.slice(0, at)}${token[at] === 'x' ? 'y' : 'x'}${token.slice(at + 1)}`;
    expect(isWellFormedToken(wrong)).toBe(false);
    const { statements, query } = emptyDatabase();
    await expect(authenticate(query, wrong, new Date())).rejects.toMatchObject({
      reason: 'unauthenticated',
    });
    expect(statements).toEqual([]);
  }
});

test('looks up tokens in another form, which operators can choose', async () => {
  for (const token of [`colophon_${'aB_-'.repeat(10)}abc`, 'an-operator-chose-this-one-0123456789']) {
    const { statements, query } = emptyDatabase();
    await expect(authenticate(query, token, new Date())).rejects.toMatchObject({
      reason: 'unauthenticated',
    });
    expect(statements).toEqual([expect.stringContaining('from "tokens"')]);
  }
});

test('rejects a first token in the generated form without its checksum', () => {
  expect(() => readConfig({ COLOPHON_BOOTSTRAP_TOKEN: `colophon_${'a'.repeat(49)}` })).toThrow(ConfigError);
});

/** CRC-32 bit by bit (ISO 3309), for comparison. */
function crcOf(text: string): number {
  let crc = 0xffffffff;
  for (const byte of Buffer.from(text)) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) {
      crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
    }
  }
  return (crc ^ 0xffffffff) >>> 0;
}

function base62(value: number): string {
  const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
  return Array.from({ length: 6 }, (_, at) => digits[Math.floor(value / 62 ** (5 - at)) % 62]).join('');
}
