import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect } from 'vitest';
import { parseAllowedRanges } from '../../../server/outgoing/addresses.ts';
import { OutgoingError } from '../../../server/outgoing/errors.ts';
import { type CloneOptions, cloneRepository, type GitRepository } from '../../../server/outgoing/git.ts';
import { type GitServer, type GitServerOptions, startGitServer } from '../../support/git-server.ts';

const loopback = parseAllowedRanges('127.0.0.0/8');

/** Path of the first request of a clone. */
export const ADVERTISEMENT = '/info/refs?service=git-upload-pack';

/** Sends a redirect. */
export function redirect(response: Parameters<RequestListener>[1], location: string): void {
  response.writeHead(302, { Location: location }).end();
}
/** Clones in a temporary folder, and their servers. */
export interface Clones {
  /** The folder of the clones. */
  readonly folder: string;
  serve(options?: GitServerOptions): Promise<GitServer>;
  /** Starts a plain HTTP server, for responses that no Git server should send. */
  serveHTTP(listener: RequestListener): Promise<string>;
  clone(url: string, options?: Partial<CloneOptions>): Promise<GitRepository>;
  /** Returns the error of a failing clone, after which the folder must be empty. */
  failure(url: string, options?: Partial<CloneOptions>): Promise<OutgoingError>;
}

/** Creates a folder before each test, and closes its clones and servers afterwards. */
export function useClones(): Clones {
  let folder: string;
  const closing: (() => Promise<unknown>)[] = [];
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'clones-'));
  });
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) {
      await close();
    }
    await rm(folder, { recursive: true, force: true });
  });
  const clone = async (url: string, options: Partial<CloneOptions> = {}): Promise<GitRepository> => {
    const ref = 'refs/heads/main';
    const repository = await cloneRepository({ url, ref, allow: loopback, folder, ...options });
    closing.push(() => repository.close());
    return repository;
  };
  return {
    get folder() {
      return folder;
    },
    clone,
    async serve(options) {
      const server = await startGitServer(options);
      closing.push(() => server.close());
      return server;
    },
    async serveHTTP(listener) {
      const server = createServer(listener);
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      closing.push(async () => {
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
      });
      // The address of a listening TCP server is never a string or null.
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    },
    async failure(url, options) {
      const error = await clone(url, options).then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      expect(error).toBeInstanceOf(OutgoingError);
      expect(await readdir(folder)).toEqual([]);
      // Just checked.
      return error as OutgoingError;
    },
  };
}
