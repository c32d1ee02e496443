import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import {
  type ComputedEntry,
  type ComputedPages,
  computePages,
  entryOfChild,
  PRINTER_VERSION,
} from '../../../server/content/computed/pages.ts';
import { parseMarkdown, printMarkdown } from '../../../server/content/markdown/markdown.ts';
import { searchSections } from '../../../server/content/markdown/sections.ts';
import { hashOf } from '../../../server/content/tree/hash.ts';
import { PET_STORE } from '../../support/content/specifications.ts';

const entry = (models: boolean, values: Partial<ComputedEntry> = {}): ComputedEntry => ({
  id: 'page_api',
  parent: null,
  source: {
    type: 'builtin:openapi',
    props: { models },
    dependencies: { spec: { ref: { kind: 'openapi', spec: 'pets' } } },
  },
  ...values,
});

const pagesOf = (text: string, of = entry(true), version = 'v1'): ComputedPages =>
  computePages(of, { version, document: parse(text) });

const bodyOf = (pages: ComputedPages, title: string): string => {
  const page = [pages.overview, ...pages.children].find(({ record }) => record.title === title);
  if (!page) {
    throw new Error(`No page is called ${title}.`);
  }
  return page.printBody();
};

/** Builds a specification of paths and schemas, as YAML flow text. */
const specification = (paths: string, more = ''): string =>
  `openapi: 3.0.3\ninfo: { title: T, version: '1' }\npaths: ${paths}\n${more}`;

/** Returns the page of the operations without a tag. */
const operations = (paths: string, more = '', of = entry(false)): string =>
  bodyOf(pagesOf(specification(paths, more), of), 'Operations');

describe('the pages of a specification', () => {
  test('are an overview, one per tag, one for other operations, and one for the models', () => {
    const { overview, children } = pagesOf(PET_STORE);
    expect(overview.record).toMatchObject({ id: 'page_api', title: 'Pet store', slug: 'pet-store' });
    expect(children.map(({ record }) => [record.title, record.slug, record.computed.props])).toEqual([
      ['Pets', 'pets', { doc: 'operations', page: 'pets' }],
      ['Other operations', 'other-operations', { doc: 'operations', page: 'other-operations' }],
      ['Models', 'models', { doc: 'models' }],
    ]);
    for (const { record } of children) {
      expect(record.parent).toBe('page_api');
      expect(entryOfChild(record.id)).toBe('page_api');
    }
  });

  test('omit the models by default or if there are none', () => {
    expect(pagesOf(PET_STORE, entry(false)).children.map(({ record }) => record.title)).not.toContain(
      'Models',
    );
    expect(pagesOf(specification('{}')).children).toEqual([]);
  });

  test('have stable ids, which differ between entries', () => {
    const ids = (of?: ComputedEntry, version?: string) =>
      pagesOf(PET_STORE, of, version).children.map(({ record }) => record.id);
    expect(ids(entry(true), 'v2')).toEqual(ids());
    expect(new Set([...ids(), ...ids(entry(true, { id: 'page_other' }))]).size).toBe(6);
  });

  test('have seeds that change with the specification and with the computed part of it', () => {
    const seed = (of: ComputedEntry, version: string) =>
      pagesOf(PET_STORE, of, version).children[0]?.record.computedSeed;
    expect(seed(entry(true), 'v1')).toBe(seed(entry(true), 'v1'));
    expect(seed(entry(true), 'v2')).not.toBe(seed(entry(true), 'v1'));
    // Without a page of models, operations describe their models.
    expect(seed(entry(false), 'v1')).not.toBe(seed(entry(true), 'v1'));
  });

  test('are printed as in this PRINTER_VERSION, which every change of the output increments', () => {
    const bodies = [true, false].flatMap((models) => {
      const { overview, children } = pagesOf(PET_STORE, entry(models));
      return [overview, ...children].map((page) => page.printBody());
    });
    expect({ PRINTER: PRINTER_VERSION, printed: hashOf(bodies.join('\n')) }).toMatchInlineSnapshot(`
      {
        "PRINTER": 2,
        "printed": "DpJf-mRE98X6WsZ6V8OcpWiYmwiFQlgP6bYErXlBQrY",
      }
    `);
  });

  test('have the title of their entry', () => {
    const { overview } = pagesOf(
      PET_STORE,
      entry(true, { title: 'Our API', slug: 'our-api-1', emoji: '🐕' }),
    );
    expect(overview.record).toMatchObject({ title: 'Our API', slug: 'our-api-1', emoji: '🐕' });
  });

  test('follow the order of the tags, with an operation of two tags on both pages', () => {
    const pages = pagesOf(
      specification(
        `{ /a: { get: { tags: [late, early], summary: Both, responses: {} } } }`,
        `tags: [{ name: early, x-displayName: First }, { name: unused }, { name: described, description: Only words }]`,
      ),
    );
    expect(pages.children.map(({ record }) => record.title)).toEqual(['First', 'described', 'late']);
    expect(bodyOf(pages, 'First')).toContain('## Both');
    expect(bodyOf(pages, 'late')).toContain('## Both');
  });

  test('have unique slugs for any tags', () => {
    const tags = ['A b', 'a-b', 'models', '…'];
    const paths = tags.map((tag, at) => `/p${at}: { get: { tags: ["${tag}"], responses: {} } }`).join(', ');
    const { children } = pagesOf(specification(`{ ${paths} }`, 'components: { schemas: { X: {} } }'));
    expect(children.map(({ record }) => record.slug)).toEqual(['a-b', 'a-b-1', 'models', 'page', 'models-1']);
    expect(new Set(children.map(({ record }) => record.id)).size).toBe(5);
  });
});

describe('the page about a specification', () => {
  test('describes the API, its servers and its authentication, and links to the other pages', () => {
    const pages = pagesOf(`swagger: '2.0'
info:
  title: Old
  version: 1.0
  description: "# Start\\nRead this."
  license: { name: MIT, url: https://mit.example/license }
  contact: { name: Us, url: "javascript:alert(1)" }
host: api.example.com
basePath: /v2
schemes: [https]
securityDefinitions: { key: { type: apiKey, in: header, name: X-Key } }
security: [{ key: [] }]
paths: { /a: { get: { tags: [One], responses: {} } } }
`);
    const body = pages.overview.printBody();
    expect(body).toContain('Version `1`');
    expect(body).toContain('## Start\n');
    expect(body).toContain('| `https://api.example.com/v2` |');
    expect(body).toContain('| `key` | API key, header `X-Key` |');
    expect(body).toContain(`* [One](/pages/${pages.children[0]?.record.id}): 1 operation`);
    expect(body).toContain('[MIT](https://mit.example/license)');
    expect(body).toContain('* Contact: Us');
    expect(body).not.toContain('javascript');
  });
});

describe('an operation', () => {
  test('describes its method, path, parameters, request and responses', () => {
    const body = operations(`{ '/widgets/{id}': {
      parameters: [{ name: id, in: path, required: true, description: Of the path, schema: { type: integer } }],
      patch: {
        operationId: patchWidget, deprecated: true, description: Changes it.,
        parameters: [
          { name: id, in: path, required: true, description: The id, schema: { type: string, format: uuid } },
          { name: sort, in: query, schema: { type: string, enum: [up, down], default: up } } ],
        requestBody: { required: true, content: { application/json: { schema: {
          type: object, required: [name], properties: {
            name: { type: string, maxLength: 20 },
            tags: { type: array, items: { type: object, properties: { key: { type: string, nullable: true } } } } } },
          example: { name: x } } } },
        responses: { '200': { description: Changed, content: { text/plain: { schema: { type: string } } } } } } } }`);
    expect(body).toContain('## patchWidget\n\n`PATCH /widgets/{id}`\n\n**Deprecated.**\n\nChanges it.');
    expect(body).toContain('| `id` (required) | path | string (uuid) | The id. |');
    expect(body).not.toContain('Of the path');
    expect(body).toContain('| `sort` | query | string | One of `up`, `down`. Default: `up`. |');
    expect(body).toContain('**Request body** (required)\n\n`application/json`: object');
    expect(body).toContain('| `name` (required) | string | Maximum length `20`. |');
    expect(body).toContain('| `tags[].key` | string or null | |');
    expect(body).toContain('```json\n{\n  "name": "x"\n}\n```');
    expect(body).toContain('| `200` | Changed | string as `text/plain` |');
  });

  test('is described from Swagger 2 as well', () => {
    const body = bodyOf(
      pagesOf(
        `swagger: '2.0'
info: { title: Old, version: '1' }
consumes: [application/xml]
produces: [application/xml]
paths:
  /a:
    post:
      summary: Send it
      parameters:
        - { name: q, in: query, type: integer, minimum: 3 }
        - { name: it, in: body, required: true, schema: { $ref: '#/definitions/It' } }
      responses: { '200': { description: ok, schema: { $ref: '#/definitions/It' } } }
  /form:
    post:
      summary: Upload
      parameters: [{ name: file, in: formData, type: file, required: true }]
      responses: {}
definitions: { It: { type: object, properties: { a: { type: string } } } }
`,
        entry(false),
      ),
      'Operations',
    );
    expect(body).toContain('| `q` | query | integer | At least `3`. |');
    expect(body).toContain('`application/xml`: It\n\n| Property | Type | Description |');
    expect(body).toContain('| `file` (required) | file |');
    expect(body).not.toContain('| `it`');
  });

  test('describes a recursive model once', () => {
    const body = operations(
      `{ /a: { get: { responses: { '200': { description: ok, content: { application/json: { schema: { $ref: '#/components/schemas/Node' } } } } } } } }`,
      `components: { schemas: {
        Node: { type: object, properties: { left: { $ref: '#/components/schemas/Node' }, other: { $ref: '#/components/schemas/Leaf' } } },
        Leaf: { allOf: [{ $ref: '#/components/schemas/Leaf' }, { type: object, properties: { node: { $ref: '#/components/schemas/Node' } } }] } } }`,
    );
    expect(body).toContain('| `left` | Node |');
    expect(body).toContain('| `other.node` | Node |');
    expect(body).not.toContain('left.left');
  });

  test('with circular, missing and external references is described as far as possible', () => {
    const body = operations(
      `{ /a: { get: { summary: Odd, parameters: [{ $ref: '#/nowhere' }, { $ref: 'other.yaml#/P' }],
        responses: { '200': { $ref: '#/components/responses/A' }, default: null } } }, /b: null, x-c: { get: {} } }`,
      `components: { responses: { A: { $ref: '#/components/responses/B' }, B: { $ref: '#/components/responses/A' } } }`,
    );
    expect(body).toContain('## Odd');
    expect(body).toContain('| `200` |');
  });

  test('has tables of limited length, which omit further properties', () => {
    const properties = Array.from({ length: 500 }, (_, n) => `p${n}: { type: string }`).join(', ');
    const body = operations(
      `{ /a: { post: { requestBody: { content: { application/json: { schema: { type: object, properties: { ${properties} } } } } }, responses: {} } } }`,
    );
    expect(body).toContain('`p100`');
    expect(body).not.toContain('`p400`');
    expect(body).toContain('More properties are not shown.');
  });

  test('is only named if its page would be too long', () => {
    const paths = Array.from(
      { length: 1200 },
      (_, n) => `/p${n}: { get: { description: ${'word '.repeat(100)}, responses: {} } }`,
    ).join(', ');
    const body = operations(`{ ${paths} }`);
    expect(body.length).toBeLessThan(350_000);
    expect(body.includes('## Omitted')).toBe(true);
    expect(body.includes('* `GET /p1199`')).toBe(true);
  });
});

describe('text of authors', () => {
  const pageWith = (description: string) =>
    operations(
      `{ /a: { get: { summary: "S | *x*", description: ${JSON.stringify(description)}, responses: {} } } }`,
    );

  test('cannot affect its surroundings with open fences, headings and tags of the platform', () => {
    const body = operations(
      `{ /a: { get: { summary: First, description: ${JSON.stringify('# Big\n\n{% hint %}\n\nUnder\n---\n\n~~~\nopen')}, responses: {} } },
         /b: { get: { summary: Second, responses: {} } } }`,
    );
    expect(searchSections(body).map(({ title }) => title)).toEqual(['First', 'Second']);
    expect(body).toContain('**Big**');
    expect(body).toContain('\\{% hint %}');
  });

  test('is not parsed as markup in titles and names', () => {
    const body = pageWith('x');
    expect(searchSections(body)[0]?.title).toBe('S | *x*');
  });

  test('is truncated in tables, and its bars do not end cells', () => {
    const body = operations(
      `{ /a: { get: { parameters: [{ name: "a|b", in: query, description: ${JSON.stringify(`x|y\n${'long '.repeat(1000)}`)} }], responses: {} } } }`,
    );
    const [row = ''] = body.split('\n').filter((line) => line.includes('a\\|b'));
    expect(row).toContain('x\\|y');
    expect(row.length).toBeLessThan(1200);
  });

  test('links to the actual pages of models', () => {
    const pages = pagesOf(
      specification(
        `{ /a: { get: { responses: { '200': { description: ok, content: { application/json: { schema: { $ref: '#/components/schemas/A.b~1C d' } } } } } } } }`,
        `components: { schemas: { a: {}, "A": {}, "A.b/C d": { type: object } } }`,
      ),
    );
    const [, anchor] = /\(\/pages\/[\w-]+#([^)]*)\)/.exec(bodyOf(pages, 'Operations')) ?? [];
    const ids = searchSections(bodyOf(pages, 'Models')).map(({ id }) => id);
    expect(ids).toEqual(['a', 'a-1', 'a.b-c-d']);
    expect(anchor).toBe('a.b-c-d');
  });

  test('has the same content as a document', () => {
    for (const models of [true, false]) {
      const { overview, children } = pagesOf(PET_STORE, entry(models));
      for (const page of [overview, ...children]) {
        const document = parseMarkdown(page.printBody());
        expect(parseMarkdown(printMarkdown(document))).toEqual(document);
        expect(document.nodes.some(({ type }) => type === 'code')).toBe(false);
        // Formatted like printed documents, which makes parsing cheaper, except for text of authors.
        if (page !== overview) {
          expect(printMarkdown(document)).toBe(page.printBody());
        }
      }
    }
  });

  test('can be any text', () => {
    const odd = [null, 1, 'x', [], [null], { $ref: 1 }, { $ref: '#' }, { a: { $ref: '#/%zz/~2' } }, true];
    for (const value of odd) {
      for (const name of ['info', 'servers', 'tags', 'paths', 'components', 'security', 'webhooks']) {
        const operation = { tags: value, parameters: value, requestBody: value, responses: { 200: value } };
        const document = {
          openapi: '3.1.0',
          paths: { '/a': { get: operation, parameters: value }, '/b': value },
          components: { schemas: { A: value, B: { properties: value, allOf: value, oneOf: [value] } } },
          [name]: value,
        };
        const { overview, children } = computePages(entry(true), { version: 'v', document });
        for (const page of [overview, ...children]) {
          expect(page.printBody()).toBeTypeOf('string');
        }
      }
    }
  });
});
