import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ok } from '../../../../client/platform/index.ts';
import type { components } from '../../../../generated/schema.d.ts';
import { startTestServer, type TestServer } from '../../../support/server.ts';
import { ADAPTIVE_SCHEMA, claim, VisitedSite } from '../../../support/sites/visited-sites.ts';

type JsonSchema = components['schemas']['AdaptiveJsonSchema'];

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

const get = async ({ path }: VisitedSite) =>
  await server.admin.client.GET('/v1/orgs/{organizationId}/sites/{siteId}/adaptive-schema', {
    params: { path },
  });
const put = async ({ path }: VisitedSite, jsonSchema: JsonSchema) =>
  await server.admin.client.PUT('/v1/orgs/{organizationId}/sites/{siteId}/adaptive-schema', {
    params: { path },
    body: { jsonSchema },
  });
const templates = async ({ path }: VisitedSite) =>
  (
    await ok(
      server.admin.client.GET(
        '/v1/orgs/{organizationId}/sites/{siteId}/adaptive-schema/template-conditions',
        { params: { path } },
      ),
    )
  ).items;

/** Sends a body that the types of the client reject. */
const putRaw = async ({ path }: VisitedSite, jsonSchema: string) => {
  const url = `${server.url}/v1/orgs/${path.organizationId}/sites/${path.siteId}/adaptive-schema`;
  const headers = {
    Authorization: `Bearer ${server.admin.token}`,
    'Content-Type': 'application/json',
  };
  const response = await fetch(url, { method: 'PUT', headers, body: `{"jsonSchema":${jsonSchema}}` });
  return { status: response.status, text: await response.text() };
};

const schemaOf = (properties: JsonSchema['properties']): JsonSchema => ({
  type: 'object',
  properties,
  additionalProperties: false,
});

describe('the adaptive schema of a site', () => {
  test('does not exist until it is set, and is replaced as a whole', async () => {
    const site = await VisitedSite.create(server);
    expect((await get(site)).response.status).toBe(404);
    expect(await templates(site)).toEqual([]);
    const created = await ok(put(site, ADAPTIVE_SCHEMA));
    expect(created).toMatchObject({ object: 'site-adaptive-schema', jsonSchema: ADAPTIVE_SCHEMA });
    expect(await ok(get(site))).toEqual(created);
    const { jsonSchema } = await ok(put(site, schemaOf({ gamma: claim() })));
    expect(jsonSchema).toEqual(schemaOf({ gamma: claim() }));
  });

  test('describes its unsigned claims in any words', async () => {
    const site = await VisitedSite.create(server);
    const unsigned = { type: 'object', properties: { returning: claim() } } as const;
    for (const description of [
      '',
      'What the browser states.',
      'Über den Besucher\n\u{1f642}',
      'x'.repeat(2048),
    ]) {
      const { jsonSchema } = await ok(put(site, schemaOf({ unsigned: { ...unsigned, description } })));
      expect(jsonSchema.properties).toEqual({ unsigned: { ...unsigned, description } });
      expect((await ok(get(site))).jsonSchema).toEqual(jsonSchema);
    }
    const tooLong = { ...unsigned, description: 'x'.repeat(2049) };
    expect((await put(site, schemaOf({ unsigned: tooLong }))).response.status).toBe(400);
  });

  test('has templates that are set or not set for each claim', async () => {
    const site = await VisitedSite.create(server);
    await ok(
      put(site, { ...ADAPTIVE_SCHEMA, properties: { ...ADAPTIVE_SCHEMA.properties, 'has-plan': claim() } }),
    );
    expect(await templates(site)).toEqual([
      { description: 'Claim beta is set: Takes part in the beta.', condition: 'visitor.claims.beta' },
      { description: 'Claim beta is not set: Takes part in the beta.', condition: '!visitor.claims.beta' },
      {
        description: 'Claim member is set: Is a member of the organization.',
        condition: 'visitor.claims.member',
      },
      {
        description: 'Claim member is not set: Is a member of the organization.',
        condition: '!visitor.claims.member',
      },
      { description: 'Claim has-plan is set: Claim.', condition: 'visitor.claims["has-plan"]' },
      { description: 'Claim has-plan is not set: Claim.', condition: '!visitor.claims["has-plan"]' },
      {
        description: 'Unsigned claim returning is set: Has visited the site before.',
        condition: 'visitor.claims.unsigned.returning',
      },
      {
        description: 'Unsigned claim returning is not set: Has visited the site before.',
        condition: '!visitor.claims.unsigned.returning',
      },
    ]);
  });

  const text = JSON.stringify;
  const many = Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`claim${index}`, claim()]));
  test.each([
    [
      'a claim of another type',
      text(schemaOf({})).replace('{}', '{"beta":{"type":"string","description":"x"}}'),
    ],
    ['a claim without a description', text(schemaOf({})).replace('{}', '{"beta":{"type":"boolean"}}')],
    ['additional properties', text(schemaOf({})).replace('false', 'true')],
    ['another keyword', text({ ...schemaOf({}), required: ['beta'] })],
    ['another draft', text({ ...schemaOf({}), $schema: 'https://json-schema.org/draft/2020-12/schema' })],
    ['an object that is not unsigned', text(ADAPTIVE_SCHEMA).replace('"unsigned"', '"verified"')],
    ['an unsigned claim that is boolean', text(schemaOf({})).replace('{}', `{"unsigned":${text(claim())}}`)],
    ['too many claims', text(schemaOf(many))],
    [
      'too many unsigned claims',
      text(ADAPTIVE_SCHEMA).replace('{"returning":', `{${text(many).slice(1, -1)},"returning":`),
    ],
    ['the claim __proto__', text(schemaOf({})).replace('{}', `{"__proto__":${text(claim())}}`)],
    ['the claim constructor', text(schemaOf({ constructor: claim() }))],
    ['the unsigned claim toString', text(ADAPTIVE_SCHEMA).replace('"returning"', '"toString"')],
    ['a name with a dot', text(schemaOf({ 'a.b': claim() }))],
    ['a name with a quotation mark', text(schemaOf({ 'a"b': claim() }))],
    ['an empty name', text(schemaOf({ '': claim() }))],
    ['a long name', text(schemaOf({ ['a'.repeat(65)]: claim() }))],
  ])('cannot have %s', async (_name, jsonSchema) => {
    const site = await VisitedSite.create(server);
    const { status, text: body } = await putRaw(site, jsonSchema);
    expect({ status, body }).toEqual({ status: 400, body: expect.stringContaining('jsonSchema') });
    expect((await get(site)).response.status).toBe(404);
  });
});

test('changes of what visitors see are recorded once in the audit trail', async () => {
  const site = await VisitedSite.create(server, { spaces: 'empty' });
  await site.setAdaptiveSchema();
  await site.setAdaptiveSchema();
  const { items } = await ok(
    server.admin.client.GET('/v1/orgs/{organizationId}/sites/{siteId}/site-spaces', {
      params: { path: site.path },
    }),
  );
  const siteSpaceId = items[0]?.id ?? '';
  for (const body of [
    { condition: 'visitor.claims.beta' },
    { condition: 'visitor.claims.beta', path: 'guide' },
    { condition: null },
  ]) {
    await ok(
      server.admin.client.PATCH('/v1/orgs/{organizationId}/sites/{siteId}/site-spaces/{siteSpaceId}', {
        params: { path: { ...site.path, siteSpaceId } },
        body,
      }),
    );
  }
  await site.update({ adaptiveContent: { enabled: false }, title: 'Not adaptive' });
  const events = await ok(
    server.admin.client.GET('/v1/orgs/{organizationId}/audit-events', {
      params: {
        path: { organizationId: server.organization },
        query: { resource: site.id, action: 'site.conditions_changed' },
      },
    }),
  );
  const condition = { fields: ['condition'], subject: { type: 'site-space', id: siteSpaceId } };
  expect(events.items.map(({ details }) => details).toReversed()).toEqual([
    { fields: ['adaptiveSchema'] },
    { fields: ['adaptiveContent'] },
    condition,
    condition,
    { fields: ['adaptiveContent'] },
  ]);
});
