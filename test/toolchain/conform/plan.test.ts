import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readContract } from '../../../spec/toolchain/model/contract/read.ts';
import { schemasOf } from '../../../spec/toolchain/model/contract/schemas-of.ts';
import { namingOf, nounOf, singular, wordsOf } from '../../../spec/toolchain/model/plan/names.ts';
import { Resources } from '../../../spec/toolchain/model/plan/resources.ts';
import { documentOf } from '../../../spec/toolchain/source.ts';
import { explain } from './explain.ts';
import { garageDocument } from './server-other.ts';

function resourcesOf(document: unknown): Resources {
  const contract = readContract(documentOf('test', document));
  return new Resources(contract, schemasOf(contract));
}

const response = (schema: unknown, more = {}) => ({
  description: '',
  content: { 'application/json': { schema } },
  ...more,
});
const object = (...names: string[]) => ({
  type: 'object',
  properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
});
const id = (name: string) => ({ name, in: 'path', required: true, schema: { type: 'string' } });

/** Builds a document of paths and schemas. */
const documentWith = (paths: unknown, schemas: unknown = {}) => ({
  openapi: '3.1.0',
  info: { title: 'Test', version: '1' },
  paths,
  components: { schemas },
});

describe('names', () => {
  test.each([
    ['teamId', 'team', 'id'],
    ['team_ids', 'team', 'ids'],
    ['specSlug', 'spec', 'slug'],
    ['siteSpaces', 'site space', undefined],
    ['id', '', 'id'],
    ['parent', 'parent', undefined],
  ])('%s refers to "%s"', (name, noun, naming) => {
    expect(nounOf(name)).toBe(noun);
    expect(namingOf(name)).toBe(naming);
  });

  test('are split at every word boundary', () => {
    for (const name of ['openAPISpec', 'open_api_spec', 'open-api-spec']) {
      expect(wordsOf(name)).toEqual(['open', 'api', 'spec']);
    }
  });

  test.each([
    ['companies', 'company'],
    ['boxes', 'box'],
    ['status', 'status'],
    ['people', 'person'],
    ['houses', 'house'],
  ])('%s has the singular %s', (plural, item) => expect(singular(plural)).toBe(item));
});

describe('the source of a path parameter', () => {
  const fedBy = (document: unknown, slot: string) =>
    explain(resourcesOf(document)).find((row) => row.slot === slot)?.sources;

  test('is a declared link, which takes precedence', () => {
    const links = {
      read: { operationId: 'getTicket', parameters: { ref: '$response.body#/tracking/code' } },
    };
    const document = documentWith({
      '/orders': {
        post: { operationId: 'createOrder', responses: { '201': response(object('id'), { links }) } },
      },
      '/tickets/{ref}': {
        get: {
          operationId: 'getTicket',
          parameters: [id('ref')],
          responses: { '200': response(object('ref')) },
        },
      },
    });
    expect(fedBy(document, '/tickets/{ref}')?.[0]).toBe('createOrder (a declared link) /tracking/code');
  });

  test('is the operation that creates entities of the collection, with the field of the parameter name', () => {
    const document = documentWith({
      '/specs': { post: { operationId: 'makeSpec', responses: { '201': response(object('id', 'slug')) } } },
      '/specs/{specSlug}': {
        get: {
          operationId: 'getSpec',
          parameters: [id('specSlug')],
          responses: { '200': response(object('id')) },
        },
      },
    });
    expect(fedBy(document, '/specs/{specSlug}')?.[0]).toBe('makeSpec (its path) /slug');
  });

  test('is an operation that returns the same schema, if the paths differ', () => {
    const page = { $ref: '#/components/schemas/Page' };
    const document = documentWith(
      {
        '/books': { post: { operationId: 'createBook', responses: { '201': response(object('id')) } } },
        '/books/{bookId}/pages': {
          post: {
            operationId: 'createPage',
            parameters: [id('bookId')],
            responses: { '201': response(page) },
          },
        },
        '/pages/{pageId}': {
          get: { operationId: 'getPage', parameters: [id('pageId')], responses: { '200': response(page) } },
        },
        '/pages/{pageId}/turn': {
          post: { operationId: 'turnPage', parameters: [id('pageId')], responses: { '200': response(page) } },
        },
      },
      { Page: object('id', 'text') },
    );
    // An operation that only acts on a page creates none.
    expect(fedBy(document, '/pages/{pageId}')).toEqual(['createPage (the schema of its response) /id']);
  });

  test('is the header Location of a response without a body', () => {
    expect(fedBy(garageDocument, '/api/cars/{number}')).toEqual([
      'POST /api/cars (its path) header:location',
    ]);
  });

  test('is a value of the client, if entities are created with PUT', () => {
    const path = { parameters: [id('key')] };
    const document = documentWith({
      '/settings/{key}': {
        get: { operationId: 'getSetting', ...path, responses: { '200': response(object('value')) } },
        put: { operationId: 'putSetting', ...path, responses: { '200': response(object('value')) } },
      },
    });
    expect(fedBy(document, '/settings/{key}')).toEqual(['putSetting (ID selected by the run)']);
  });

  test('is reported as missing if there is none', () => {
    const document = documentWith({
      '/towns/{townId}': {
        get: {
          operationId: 'getTown',
          parameters: [id('townId')],
          responses: { '200': response(object('id')) },
        },
      },
    });
    expect(explain(resourcesOf(document))).toEqual([{ slot: '/towns/{townId}', noun: 'town', sources: [] }]);
  });
});

describe('the contract of the platform', () => {
  const file = join(import.meta.dirname, '../../../generated/openapi.json');
  const resources = resourcesOf(JSON.parse(readFileSync(file, 'utf8')));

  test('has a source for every entity that an operation creates', () => {
    const sources = Object.fromEntries(
      explain(resources).map(({ slot, sources }) => [slot, sources[0] ?? '']),
    );
    expect(sources).toMatchObject({
      '/v1/orgs/{organizationId}': 'createOrganization (its path) /id',
      '/v1/orgs/{organizationId}/teams/{teamId}': 'createTeam (its path) /id',
      '/v1/spaces/{spaceId}': 'createSpace (the schema of its response) /id',
      '/v1/orgs/{organizationId}/openapi/{specSlug}': 'createOpenAPISpec (its path) /slug',
      '/v1/spaces/{spaceId}/comments/{commentId}': 'createSpaceComment (its path) /id',
      '/v1/integrations/{integrationName}': 'publishIntegration (ID selected by the run)',
    });
  });

  test('has the pagination of its lists', () => {
    const list = resources.lists.find(({ operation }) => operation.id === 'listTeams');
    expect(list?.paging).toEqual({
      style: 'cursor',
      parameter: 'page',
      limit: 'limit',
      next: ['/next/page'],
    });
  });
});
