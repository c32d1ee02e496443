import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createEngine, dropDatabases, type SharedService, servePostgres } from '../bench/engines.ts';
import { testEngine } from './database/engines.ts';
import { TEMPORARY_FOLDER } from './processes/temporary.ts';

/** A service that benchmarks share in a test, since starting one takes seconds of a processor. */
export interface BenchService {
  shared: SharedService;
  stop(): Promise<void>;
}

/** Starts a service on the engine of this run. */
export async function startBenchService(): Promise<BenchService> {
  const folder = await mkdtemp(join(TEMPORARY_FOLDER, 'colophon-bench-service-'));
  const postgres = testEngine() === 'postgres' ? await servePostgres() : undefined;
  // A test sends few kinds of requests.
  const variables = { COLOPHON_COMPILE_AHEAD: 'off' };
  const { engine, location, startService } = await createEngine({ postgres, variables, parent: folder });
  const service = await startService();
  const { url, pid, token } = service;
  return {
    shared: { engine, location, service: { url, pid, token } },
    stop: async () => {
      await service.stop();
      await dropDatabases('');
      await postgres?.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
