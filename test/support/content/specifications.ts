import { expect, vi } from 'vitest';
import { ok } from '../../../client/platform/index.ts';
import type { components } from '../../../generated/schema.d.ts';
import type { Person } from '../server.ts';

type Schemas = components['schemas'];

/** A small, realistic specification. */
export const PET_STORE = `openapi: 3.1.0
info:
  title: Pet store
  version: '1.2'
  description: Sells *pets* of every kind.
servers:
  - url: https://api.example.com/v1
tags:
  - name: Pets
    description: Everything about pets.
paths:
  /pets:
    get:
      tags: [Pets]
      summary: List pets
      parameters:
        - { name: limit, in: query, description: How many, schema: { type: integer, maximum: 100 } }
      responses:
        '200':
          description: The pets.
          content:
            application/json:
              schema: { type: array, items: { $ref: '#/components/schemas/Pet' } }
    post:
      tags: [Pets]
      summary: Buy a pet
      requestBody:
        required: true
        content:
          application/json:
            schema: { $ref: '#/components/schemas/Pet' }
      responses:
        '201': { description: Yours now. }
  /health:
    get:
      summary: Is it well
      responses:
        '200': { description: It is. }
components:
  schemas:
    Pet:
      type: object
      required: [name]
      properties:
        name: { type: string, description: What it listens to }
        mother: { $ref: '#/components/schemas/Pet' }
`;

/** Creates a specification and waits until its source is processed. */
export async function createSpecification(
  { client }: Person,
  organizationId: string,
  slug: string,
  source: Schemas['OpenAPISource'] = { text: PET_STORE },
): Promise<Schemas['OpenAPISpec']> {
  await ok(
    client.POST('/v1/orgs/{organizationId}/openapi', {
      params: { path: { organizationId } },
      body: { slug, source },
    }),
  );
  return await waitUntilProcessed({ client }, organizationId, slug);
}

/** Adds a version with a title to a specification. */
export async function addVersion(
  owner: Pick<Person, 'client'>,
  organizationId: string,
  specSlug: string,
  title: string,
  text = PET_STORE.replace('Pet store', title),
): Promise<Schemas['OpenAPISpec']> {
  await ok(
    owner.client.PUT('/v1/orgs/{organizationId}/openapi/{specSlug}', {
      params: { path: { organizationId, specSlug } },
      body: { source: { text } },
    }),
  );
  return await waitUntilProcessed(owner, organizationId, specSlug);
}

/** Waits until the source of a specification is processed. Returns the specification. */
export async function waitUntilProcessed(
  { client }: Pick<Person, 'client'>,
  organizationId: string,
  specSlug: string,
): Promise<Schemas['OpenAPISpec']> {
  return await vi.waitFor(
    async () => {
      const spec = await ok(
        client.GET('/v1/orgs/{organizationId}/openapi/{specSlug}', {
          params: { path: { organizationId, specSlug } },
        }),
      );
      expect(spec.processingState).toBe('complete');
      return spec;
    },
    { timeout: 60_000, interval: 25 },
  );
}
