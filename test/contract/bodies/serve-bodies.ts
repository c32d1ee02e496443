import type { createContractRouter, OpenApiDocument } from '../../../server/contract/index.ts';
import { serveRouter, tableOf } from '../serve.ts';

/** A body that is JSON text already. */
export class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** A server with operations that receive and return a body of a schema. */
export interface BodyServer {
  url: string;
  /**
   * Sends a body: a value, or {@link JsonText}.
   *
   * @param name name of the schema
   * @param reply what the handler returns; what it received by default
   */
  post(
    name: string,
    body: unknown,
    reply?: unknown,
  ): Promise<{ status: number; body: unknown; details: unknown }>;
  /** Returns the messages of the errors in the log. */
  errors(): string[];
}

/** Returns a contract with an operation for each of several schemas, which receives and returns a value of it. */
export function contractOf(bodies: Record<string, unknown>, schemas: object = {}): OpenApiDocument {
  const paths = Object.entries(bodies).map(([name, schema]) => {
    const content = { 'application/json': { schema } };
    const responses = { 200: { description: 'OK.', content } };
    return [`/${name}`, { post: { operationId: name, requestBody: { required: true, content }, responses } }];
  });
  return {
    openapi: '3.1.0',
    info: { title: 'Bodies', version: '1' },
    paths: Object.fromEntries(paths),
    components: { schemas: { ...schemas } },
  };
}

/** Serves {@link contractOf} on loopback until the test ends. */
export async function serveBodies(
  bodies: Record<string, unknown>,
  schemas: object = {},
): Promise<BodyServer> {
  const document = contractOf(bodies, schemas);
  let reply: { value: unknown } | undefined;
  const handler = async ({ body }: { body: unknown }) => (reply ? reply.value : body);
  const handlers = Object.fromEntries(Object.keys(bodies).map((name) => [name, handler]));
  const { url, errors } = await serveRouter({
    ...{ document, operations: tableOf(document), handlers, security: {}, validateResponses: true },
    // Only generated types describe the operations of a contract.
  } as unknown as Parameters<typeof createContractRouter>[0]);
  return {
    url,
    errors,
    async post(name, body, ...replies) {
      reply = replies.length > 0 ? { value: replies[0] } : undefined;
      const response = await fetch(`${url}/${name}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: body instanceof JsonText ? body.text : JSON.stringify(body),
      });
      const received = await response.json();
      return { status: response.status, body: received, details: received?.error?.details };
    },
  };
}
