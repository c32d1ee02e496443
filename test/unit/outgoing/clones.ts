import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect } from 'vitest';
import { parseAllowedRanges } from '../../../server/outgoing/addresses.ts';
import { OutgoingError } from '../../../server/outgoing/errors.ts';
import { type CloneOptions, cloneRepository, type GitRepository } from '../../../server/outgoing/git/git.ts';
import { type GitServer, type GitServerOptions, startGitServer } from '../../support/git/git-server.ts';

/** The addresses of the servers of tests. */
export const LOOPBACK = parseAllowedRanges('127.0.0.0/8');

/** Path of the first request of a clone. */
export const ADVERTISEMENT = '/info/refs?service=git-upload-pack';

/** Sends a redirect. */
export function redirect(response: Parameters<RequestListener>[1], location: string): void {
  response.writeHead(302, { Location: location }).end();
}

/** Git servers of a test, and a folder for the copies of their repositories. */
export interface GitServers {
  readonly folder: string;
  serve(options?: GitServerOptions): Promise<GitServer>;
  /** Registers a function to call after the test, before those that are registered already. */
  closeAfterwards(close: () => Promise<unknown>): void;
}

/**
 * Creates a folder before each test, and closes everything that the test opened afterwards.
 *
 * @param verify called with the folder after everything is closed
 */
export function useGitServers(verify?: (folder: string) => Promise<void>): GitServers {
  let folder: string;
  const closing: (() => Promise<unknown>)[] = [];
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'clones-'));
  });
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) {
      await close();
    }
    await verify?.(folder);
    await rm(folder, { recursive: true, force: true });
  });
  return {
    get folder() {
      return folder;
    },
    async serve(options) {
      const server = await startGitServer(options);
      closing.push(() => server.close());
      return server;
    },
    closeAfterwards: (close) => {
      closing.push(close);
    },
  };
}

/** Returns the error of a call that fails. */
export async function outgoingFailure(call: Promise<unknown>): Promise<OutgoingError> {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(OutgoingError);
  // Just checked.
  return error as OutgoingError;
}

/** Clones in a temporary folder, and their servers. */
export interface Clones {
  /** The folder of the clones. */
  readonly folder: string;
  serve: GitServers['serve'];
  /** Starts a plain HTTP server, for responses that no Git server should send. */
  serveHTTP(listener: RequestListener): Promise<string>;
  clone(url: string, options?: Partial<CloneOptions>): Promise<GitRepository>;
  /** Returns the error of a failing clone. The folder must then be empty. */
  failure(url: string, options?: Partial<CloneOptions>): Promise<OutgoingError>;
}

/** Creates a folder before each test, and closes its clones and servers afterwards. */
export function useClones(): Clones {
  const servers = useGitServers();
  const clone = async (url: string, options: Partial<CloneOptions> = {}): Promise<GitRepository> => {
    const { folder } = servers;
    const ref = 'refs/heads/main';
    const repository = await cloneRepository({ url, ref, allow: LOOPBACK, folder, ...options });
    servers.closeAfterwards(() => repository.close());
    return repository;
  };
  return {
    get folder() {
      return servers.folder;
    },
    clone,
    serve: servers.serve,
    async serveHTTP(listener) {
      const server = createServer(listener);
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      servers.closeAfterwards(async () => {
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
      });
      // The address of a listening TCP server is never a string or null.
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    },
    async failure(url, options) {
      const error = await outgoingFailure(clone(url, options));
      expect(await readdir(servers.folder)).toEqual([]);
      return error;
    },
  };
}
