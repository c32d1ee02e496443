import { AsyncLocalStorage } from 'node:async_hooks';
import express, { type ErrorRequestHandler, type Express, type Request } from 'express';
import { messageOf } from '../../../server/contract/errors.ts';
import {
  ContractError,
  createContractRouter,
  createErrorHandler,
  errorEnvelope,
  type FieldPart,
  notFound,
  notFoundHandler,
  problemDetails,
  type RuntimeLogger,
  reply,
  type SecurityHook,
  type OpenApiDocument as ServedDocument,
  unauthenticated,
} from '../../../server/contract/index.ts';
import { formatPointer } from '../../../server/contract/json-values.ts';
import { mediaKindOf } from '../../../server/contract/media-types.ts';
import type { Validation } from '../../../server/contract/validation/validation.ts';
import { isObject, type OpenApiDocument } from '../document.ts';
import { operationRows } from '../generate/operation-table.ts';
import type { Contract, MediaType, Operation } from '../model/contract/contract.ts';
import { basePathOf, readContract } from '../model/contract/read.ts';
import { Resources } from '../model/plan/resources.ts';
import { SampleValues } from '../model/sample/values.ts';
import { type Schema, SchemaSet, UnusableSchema } from '../model/schema/schema.ts';
import { documentOf } from '../source.ts';
import { UsageError } from '../usage-error.ts';
import { MissingEntity, type MockHandler, MockHandlers } from './handlers.ts';
import { withMember } from './pointers.ts';
import type { MockRequest } from './responses.ts';
import { validHandler } from './valid-responses.ts';

/** The server of a mock. */
export interface Mock {
  app: Express;
  /** Path of the contract's first server, which precedes all paths. */
  basePath: string;
}

/** Request that the router passes to the handler of an operation. */
type RoutedRequest = Omit<MockRequest, keyof Address>;
type RouterHandler = (request: RoutedRequest) => Promise<unknown>;

/** Where a request was sent to. */
type Address = Pick<MockRequest, 'baseUrl' | 'target'>;

/** Address of the current request, which the router does not pass to handlers. */
const currentAddress = new AsyncLocalStorage<Address>();

/**
 * Creates a server for a contract without handlers: responses are made of its examples and schemas, and entities that
 * operations create, update and delete are stored in memory. Requests and responses are validated.
 *
 * @param name name of the contract in messages
 * @param document document of the generator: OpenAPI 3.1, with an ID for each operation
 * @param token the accepted credential, `user:password` for basic authentication; any by default
 * @throws {UsageError} if the contract cannot be served
 */
export function createMock(
  name: string,
  document: OpenApiDocument,
  { log, token }: { log: RuntimeLogger; token?: string | undefined },
): Mock {
  const source = documentOf(name, document);
  const contract = readContract(source);
  const schemas = new SchemaSet(contract.components);
  const values = new SampleValues(schemas);
  const resources = new Resources(contract, schemas);
  const handlers = new MockHandlers(resources, values);
  const basePath = basePathOf(source);
  const app = express().disable('x-powered-by');
  app.use(basePath || '/', (req, _res, next) => currentAddress.run(addressOf(req), next));
  app.use(basePath || '/', createRouter(document, contract, handlers, values, token));
  app.use(notFoundHandler);
  app.use(unmadeResponses(log));
  app.use(declaredErrors(resources, values));
  app.use(createErrorHandler(log));
  return { app, basePath };
}

function createRouter(
  document: OpenApiDocument,
  contract: Contract,
  handlers: MockHandlers,
  values: SampleValues,
  token: string | undefined,
) {
  const { rows } = operationRows(document, 'warning');
  const validations = new Map<string, Validation>();
  const byId = contract.operations.map((operation) => {
    const handle = validHandler(handlers.of(operation), operation, values, () =>
      validations.get(operation.id),
    );
    return [operation.id, routerHandler(handle, operation)] as const;
  });
  try {
    return createContractRouter({
      // The generator emits what the router reads.
      document: document as ServedDocument,
      operations: Object.fromEntries(rows),
      // Only generated types describe the requests and results of handlers; the router checks both.
      handlers: Object.fromEntries(byId) as never,
      security: Object.fromEntries(
        Object.keys(document.components?.securitySchemes ?? {}).map((scheme) => [
          scheme,
          credentialHook(token),
        ]),
      ),
      validateResponses: true,
      validations,
    });
  } catch (error) {
    throw new UsageError(messageOf(error));
  }
}

const routerHandler =
  (handle: MockHandler, { body: declared }: Operation): RouterHandler =>
  async (request) => {
    // If several media types are declared, the router adds that of the request.
    const isTyped = Object.keys(declared?.content ?? {}).length > 1;
    const body = isTyped && isObject(request.body) ? request.body.value : request.body;
    try {
      const address = currentAddress.getStore() ?? { baseUrl: DEFAULT_ORIGIN, target: '' };
      return reply(handle({ ...request, ...address, body: await fieldsOf(body) }));
    } catch (error) {
      if (error instanceof UnusableSchema) {
        throw new ContractError(501, 'not_implemented', error.message);
      }
      throw error instanceof MissingEntity ? notFound(error.message) : error;
    }
  };

const DEFAULT_ORIGIN = 'http://localhost';

/** Returns the address of a request. HTTP/1.0 permits requests without a host. */
function addressOf({ protocol, headers, baseUrl: basePath, url }: Request): Address {
  const origin = URL.parse(`${protocol}://${headers.host ?? ''}`)?.origin ?? DEFAULT_ORIGIN;
  // The target of a request can be a URL (RFC 9112, 3.2.2).
  return { baseUrl: origin + basePath, target: url.replace(/^[a-z]+:\/\/[^/?]*/i, '') };
}

/** Returns the parsed body of a request; for a multipart body, its fields without files. */
async function fieldsOf(body: unknown): Promise<unknown> {
  if (typeof body !== 'object' || body === null || !(Symbol.asyncIterator in body)) {
    return body;
  }
  const fields: Record<string, unknown> = {};
  // Streamed bodies are multipart bodies and files, which have chunks instead of parts.
  for await (const part of body as AsyncIterable<Partial<FieldPart>>) {
    if (part.name !== undefined && 'value' in part) {
      fields[part.name] = part.value;
    }
  }
  return fields;
}

/** Accepts one credential, or any. The router calls the function of the scheme's kind. */
function credentialHook(token: string | undefined): SecurityHook<object> {
  const verify = async (credential: string) => {
    if (token !== undefined && credential !== token) {
      throw unauthenticated('The credential is unknown. Send the one that the mock was started with.');
    }
    return {};
  };
  return {
    bearer: verify,
    apiKey: verify,
    http: verify,
    basic: async ({ username, password }) => await verify(`${username}:${password}`),
  };
}

/** Reports a response that the mock could not make as 501: the server that it stands for may return one. */
function unmadeResponses(log: RuntimeLogger): ErrorRequestHandler {
  return (error: unknown, _req, res, next) => {
    if (error instanceof ContractError || !(error instanceof Error) || !res.locals.operationId) {
      return next(error);
    }
    log.warn({ err: error, operationId: res.locals.operationId }, 'the mock could not make a response');
    next(new ContractError(501, 'not_implemented', `The mock could not make a response: ${error.message}`));
  };
}

/** Sends errors in the shape that the operation declares for their status, if it declares one. */
function declaredErrors({ contract, shapes }: Resources, values: SampleValues): ErrorRequestHandler {
  const operations = new Map(contract.operations.map((operation) => [operation.id, operation]));
  return (error: unknown, _req, res, next) => {
    const operation = operations.get(String(res.locals.operationId));
    if (!(error instanceof ContractError) || !operation || res.headersSent) {
      return next(error);
    }
    const { status, message } = error;
    const { responses } = operation;
    const declared = responses[status] ?? responses[`${String(status)[0]}XX`] ?? responses.default;
    const [type, { schema = undefined, examples = [] } = {}] = jsonOf(declared?.content ?? {}) ?? [];
    if (type === undefined || schema === undefined) {
      return next(error);
    }
    const known = shapes.fields(schema);
    const standard = [errorEnvelope, problemDetails]
      .map((format) => Object.entries(format(error, String(res.locals.requestId)).body))
      .map((members) => Object.fromEntries(members.filter(([name]) => known.has(name))))
      .find((body) => values.isExact(schema, body));
    const body =
      standard ?? withMessage(schema, values.value(schema, 'error', 1, examples), { status, message });
    res.status(status).set(error.headers).type(type).send(JSON.stringify(body));
  };

  function withMessage(schema: Schema, sample: unknown, error: { status: number; message: string }): unknown {
    const members = {
      message: error.message,
      detail: error.message,
      status: error.status,
      code: error.status,
    };
    return Object.entries(members).reduce((body, [name, member]) => {
      const candidate = withMember(body, formatPointer([name]), member);
      return shapes.fields(schema).has(name) && values.accepts(schema, candidate) ? candidate : body;
    }, sample);
  }
}

const jsonOf = (content: Readonly<Record<string, MediaType>>): [string, MediaType] | undefined =>
  Object.entries(content).find(([type]) => mediaKindOf(type) === 'json');
