import { afterAll, beforeAll, beforeEach } from 'vitest';
import { flatten, readTree } from '../../support/content/imports.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import {
  type FakeTranslationService,
  startTranslationService,
} from '../../support/translations/translation-service.ts';

/** Server of the current test file. */
export let server: TestServer;
/** Translation service of the current test file. */
export let service: FakeTranslationService;

/**
 * Starts a server and its translation service for the tests of a file. Call it once, at the top of the file.
 *
 * @param query of the URL of the translation service
 */
export function useTranslationService(query = ''): void {
  beforeAll(async () => {
    service = await startTranslationService();
    server = await startTestServer({ COLOPHON_TRANSLATE_URL: `${service.url}${query}` });
  });
  afterAll(async () => {
    await server.stop();
    await service.close();
  });
  beforeEach(() => service.reset());
}

/** Returns the ID of the page of a space with a title. */
export const idOf = async (space: string, title: string): Promise<string> =>
  flatten(await readTree(server.admin.client, space)).find((page) => page.title === title)?.id ?? '';
