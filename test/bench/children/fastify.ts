// Fastify with the schemas of the contract for requests and responses, and a hook that requires a bearer token.
import fastify, { type FastifySchema } from 'fastify';
import {
  dereferenced,
  type OperationObject,
  parametersOf,
  resolve,
} from '../../../server/contract/document.ts';
import { isObject } from '../../../server/contract/json-values.ts';
import { serveParent } from './channel.ts';
import { readExchanges, routeOf } from './exchanges.ts';
import { readSmallContract } from './small-contract.ts';

const JSON_TYPE = 'application/json';

const { document, operations } = readSmallContract();
const app = fastify({
  // Unknown properties are rejected, as the contract declares; removing them is Fastify's default.
  ajv: { customOptions: { removeAdditional: false, keywords: ['x-rule'] } },
});
app.addHook('onRequest', async (request, reply) => {
  if (!/^Bearer ./.test(request.headers.authorization ?? '')) {
    await reply.code(401).send({ message: 'A bearer token is required.' });
  }
});
for (const { operation: id, method, status, headers = {}, body } of readExchanges()) {
  const path = operations[id]?.path ?? '';
  const operation = document.paths[path]?.[method === 'GET' ? 'get' : 'post'];
  if (!operation) {
    throw new Error(`The contract has no operation ${id}.`);
  }
  app.route({
    method,
    url: routeOf(path),
    schema: schemasOf(operation, status),
    handler: async (_request, reply) => await reply.code(status).headers(headers).send(body),
  });
}
serveParent(await app.listen({ port: 0, host: '127.0.0.1' }));

/** Returns the schemas of an operation by part of the request, and that of a response. */
function schemasOf(operation: OperationObject, status: number): FastifySchema {
  const declared = operation.responses[status] ?? {};
  const response = resolved(dereferenced<typeof declared>(document, declared).content?.[JSON_TYPE]?.schema);
  const body = operation.requestBody?.content[JSON_TYPE]?.schema;
  return {
    params: parameterSchema(operation, 'path'),
    querystring: parameterSchema(operation, 'query'),
    headers: parameterSchema(operation, 'header'),
    ...(body !== undefined && { body: resolved(body) }),
    response: { [status]: response },
  };
}

/** Returns the schema of the object of all parameters in one location. */
function parameterSchema(operation: OperationObject, location: string): object {
  const parameters = parametersOf(document, operation).filter((parameter) => parameter.in === location);
  return {
    type: 'object',
    properties: Object.fromEntries(parameters.map(({ name, schema }) => [name, resolved(schema)])),
    required: parameters.filter(({ required }) => required).map(({ name }) => name),
  };
}

/** Copies a schema with all its references resolved. The measured operations have no recursive schemas. */
function resolved(schema: unknown): unknown {
  if (Array.isArray(schema)) {
    return schema.map(resolved);
  }
  if (!isObject(schema)) {
    return schema;
  }
  const { $ref, ...own } = schema;
  const copy = Object.fromEntries(Object.entries(own).map(([key, value]) => [key, resolved(value)]));
  const target = typeof $ref === 'string' ? resolved(resolve(document, $ref)) : undefined;
  return { ...(isObject(target) && target), ...copy };
}
