// Runs on one engine: jobs-processes.test.ts executes the statements of jobs that end with a process.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createClient, ok, paginate } from '../../../client/platform/index.ts';
import { expireLeases } from '../../support/jobs.ts';
import { type ServerProgram, useTestPrograms } from '../../support/processes/program.ts';
import {
  type FakeTranslationService,
  startTranslationService,
} from '../../support/translations/translation-service.ts';
import { createSource, readPages } from '../../support/translations/translations.ts';

const programs = useTestPrograms();

let service: FakeTranslationService;
beforeEach(async () => {
  service = await startTranslationService();
});
afterEach(() => service.close());

/** Maximum number of segments of a request. */
const BATCH = 25;
const PARAGRAPHS = 4 * BATCH;

/** Returns the id of the job process that a server started last. */
async function jobProcess(server: ServerProgram): Promise<number> {
  const pattern = /"jobProcess":(\d+)[^\n]*"msg":"job process started"/g;
  await server.until('stderr', new RegExp(pattern.source));
  return Number([...server.output.stderr.matchAll(pattern)].at(-1)?.[1]);
}

// On the second engine, the tests of jobs show that they return to the queue.
test('a run survives kill -9 of its process and of the server, without translating more than a batch again', {
  timeout: 180_000,
}, async () => {
  let server = await programs.serve({ COLOPHON_TRANSLATE_URL: service.url });
  const { token = '' } = server;
  const connect = () => createClient({ baseUrl: server.url, token });
  const paragraphs = Array.from({ length: PARAGRAPHS }, (_, at) => `Paragraph number ${at}.`);
  const [organization] = await Array.fromAsync(paginate(connect(), '/v1/orgs', {}));
  const organizationId = organization?.id ?? '';
  const source = await createSource({ client: connect(), token }, organizationId, [
    ['Page', `${paragraphs.join('\n\n')}\n`],
  ]);

  /** Waits for a request, and keeps its response back. */
  const holdNext = () => {
    const requested = Promise.withResolvers<void>();
    let count = 0;
    service.before = () => {
      count++;
      if (count === 1) {
        return Promise.resolve();
      }
      requested.resolve();
      return new Promise(() => {});
    };
    return requested.promise;
  };

  const firstHeld = holdNext();
  const { id: translationId } = await ok(
    connect().POST('/v1/orgs/{organizationId}/translations', {
      params: { path: { organizationId } },
      body: { source: { space: source, language: 'en' }, language: 'de' },
    }),
  );
  await firstHeld;
  const secondHeld = holdNext();
  process.kill(await jobProcess(server), 'SIGKILL');
  await secondHeld;
  service.before = async () => {};
  await server.stop('SIGKILL');
  await expireLeases(programs.location);
  server = await programs.serve({ COLOPHON_TRANSLATE_URL: service.url });

  const read = () =>
    ok(
      connect().GET('/v1/orgs/{organizationId}/translations/{translationId}', {
        params: { path: { organizationId, translationId } },
      }),
    );
  const translation = await vi.waitFor(
    async () => {
      const current = await read();
      expect(current.status).toBe('completed');
      return current;
    },
    { timeout: 150_000, interval: 50 },
  );
  const pages = await readPages(connect(), translation.result?.space ?? '');
  expect(pages.page?.split('\n\n')).toHaveLength(PARAGRAPHS);
  expect(pages.page).toContain(`HPARGARAP REBMUN ${PARAGRAPHS - 1}.`);
  // Only the requests that were in flight were sent again, and no translated segment was.
  expect(service.translated).toHaveLength(PARAGRAPHS + 1);
  expect(new Set(service.translated).size).toBe(PARAGRAPHS + 1);
  expect(service.requests.flatMap(({ q }) => q).length).toBeLessThanOrEqual(PARAGRAPHS + 1 + 2 * BATCH);
  expect(translation.stats).toMatchObject({ runs: 1, totalWords: 1 + 3 * PARAGRAPHS, totalPages: 1 });
});
