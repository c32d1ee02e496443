import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createEngine, dropDatabases, type SharedService, servePostgres } from '../bench/engines.ts';
import { findPostgres } from './database/postgres.ts';
import { TEMPORARY_FOLDER } from './processes/temporary.ts';

/** Services that benchmarks share in a test, since starting one takes seconds of a processor. */
export interface BenchServices {
  services: readonly SharedService[];
  stop(): Promise<void>;
}

/** Starts a service on each available engine. */
export async function startBenchServices(): Promise<BenchServices> {
  const folder = await mkdtemp(join(TEMPORARY_FOLDER, 'colophon-bench-services-'));
  const postgres = findPostgres() && (await servePostgres());
  // A test sends few kinds of requests.
  const variables = { COLOPHON_COMPILE_AHEAD: 'off' };
  const engines = [undefined, ...(postgres ? [postgres] : [])].map(
    async (server) => await createEngine({ postgres: server, variables, parent: folder }),
  );
  const started = (await Promise.all(engines)).map(async ({ engine, location, startService }) => ({
    engine,
    location,
    service: await startService(),
  }));
  const services = await Promise.all(started);
  return {
    services: services.map(({ service: { url, pid, token }, ...rest }) => ({
      ...rest,
      service: { url, pid, token },
    })),
    stop: async () => {
      await Promise.all(services.map(({ service }) => service.stop()));
      await dropDatabases('');
      await postgres?.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
