import { expect, test } from 'vitest';
import { ok } from '../../../client/platform/index.ts';
import { parseMarkdown } from '../../../server/content/markdown/markdown.ts';
import { writeDocument } from '../../../server/content/wire/write.ts';
import { flatten, readTree } from '../../support/content/imports.ts';
import {
  createSource,
  createTranslation,
  edit,
  readPages,
  readTranslation,
  runTranslation,
  untilCompleted,
} from '../../support/translations/translations.ts';
import { idOf, server, service, useTranslationService } from './servers.ts';

useTranslationService('/?api_key=secret');

test('a run translates text, and keeps structure, code, links and variables', async () => {
  const markdown = [
    'Open **the** [guide](/welcome "Read it") of {{ space.vars.name }} with `npm start`.',
    '## Set up',
    '```js\nconst text = "untouched";\n```',
    '| Name | Value |\n| - | - |\n| Port | `3000` |',
    '{% hint style="info" %}\nSee [above](#set-up) or https://example.com.\n{% endhint %}',
  ].join('\n\n');
  const source = await createSource(server.admin, server.organization, [
    ['Welcome', 'Hello world.'],
    ['Install', `${markdown}\n`],
  ]);
  const { space, stats, ...translation } = await untilCompleted(
    server,
    await createTranslation(server, source),
  );
  expect(await readPages(server.admin.client, space)).toEqual({
    welcome: 'OLLEH DLROW.',
    install: `${[
      'NEPO **EHT** [EDIUG](/welcome "DAER TI") FO {{ space.vars.name }} HTIW `npm start`.',
      '## TES PU <a href="#set-up" id="set-up"></a>',
      '```js\nconst text = "untouched";\n```',
      '| EMAN | EULAV |\n| - | - |\n| TROP | `3000` |',
      '{% hint style="info" %}\nEES [EVOBA](#set-up) RO https://example.com.\n{% endhint %}',
    ].join('\n\n')}\n`,
  });
  const pages = flatten(await readTree(server.admin.client, space));
  expect(pages.map(({ title }) => title)).toEqual(['EMOCLEW', 'LLATSNI']);
  expect(pages.map(({ id }) => id)).toEqual(
    flatten(await readTree(server.admin.client, source)).map(({ id }) => id),
  );
  const result = await ok(
    server.admin.client.GET('/v1/spaces/{spaceId}', { params: { path: { spaceId: space } } }),
  );
  expect(translation.result?.language).toBe('de');
  expect(result).toMatchObject({
    title: 'Handbook (de)',
    language: 'de',
    revision: translation.result?.revision,
  });
  // Welcome; Hello world; Install; Open the guide of with; Read it; Set up; Name; Value; Port; See above or.
  expect(stats).toMatchObject({ runs: 1, totalWords: 19, latestWords: 19, totalPages: 2, latestPages: 2 });
  expect(stats.totalDuration).toBe(stats.latestRunDuration);
  expect(service.requests).toMatchObject([{ source: 'en', target: 'de', format: 'html', api_key: 'secret' }]);
});

test('another run translates only the blocks that changed', async () => {
  const source = await createSource(server.admin, server.organization, [
    ['First', 'One apple.\n\nTwo pears.\n'],
    ['Second', 'Three plums.\n'],
  ]);
  const id = await createTranslation(server, source);
  const first = await untilCompleted(server, id);
  service.translated = [];
  await edit(server.admin, source, [
    {
      operation: 'update_page',
      page: await idOf(source, 'First'),
      document: { markdown: 'One apple.\n\nFour figs.\n' },
    },
  ]);
  await runTranslation(server, id);
  const second = await untilCompleted(server, id, 2);
  expect(service.translated).toEqual(['Four figs.']);
  expect(second.space).toBe(first.space);
  expect(await readPages(server.admin.client, second.space)).toEqual({
    first: 'ENO ELPPA.\n\nRUOF SGIF.\n',
    second: 'EERHT SMULP.\n',
  });
  expect(second.stats).toMatchObject({ latestWords: 2, totalWords: 10, latestPages: 1, totalPages: 3 });

  service.requests = [];
  await runTranslation(server, id);
  const third = await untilCompleted(server, id, 3);
  expect(service.requests).toEqual([]);
  expect(third.result).toEqual(second.result);
  expect(third.stats).toMatchObject({ latestWords: 0, totalWords: 10, latestPages: 0, totalPages: 3 });
});

test('runs that are requested during a run follow it', async () => {
  const source = await createSource(server.admin, server.organization, [['One', 'First.']]);
  const started = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  service.before = () => {
    started.resolve();
    return released.promise;
  };
  const id = await createTranslation(server, source);
  await started.promise;
  expect(await readTranslation(server, id)).toMatchObject({ status: 'running', stats: { runs: 1 } });
  await edit(server.admin, source, [
    { operation: 'insert_page', title: 'Two', document: { markdown: 'Second.' } },
  ]);
  await runTranslation(server, id);
  await runTranslation(server, id);
  expect(await readTranslation(server, id)).toMatchObject({ status: 'running', stats: { runs: 1 } });
  released.resolve();
  const { space, stats } = await untilCompleted(server, id, 3);
  // The first run translates the content at its start.
  expect(stats).toMatchObject({ totalPages: 2, totalWords: 4, latestPages: 0 });
  expect(await readPages(server.admin.client, space)).toEqual({ one: 'TSRIF.', two: 'DNOCES.' });
});

test('glossary terms of new instructions apply from the next run on, to the blocks with these terms', async () => {
  const source = await createSource(server.admin, server.organization, [
    ['One', 'A space.\n\nA page.\n'],
    ['Two', 'No term.'],
  ]);
  const id = await createTranslation(server, source);
  const { space } = await untilCompleted(server, id);
  const two = await idOf(source, 'Two');
  await edit(server.admin, space, [
    { operation: 'update_page', page: two, document: { markdown: 'Edited.' } },
  ]);
  const instructions = writeDocument(parseMarkdown('* space → Bereich\n'));
  const updated = await ok(
    server.admin.client.PUT('/v1/orgs/{organizationId}/translations/{translationId}', {
      params: { path: { organizationId: server.organization, translationId: id } },
      body: { instructions },
    }),
  );
  expect(updated.instructions).toEqual(instructions);
  service.reset();
  await runTranslation(server, id);
  await untilCompleted(server, id, 2);
  expect(service.translated).toEqual(['A <span id="1" translate="no">Bereich</span>.']);
  expect(await readPages(server.admin.client, space)).toEqual({
    one: 'A Bereich.\n\nA EGAP.\n',
    two: 'Edited.',
  });
});

test('a space of another organization cannot be the source', async () => {
  const other = await ok(server.admin.client.POST('/v1/orgs', { body: { title: 'Other' } }));
  const space = await createSource(server.admin, other.id, [['One', 'First.']]);
  const { response, error } = await server.admin.client.POST('/v1/orgs/{organizationId}/translations', {
    params: { path: { organizationId: server.organization } },
    body: { source: { space, language: 'en' }, language: 'fr' },
  });
  expect(response.status).toBe(400);
  expect(error).toMatchObject({ details: [{ in: 'body', path: 'source.space' }] });
});

test.each([
  [409, 'source', undefined],
  [400, 'source.space', { space: 'spc_none', language: 'en' as const }],
  [409, 'language', { space: '', language: 'de' as const }],
])('returns %s for an invalid %s', async (status, path, source) => {
  const space = await createSource(server.admin, server.organization, [['One', 'First.']]);
  const { response, error } = await server.admin.client.POST('/v1/orgs/{organizationId}/translations', {
    params: { path: { organizationId: server.organization } },
    body: { language: 'de', ...(source && { source: { ...source, space: source.space || space } }) },
  });
  expect(response.status).toBe(status);
  expect(error).toMatchObject({ details: [{ in: 'body', path }] });
});

test('the default source is the only space with a language', async () => {
  const { id: organizationId } = await ok(server.admin.client.POST('/v1/orgs', { body: { title: 'Other' } }));
  await createSource(server.admin, organizationId, [['One', 'First.']]);
  const space = await createSource(server.admin, organizationId, [['Un', 'Premier.']], {
    title: 'Guide',
    language: 'fr',
  });
  const translation = await ok(
    server.admin.client.POST('/v1/orgs/{organizationId}/translations', {
      params: { path: { organizationId } },
      body: { language: 'de' },
    }),
  );
  expect(translation.source).toEqual({ space, language: 'fr' });
});
