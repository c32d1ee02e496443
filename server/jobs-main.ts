import { join } from 'node:path';
import { readConfig } from './config.ts';
import { createContentThreads } from './content/threads/threads.ts';
import { openDatabase } from './database/database.ts';
import { makeId } from './database/seams.ts';
import { endWithJob, hostJob, hostQueue, tieToServer } from './jobs/host.ts';
import { type ChildMode, LOG_DESCRIPTOR } from './jobs/messages.ts';
import { createQueue, type Queue } from './jobs/queue.ts';
import { makeScratch } from './jobs/scratch.ts';
import { createLog } from './log.ts';
import { createAddresses } from './models/addresses.ts';
import type { Services } from './resources/kit/slice.ts';
import { registerWorkers } from './workers.ts';

/**
 * Does jobs in this process, which the server forked for it: all that the queue has, or a single one.
 *
 * @param register names the workers
 */
export async function runJobProcess(register: (services: Services) => void): Promise<void> {
  const [mode, owner = ''] = process.argv.slice(2);
  const config = readConfig(process.env);
  const { secretKey, publicUrl } = config;
  if (!process.connected || secretKey === undefined || publicUrl === undefined)
    throw new Error('Only the server starts job processes. Run: npm start');
  const log = createLog(config, LOG_DESCRIPTOR);
  tieToServer(log);
  const folder = await makeScratch(join(config.dataFolder, 'outgoing'), owner);
  const database = await openDatabase(
    config.databaseUrl ? { url: config.databaseUrl } : { folder: config.dataFolder },
    // The server migrated it. A process that starts during an outage waits for the end like others.
    { log, migrated: true, checkpoints: mode === ('queue' satisfies ChildMode) ? 'for all' : 'own' },
  );
  const clock = () => new Date();
  const threads = createContentThreads();
  const queue: Queue = createQueue({
    database,
    clock,
    makeId,
    log,
    owner,
    lane: 'unsuspected',
    onStuck: () => void endWithJob({ queue }),
  });
  register({
    database,
    clock,
    makeId,
    queue,
    threads,
    log,
    secretKey,
    addresses: createAddresses(publicUrl),
    outgoing: { allow: config.outgoingAllow, folder },
  });
  const close = async () => {
    await threads.close();
    await database.close();
  };
  const host = { queue, log, close };
  if (('queue' satisfies ChildMode) === mode) hostQueue(host);
  else hostJob(host);
}

if (import.meta.main) await runJobProcess(registerWorkers);
