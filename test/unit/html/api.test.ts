import { describe, expect, test } from 'vitest';
import { renderPage } from '../../../server/content/html/page.ts';
import { specificationsIn } from '../../../server/content/html/specifications/specification-names.ts';
import { rendered, treeOf } from '../../support/sites/rendered.ts';

describe('references of APIs', () => {
  test('have badges for methods, and marks for required names and statuses', () => {
    const page = rendered(
      '`GET /boats/{id}`\n\n| Name | Type |\n| - | - |\n| `id` (required) | string |\n\n| Status | Body |\n| - | - |\n| `404` | none |',
    );
    expect(page.text('.operation .method-get')).toBe('GET');
    expect(page.text('.operation .path')).toBe('/boats/{id}');
    expect(page.text('td .required')).toBe('(required)');
    expect(page.text('td .status-4')).toBe('404');
  });

  test('name operations and schemas of specifications that are not part of the page', () => {
    const page = rendered(
      '{% openapi-operation spec="boats" path="/a" method="post" %}\n{% endopenapi-operation %}\n\n{% openapi-schemas spec="boats" schemas="A,B" %}\n{% endopenapi-schemas %}',
      { targets: new Map([['openapi:boats', { kind: 'openapi', title: 'Boats API', url: '/api' }]]) },
    );
    expect(page.text('.api-block .operation')).toBe('POST /a');
    expect(page.find('.api-block a').properties.href).toBe('/api');
    expect(page.all('.api-block li')).toHaveLength(2);
  });
});

describe('parts of specifications', () => {
  const document = {
    openapi: '3.1.0',
    paths: {
      '/boats/{id}': {
        get: {
          summary: 'Get a boat',
          parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
          responses: { 200: { description: 'The boat.' } },
        },
      },
    },
    webhooks: { sunk: { post: { summary: 'A boat sank', responses: {} } } },
    components: { schemas: { Boat: { type: 'object', properties: { name: { type: 'string' } } }, Port: {} } },
  };
  const withPart = (tag: string) =>
    treeOf(
      renderPage({ markdown: `## Get a boat\n\n> ${tag}\n>`, options: {} }, new Map([['boats', document]])),
    );

  test('replace the blocks that refer to them, without changing the anchors of the page', () => {
    const page = withPart(
      '{% openapi-operation spec="boats" path="/boats/{id}" method="get" %}{% endopenapi-operation %}',
    );
    expect(page.text('.operation')).toBe('GET /boats/{id}');
    expect(page.text('td .required')).toBe('(required)');
    expect(page.outline.map(({ id }) => id)).toEqual(['get-a-boat', 'api-get-boats-id']);
  });

  test('are webhooks and data models, too', () => {
    const webhook = withPart(
      '{% openapi-webhook spec="boats" name="sunk" method="post" %}{% endopenapi-webhook %}',
    );
    expect(webhook.text('blockquote h2')).toContain('A boat sank');
    const models = withPart('{% openapi-schemas spec="boats" schemas="Boat" %}{% endopenapi-schemas %}');
    expect(models.outline.map(({ title }) => title)).toEqual(['Get a boat', 'Boat']);
    expect(models.text('td')).toBe('name');
  });

  test('that do not exist are named', () => {
    const page = withPart(
      '{% openapi-operation spec="boats" path="/lost" method="get" %}{% endopenapi-operation %}',
    );
    expect(page.text('.api-block .operation')).toBe('GET /lost');
  });

  test('are found in a text by the name of their specification', () => {
    expect(
      specificationsIn(
        '{% openapi-operation spec="a" path="/x" method="get" %}\n{% openapi-schemas spec="b" %} {% openapi-webhook name="n" spec="a" %} {% hint spec="c" %}',
      ),
    ).toEqual(['a', 'b']);
    expect(
      specificationsIn(
        '{% openapi-operation path="/f/%7Bid%7D" method="get" spec="a" %} {% openapi-webhook name="50%} \\" off" spec="b" %} {% openapi-schemas schemas="100%" %} spec="c"',
      ),
    ).toEqual(['a', 'b']);
  });
});
