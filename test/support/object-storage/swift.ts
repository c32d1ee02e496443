import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { CreateBucketCommand, paginateListObjectsV2, S3Client } from '@aws-sdk/client-s3';
import { startProxy, type TcpProxy } from '../database/tcp-proxy.ts';
import { killTree } from '../processes/kill-tree.ts';
import { TEMPORARY_FOLDER } from '../processes/temporary.ts';

/*
 * An object storage with the API of Amazon S3 for tests: OpenStack Swift, from the package python3-swift of Debian. It
 * verifies signatures, and stores objects and their parts in files.
 */

const [USER, SECRET] = ['test:tester', 'secret-of-the-tests'];
const PYTHON = '/usr/bin/python3';
const BUCKET = 'colophon-files';

/** Whether this machine can run the storage. */
export const hasSwift = existsSync('/usr/lib/python3/dist-packages/swift/common/middleware/s3api');

/** Variables with the credentials of the storage, for programs that use it. */
export const STORAGE_CREDENTIALS = {
  AWS_ACCESS_KEY_ID: USER,
  AWS_SECRET_ACCESS_KEY: SECRET,
  AWS_EC2_METADATA_DISABLED: 'true',
};

/** An object storage that a test started, behind a proxy that may fail. */
export interface TestStorage {
  proxy: TcpProxy;
  /** Port of the storage itself. */
  port: number;
  /** Returns the value of `COLOPHON_FILES` for a prefix. */
  files(prefix: string, parameters?: string): string;
  /** Client of the storage itself. */
  client: S3Client;
  bucket: string;
  /** Lists the keys of all objects that start with a prefix. */
  keys(prefix: string): Promise<string[]>;
  close(): Promise<void>;
}

/** Starts a storage with an empty bucket. Its credentials are those of this process until it is closed. */
export async function startStorage(): Promise<TestStorage> {
  const folder = await mkdtemp(join(TEMPORARY_FOLDER, 'colophon-swift-'));
  const script = join(import.meta.dirname, 'storage_server.py');
  const child = spawn(PYTHON, [script, folder, '0', USER, SECRET], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(child, 'exit').then(() => Promise.reject(new Error('The storage did not start.')));
  const [line] = await Promise.race([once(child.stdout, 'data'), ended]);
  ended.catch(() => undefined);
  const port = Number(String(line));
  const client = new S3Client({
    endpoint: `http://127.0.0.1:${port}`,
    region: 'us-east-1',
    forcePathStyle: true,
    credentials: { accessKeyId: USER, secretAccessKey: SECRET },
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  });
  await client.send(new CreateBucketCommand({ Bucket: BUCKET }));
  const proxy = await startProxy(port);
  const previous = Object.keys(STORAGE_CREDENTIALS).map((name) => [name, process.env[name]] as const);
  Object.assign(process.env, STORAGE_CREDENTIALS);
  return {
    proxy,
    port,
    client,
    bucket: BUCKET,
    files: (prefix, parameters = '') =>
      `s3://${BUCKET}/${prefix}?endpoint=http://127.0.0.1:${proxy.port}${parameters}`,
    keys: async (prefix) => {
      const keys: string[] = [];
      for await (const page of paginateListObjectsV2({ client }, { Bucket: BUCKET, Prefix: prefix })) {
        keys.push(...(page.Contents ?? []).map(({ Key = '' }) => Key));
      }
      return keys;
    },
    close: async () => {
      for (const [name, value] of previous) {
        if (value === undefined) {
          delete process.env[name];
        } else {
          process.env[name] = value;
        }
      }
      client.destroy();
      await proxy.close();
      await killTree(child);
      await rm(folder, { recursive: true, force: true });
    },
  };
}
