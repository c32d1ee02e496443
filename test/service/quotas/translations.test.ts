import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { startTestServer, type TestServer } from '../../support/server.ts';
import {
  type FakeTranslationService,
  startTranslationService,
} from '../../support/translations/translation-service.ts';
import {
  createSource,
  createTranslation,
  readTranslation,
  runTranslation,
} from '../../support/translations/translations.ts';
import { limitedOrganization } from './organizations.ts';

let server: TestServer;
let service: FakeTranslationService;
beforeAll(async () => {
  service = await startTranslationService();
  server = await startTestServer({ COLOPHON_TRANSLATE_URL: service.url });
});
afterAll(async () => {
  await server.stop();
  await service.close();
});

test('a translation that would exceed a quota fails with the reason, and creates no space', async () => {
  const organization = await limitedOrganization(server, server.organization, { spaces: 1 });
  const source = await createSource(server.admin, server.organization, [
    ['One', 'First.'],
    ['Two', 'Second.'],
  ]);
  const id = await createTranslation(server, source);
  const failed = (message: RegExp) =>
    vi.waitFor(
      async () => {
        expect(await readTranslation(server, id)).toMatchObject({
          status: 'pending',
          failure: { reason: 'quota_exceeded', message: expect.stringMatching(message) },
        });
      },
      { timeout: 60_000 },
    );
  await failed(/its quota of spaces: it uses 1 of 1, and this adds 1\./);
  await organization.limit({ spaces: 2, pages: 3 });
  await runTranslation(server, id);
  await failed(/its quota of pages: it uses 2 of 3, and this adds 2\./);
  expect(await organization.read()).toMatchObject({ spaces: { used: 1 }, pages: { used: 2 } });
  await organization.limit({ pages: 4 });
  await runTranslation(server, id);
  const { failure } = await vi.waitFor(
    async () => {
      const translation = await readTranslation(server, id);
      expect(translation.status).toBe('completed');
      return translation;
    },
    { timeout: 60_000 },
  );
  expect(failure).toBeUndefined();
  expect(await organization.read()).toMatchObject({
    spaces: { used: 2, limit: 2 },
    pages: { used: 4, limit: 4 },
  });
});
