import express, { type RequestHandler } from 'express';
import { onTestFinished } from 'vitest';
import {
  ContractError,
  createContractRouter,
  createErrorHandler,
  listen,
  notFoundHandler,
  type OpenApiDocument,
  reply,
} from '../../../server/contract/index.ts';
import { tableOf } from '../../contract/serve.ts';

/** A validated request, as handlers of any contract receive it. */
export interface HabitRequest {
  path: Record<string, string>;
  query: Record<string, unknown>;
  headers: Record<string, string>;
  body: unknown;
}

/** A response: its status, and the body and headers if any. */
export interface HabitResponse {
  status: number;
  body?: unknown;
  headers?: Record<string, string>;
  contentType?: string;
}

export type HabitHandlers = Record<string, (request: HabitRequest) => HabitResponse | Promise<HabitResponse>>;

/** A correct server with a habit that testers misunderstand, and faulty twins of it. */
export interface Habit {
  document: OpenApiDocument;
  /** What a faulty twin does, with the check that reports it. */
  faults: Record<string, string>;
  /** Creates the handlers of a correct server, or of a faulty twin. */
  handlers(fault?: string): HabitHandlers;
  /** Handles requests before the router. */
  before?(fault?: string): RequestHandler;
}

/** Serves a habit until the test ends. */
export async function serveHabit({ document, handlers, before }: Habit, fault?: string): Promise<URL> {
  const all = Object.entries(handlers(fault)).map(([id, handle]) => [
    id,
    async (request: HabitRequest) => reply(await handle(request)),
  ]);
  const log = { error: () => {}, warn: () => {}, info: () => {} };
  const app = express().disable('x-powered-by').disable('etag');
  if (before) {
    app.use(before(fault));
  }
  app.use(
    createContractRouter({
      document,
      operations: tableOf(document),
      // The handlers of any contract have no generated types; the router checks what they return.
      handlers: Object.fromEntries(all) as never,
      security: {},
      validateResponses: false,
    }),
  );
  app.use(notFoundHandler).use(createErrorHandler(log));
  const listener = await listen(0, '127.0.0.1');
  listener.serve(app);
  onTestFinished(() => listener.close(0));
  return new URL(`http://127.0.0.1:${listener.port}`);
}

/** Creates a document of paths and schemas. */
export const documentOf = (paths: object, schemas: object = {}): OpenApiDocument =>
  // Written in each habit, and read by the router and the tester.
  ({
    openapi: '3.1.0',
    info: { title: 'Habit', version: '1' },
    paths,
    components: { schemas },
  }) as never;

/** Refers to a schema. */
export const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });

/** The content of a body: JSON, or another media type. */
export const content = (schema: object, mediaType = 'application/json') => ({
  content: { [mediaType]: { schema } },
});

/** A required body. */
export const body = (schema: object, mediaType?: string) => ({
  required: true,
  ...content(schema, mediaType),
});

/** A success with a schema, and any error. */
export const responses = (status: number, schema?: object, mediaType?: string, headers?: object) => ({
  [status]: {
    description: 'Success',
    ...(schema && content(schema, mediaType)),
    ...(headers && { headers }),
  },
  default: { description: 'Error', content: { 'application/json': {} } },
});

/** A path parameter. */
export const inPath = (name: string, schema: object = { type: 'string' }) => ({
  name,
  in: 'path',
  required: true,
  schema,
});

/** A query parameter. */
export const inQuery = (name: string, schema: object, required = false) => ({
  name,
  in: 'query',
  required,
  schema,
});

/** Rejects a request. */
export function reject(status: number, message = 'Rejected.'): never {
  throw new ContractError(status, 'rejected', message);
}

/** Returns a resource, or rejects the request. */
export const found = <Resource>(resource: Resource | undefined): Resource => resource ?? reject(404);

/** An object schema without other members. */
export const closed = (properties: Record<string, object>, required: string[] = []) => ({
  type: 'object',
  additionalProperties: false,
  properties,
  ...(required.length > 0 && { required }),
});

/** Numbers the resources of a server. */
export function counter(prefix: string): () => string {
  let last = 0;
  return () => {
    last += 1;
    return `${prefix}${last}`;
  };
}
