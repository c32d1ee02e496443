import { createClient } from '../../../client/index.ts';
import type { OpenApiDocument, RequestContext } from '../../../server/contract/index.ts';
import { stylesOf } from '../../../spec/toolchain/generate/parameter-styles.ts';
import { serveRouter, tableOf } from '../serve.ts';

/** A parameter of an operation of its own, which returns what it received. */
export interface StyledParameter {
  in: 'path' | 'query' | 'header' | 'cookie';
  style?: string;
  explode?: boolean;
  allowReserved?: boolean;
  allowEmptyValue?: boolean;
  required?: boolean;
  schema?: object;
  content?: object;
}

interface Operations {
  [id: string]: {
    parameters: Record<'path' | 'query' | 'header' | 'cookie', Record<string, unknown>>;
    requestBody?: { content: { 'application/json': unknown } };
    responses: { 200: { content: { 'application/json': unknown } } };
  };
}

const responses = { 200: { description: 'OK.', content: { 'application/json': { schema: {} } } } };

/** Serves documents with operations that return their requests, with their documentation if `hasDocs` is set. */
export async function serveEcho(paths: object, { hasDocs = false } = {}) {
  const document = {
    openapi: '3.1.0',
    info: { title: 'Styles', version: '1' },
    paths,
    components: {},
    // The literals are narrower than the interface.
  } as unknown as OpenApiDocument;
  const operations = tableOf(document);
  const handlers = Object.fromEntries(
    Object.keys(operations).map((id) => [
      id,
      async (request: { body?: { read?: () => Promise<unknown> } }) => ({
        ...request,
        ...(typeof request.body?.read === 'function' && { body: await request.body.read() }),
      }),
    ]),
  );
  const options = { document, operations, handlers, security: {}, validateResponses: false };
  return await serveRouter<Operations, Record<never, never>, RequestContext>(options as never, { hasDocs });
}

/** Serves each parameter, with the name `color`, in an operation of its own. */
export async function serveParameters(parameters: readonly StyledParameter[]) {
  const declared = parameters.map((parameter) => ({
    name: 'color',
    ...parameter,
    ...(parameter.in === 'path' && { required: true }),
  }));
  const paths = Object.fromEntries(
    declared.map((parameter, index) => [
      parameter.in === 'path' ? `/${index}/{color}` : `/${index}`,
      { get: { operationId: `get${index}`, parameters: [parameter], responses } },
    ]),
  );
  const server = await serveEcho(paths);
  let sent = '';
  const client = createClient({
    baseUrl: server.url,
    retries: 0,
    fetch: async (request) => {
      const { pathname, search } = new URL(request.url);
      sent = `${pathname.replace(/^\/\d+\/?/, '')}${search}${request.headers.get('color') ?? ''}${request.headers.get('cookie') ?? ''}`;
      return await globalThis.fetch(request);
    },
  });
  return {
    ...server,
    /** Sends a value with the client, and returns how it was written and what the handler received. */
    async call(index: number, value: unknown): Promise<{ sent: string; received: unknown }> {
      const parameter = declared[index];
      if (!parameter) {
        throw new Error(`There is no parameter ${index}.`);
      }
      const path = parameter.in === 'path' ? `/${index}/{color}` : `/${index}`;
      // Both interfaces describe the same document.
      const styles = stylesOf({} as never, [parameter as never], {});
      const input = { [parameter.in]: { color: value } };
      const nested = [parameter.in];
      const echo = await client.call<Record<string, Record<string, unknown>>>('GET', path, input, {}, {
        nested,
        styles,
      } as never);
      const part = { path: 'path', query: 'query', header: 'headers', cookie: 'cookies' }[parameter.in];
      return { sent, received: echo[part]?.color };
    },
  };
}

/** Returns an operation for `serveEcho`. */
export const operation = (operationId: string, more: object) => ({ operationId, responses, ...more });
