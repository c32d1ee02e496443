import express from 'express';
import { messageOf } from '../../../server/contract/errors.ts';
import { createRequestLogger, listen, type RuntimeLogger } from '../../../server/contract/index.ts';
import { hostAndPort } from '../../../server/contract/request/address.ts';
import type { OpenApiDocument } from '../document.ts';
import type { Project } from '../project.ts';
import { createMock } from './mock.ts';

/** Options of a mock. */
export interface MockOptions {
  port: number;
  host: string;
  /** The accepted credential; any by default. */
  token?: string;
  /** Receives each line of output. */
  log(line: string): void;
}

/** A listening mock with a replaceable contract. */
export interface MockServer {
  /**
   * Serves a contract, and forgets the entities of the previous one.
   *
   * @returns its base URL
   * @throws {UsageError} if the contract cannot be served
   */
  serve(document: OpenApiDocument): string;
  close(): Promise<void>;
}

/** Time for requests in flight when the mock stops. */
const CLOSE_GRACE_MS = 1000;

/** Listens for requests, which receive a 503 until a contract is served. */
export async function listenMock(
  { contract }: Project,
  { port, host, token, log }: MockOptions,
): Promise<MockServer> {
  const runtimeLog = logOf(log);
  const listener = await listen(port, host);
  return {
    serve(document) {
      const mock = createMock(contract, document, { log: runtimeLog, token });
      listener.serve(express().disable('x-powered-by').use(createRequestLogger(runtimeLog)).use(mock.app));
      return `http://${hostAndPort(host, listener.port)}${mock.basePath}`;
    },
    close: () => listener.close(CLOSE_GRACE_MS),
  };
}

/** Logs each request as one line, and errors with their cause. */
function logOf(log: (line: string) => void): RuntimeLogger {
  return {
    info: ({ method, path, status }) => log(`${method} ${path} ${status}`),
    warn: (_fields, message) => log(message),
    error: ({ err }, message) => log(`${message}: ${messageOf(err)}`),
  };
}
