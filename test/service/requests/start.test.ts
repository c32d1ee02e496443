// Runs on one engine: the statements of a start are executed by every other test.
import { pino } from 'pino';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { readConfig } from '../../../server/app/config.ts';
import { createContentThreads } from '../../../server/content/threads/threads.ts';
import { start } from '../../../server/process/start.ts';
import { type TestLocation, testLocation } from '../../support/database/engines.ts';
import { ADMIN_TOKEN, SECRET_KEY } from '../../support/environment.ts';
import { testParts } from '../../support/server-parts.ts';

let stored: TestLocation;
beforeEach(async () => {
  stored = await testLocation();
});
afterEach(() => stored.remove());

/** Starts a server that closes its threads with a function. */
function startWith(close: () => Promise<void>, print: (line: string) => void = () => undefined) {
  const { location } = stored;
  const config = readConfig({
    PORT: '0',
    COLOPHON_BOOTSTRAP_TOKEN: ADMIN_TOKEN,
    COLOPHON_COMPILE_AHEAD: 'off',
    COLOPHON_SECRET_KEY: SECRET_KEY,
    ...('url' in location ? { DATABASE_URL: location.url } : { COLOPHON_DATA: location.folder }),
  });
  const threads = { ...createContentThreads(), close };
  return start(config, pino({ level: 'silent' }), print, testParts(threads));
}

test('a server that does not start closes its services', async () => {
  const close = vi.fn(async () => undefined);
  const starting = startWith(close, (line) => {
    if (line.startsWith('Documentation')) {
      throw new Error('The output is closed.');
    }
  });
  await expect(starting).rejects.toThrow('The output is closed.');
  expect(close).toHaveBeenCalledOnce();
});
