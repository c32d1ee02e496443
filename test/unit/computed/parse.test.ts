import { describe, expect, test } from 'vitest';
import { parseSpecification, SpecificationError } from '../../../server/content/computed/parse.ts';
import { PET_STORE } from '../../support/content/specifications.ts';

/** YAML that is long enough to be parsed in a thread. */
const long = (text: string): string => `${text}\n${'# A comment that makes it long.\n'.repeat(1000)}`;

const rejected = async (text: string): Promise<string> => {
  const error = await parseSpecification(text).catch((error: unknown) => error);
  expect(error).toBeInstanceOf(SpecificationError);
  return error instanceof Error ? error.message : '';
};

describe('the text of a specification', () => {
  test.each([
    ['short YAML', PET_STORE],
    ['long YAML', long(PET_STORE)],
    ['with a byte-order mark', `\uFEFF${PET_STORE}`],
  ])('is parsed as %s', async (_name, text) => {
    expect(await parseSpecification(text)).toMatchObject({ info: { title: 'Pet store', version: '1.2' } });
  });

  test('is parsed as JSON', async () => {
    expect(await parseSpecification('\uFEFF {"openapi": "3.0.0", "paths": {}}')).toEqual({
      openapi: '3.0.0',
      paths: {},
    });
  });

  test('can have a numeric version and merge keys', async () => {
    expect(await parseSpecification('swagger: 2.0\nx-a: &a { b: 1 }\nx-c:\n  <<: *a\n')).toMatchObject({
      'x-c': { b: 1 },
    });
    expect(await parseSpecification('openapi: 3.1')).toEqual({ openapi: 3.1 });
  });

  test.each([
    ['short', (text: string) => text],
    ['long', long],
  ])('is rejected with the reason if it is %s and not YAML', async (_name, make) => {
    expect(await rejected(make('openapi: "3'))).toMatch(/^The YAML is invalid: ./);
  });

  test.each([
    ['', /must be a map/],
    ['hello', /must be a map/],
    ['[]', /must be a map/],
    ['openapi: 2.0.0', /must be OpenAPI/],
    ['swagger: 1.2', /must be OpenAPI/],
    ['{"openapi": {"3.0": 1}}', /must be OpenAPI/],
    [`{"openapi": "3.0.0", "a": ${'{"a":'.repeat(300)}1${'}'.repeat(300)}}`, /nesting depth/],
  ])('is rejected as %j', async (text, reason) => {
    expect(await rejected(text)).toMatch(reason);
  });

  test('is rejected if aliases expand it too far', async () => {
    const aliases = Array.from({ length: 40 }, () => '  - *a\n').join('');
    const bomb = `openapi: 3.1.0\nx-a: &a ${'A'.repeat(1_000_000)}\nx-b:\n${aliases}`;
    expect(await rejected(bomb)).toMatch(/exceeds 33554432 characters as JSON/);
  });

  test('is not parsed to the end if the request was aborted', async () => {
    const reason = new Error('The server is stopping.');
    const abort = new AbortController();
    const reading = parseSpecification(long(PET_STORE), abort.signal);
    abort.abort(reason);
    await expect(reading).rejects.toBe(reason);
    await expect(parseSpecification(long(PET_STORE), abort.signal)).rejects.toBe(reason);
  });
});
