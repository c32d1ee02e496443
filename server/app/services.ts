import { join } from 'node:path';
import { Searches } from '../database/search/searches.ts';
import { openObjectStorage } from '../outgoing/object-storage/object-storage.ts';
import { createSamlThreads } from '../platform/accounts/saml/threads.ts';
import { createCallRecorder } from '../platform/integrations/calls/recorder.ts';
import { createResourceUrls } from '../platform/kit/resource-urls.ts';
import type { Services } from '../platform/kit/slice.ts';
import { siteHooks } from '../platform/sites/hooks.ts';
import { Quotas } from '../quotas/quotas.ts';
import { createSandbox } from '../sandbox/sandbox.ts';
import type { Config } from './config.ts';

/** What the services of a process are created from besides the configuration. */
interface Process
  extends Pick<Services, 'database' | 'clock' | 'createId' | 'queue' | 'threads' | 'secretKey' | 'log'> {
  publicUrl: string;
  /** Folder for the temporary files of outgoing requests. */
  folder: string;
}

/** Folders of outgoing requests: for temporary files, and for copies of repositories. */
export const outgoingFolders = (dataFolder: string) => ({
  folder: join(dataFolder, 'outgoing'),
  copies: join(dataFolder, 'repositories'),
});

/** Creates the services of the server or of a job process. */
export function createServices(config: Config, { publicUrl, folder, ...process }: Process): Services {
  const { outgoingAllow: allow, dataFolder, objectStorage, translateUrl, languageModel, quotas } = config;
  const { clock } = process;
  return {
    ...process,
    resourceUrls: createResourceUrls(publicUrl, config),
    quotas: new Quotas(quotas, process.database.query),
    samlThreads: createSamlThreads(),
    objectStorage: openObjectStorage(objectStorage, {
      onFailure: (error) => process.log.warn({ err: error }, 'the object storage failed'),
    }),
    searches: new Searches(process),
    sandbox: createSandbox({ allow, ownOrigin: new URL(publicUrl).origin, clock }),
    calls: createCallRecorder(process),
    outgoing: { allow, folder, copies: outgoingFolders(dataFolder).copies },
    hooks: siteHooks,
    translateUrl,
    languageModel,
  };
}

/** Records the last calls of integrations, and closes all services, in spite of errors. The database is closed last. */
export async function closeServices({
  calls,
  objectStorage,
  sandbox,
  searches,
  threads,
  samlThreads,
  database,
}: Services): Promise<void> {
  await using closing = new AsyncDisposableStack();
  closing.defer(() => database.close());
  closing.defer(async () => await objectStorage?.close());
  closing.defer(async () => {
    await Promise.all([sandbox, searches, threads, samlThreads].map((service) => service.close()));
  });
  await calls.flush();
}
