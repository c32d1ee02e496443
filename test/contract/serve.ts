import express from 'express';
import { onTestFinished } from 'vitest';
import {
  createContractRouter,
  createDocsPage,
  createErrorHandler,
  createRequestLogger,
  listen,
  notFoundHandler,
  type OpenApiDocument,
  type OperationRow,
  type RouterOptions,
} from '../../server/contract/index.ts';
import { operationRows } from '../../spec/toolchain/generate/operation-table.ts';
import type { LogLine } from './small-server.ts';

/** A server with a router, until the test ends. */
export interface ServedRouter {
  url: string;
  port: number;
  log: LogLine[];
  /** Returns the messages of the errors in the log. */
  errors(): string[];
}

/** Returns the table of operations that the toolchain generates for a document. */
export function tableOf(document: OpenApiDocument): Record<string, OperationRow> {
  // Both interfaces describe parts of the same document.
  return Object.fromEntries(operationRows(document as never, 'warning').rows);
}

/** Serves a router on loopback until the test ends. */
export async function serveRouter<Operations, Table, Context, Principals = Record<never, never>>(
  options: RouterOptions<Operations, Table, Context, Principals>,
  { hasDocs = false } = {},
): Promise<ServedRouter> {
  const log: LogLine[] = [];
  const write = (level: LogLine['level']) => (fields: Record<string, unknown>, message: string) => {
    log.push({ level, message, fields });
  };
  const runtimeLog = { error: write('error'), warn: write('warn'), info: write('info') };
  const app = express().disable('x-powered-by').disable('etag');
  app.use(createRequestLogger(runtimeLog));
  if (hasDocs) {
    app.use(createDocsPage(options.document));
  }
  app.use(createContractRouter<Operations, Table, Context, Principals>(options));
  app.use(notFoundHandler);
  app.use(createErrorHandler(runtimeLog));
  const listener = await listen(0, '127.0.0.1');
  listener.serve(app);
  onTestFinished(() => listener.close(0));
  const { port } = listener;
  const errors = () =>
    log.flatMap(({ level, fields: { err } }) =>
      level === 'error' ? [err instanceof Error ? err.message : String(err)] : [],
    );
  return { url: `http://127.0.0.1:${port}`, port, log, errors };
}
