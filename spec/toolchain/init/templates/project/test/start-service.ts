import { type Client, createClient } from '@colophon/toolkit/client';
import { listen } from '@colophon/toolkit/server';
import { pino } from 'pino';
import { onTestFinished } from 'vitest';
import type { paths } from '../generated/schema.d.ts';
import { createApp } from '../server/app.ts';
import { BASE_PATH } from '../server/contract.ts';
import { createServices } from '../server/services.ts';

/** Serves the contract on a free port of this machine until the test ends. Returns its client. */
export async function startService(): Promise<Client<paths>> {
  const log = pino({ level: 'error' });
  const listener = await listen(0, '127.0.0.1');
  onTestFinished(() => listener.close(0));
  listener.serve(createApp({ log, services: createServices(), validateResponses: true }));
  return createClient<paths>({ baseUrl: `http://127.0.0.1:${listener.port}${BASE_PATH}` });
}
