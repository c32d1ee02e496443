// Hono on Node with schemas of Zod, written by hand after the contract, and a middleware that requires a bearer token.
import { serve } from '@hono/node-server';
import { type Context, Hono } from 'hono';
import { bearerAuth } from 'hono/bearer-auth';
import { validator } from 'hono/validator';
import { z } from 'zod';
import { serveParent } from './channel.ts';
import { readExchanges } from './exchanges.ts';

const identifier = z
  .string()
  .max(128)
  .regex(/^[a-zA-Z0-9_-]+$/);
const shortText = z.string().max(2048);

const spacePath = z.object({ spaceId: identifier });
const organizationPath = z.object({ organizationId: identifier });
const spaceQuery = z.object({ shareKey: shortText.optional() });
const collectionsQuery = z.object({
  page: shortText.optional(),
  limit: z.coerce.number().int().min(0).max(1000).default(50),
  nested: z.enum(['true', 'false']).default('true'),
});
const creationHeaders = z.object({ 'idempotency-key': z.string().min(1).max(255).optional() });
const collectionCreation = z.strictObject({
  title: z.string().max(50).optional(),
  parent: identifier.optional(),
});

/** Validates one part of a request, and rejects it with the problems that Zod found. */
const valid = <Target extends 'param' | 'query' | 'header' | 'json'>(target: Target, schema: z.ZodType) =>
  validator(target, (value, context) => {
    const result = schema.safeParse(value);
    return result.success ? result.data : context.json({ issues: result.error.issues }, 400);
  });

const exchanges = new Map(readExchanges().map((exchange) => [exchange.operation, exchange]));

/** Sends the response of the service to an operation. */
function send(context: Context, operation: string): Response {
  const { status = 500, headers = {}, body } = exchanges.get(operation) ?? {};
  // The body is JSON, and a status of the service is one that Hono knows.
  return context.json(body as object, status as 200 | 201, headers);
}

const app = new Hono();
app.use(bearerAuth({ verifyToken: () => true }));
app.get('/v1/spaces/:spaceId', valid('param', spacePath), valid('query', spaceQuery), (context) =>
  send(context, 'getSpace'),
);
app.get(
  '/v1/orgs/:organizationId/collections',
  valid('param', organizationPath),
  valid('query', collectionsQuery),
  (context) => send(context, 'listCollections'),
);
app.post(
  '/v1/orgs/:organizationId/collections',
  valid('param', organizationPath),
  valid('header', creationHeaders),
  valid('json', collectionCreation),
  (context) => send(context, 'createCollection'),
);
serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => {
  serveParent(`http://127.0.0.1:${port}`);
});
