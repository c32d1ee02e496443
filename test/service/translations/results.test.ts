import { expect, test, vi } from 'vitest';
import { ok } from '../../../client/platform/index.ts';
import { outline, readTree } from '../../support/content/imports.ts';
import { isFirstEngine } from '../../support/database/engines.ts';
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

test.runIf(isFirstEngine)(
  'moved, removed and added pages are moved, removed and added in the result',
  async () => {
    const source = await createSource(server.admin, server.organization, [
      ['One', 'First.'],
      ['Two', 'Second.'],
      ['Three', 'Third.'],
    ]);
    const id = await createTranslation(server, source);
    const { space } = await untilCompleted(server, id);
    const [one, two, three] = [
      await idOf(source, 'One'),
      await idOf(source, 'Two'),
      await idOf(source, 'Three'),
    ];
    await edit(server.admin, source, [
      { operation: 'update_page', page: three, into: one },
      { operation: 'delete_page', page: two },
      { operation: 'insert_page', title: 'Four', document: { markdown: 'Fourth.' }, at: 0 },
    ]);
    service.reset();
    await runTranslation(server, id);
    await untilCompleted(server, id, 2);
    expect(outline(await readTree(server.admin.client, space))).toEqual([
      'document RUOF /four',
      'document ENO /one',
      '  document EERHT /one/three',
    ]);
    expect(service.translated).toEqual(['Four', 'Fourth.']);
  },
);

test.runIf(isFirstEngine)('edits in the result remain until the page changes in the source', async () => {
  const source = await createSource(server.admin, server.organization, [
    ['One', 'First.'],
    ['Two', 'Second.'],
  ]);
  const id = await createTranslation(server, source);
  const { space } = await untilCompleted(server, id);
  const [one, two] = [await idOf(source, 'One'), await idOf(source, 'Two')];
  await edit(server.admin, space, [
    { operation: 'update_page', page: one, document: { markdown: 'Edited.' } },
    { operation: 'update_page', page: two, document: { markdown: 'Edited, too.' } },
    { operation: 'insert_page', title: 'Own', document: { markdown: 'Added.' } },
  ]);
  await edit(server.admin, source, [
    { operation: 'update_page', page: two, document: { markdown: 'Second, again.' } },
  ]);
  await runTranslation(server, id);
  await untilCompleted(server, id, 2);
  expect(await readPages(server.admin.client, space)).toEqual({
    one: 'Edited.',
    two: 'DNOCES, NIAGA.',
    own: 'Added.',
  });
});

test.runIf(isFirstEngine)(
  'a run creates another space if the result was deleted, without translating again',
  async () => {
    const source = await createSource(server.admin, server.organization, [['One', 'First.']]);
    const id = await createTranslation(server, source);
    const { space } = await untilCompleted(server, id);
    await ok(server.admin.client.DELETE('/v1/spaces/{spaceId}', { params: { path: { spaceId: space } } }));
    service.reset();
    await runTranslation(server, id);
    const again = await untilCompleted(server, id, 2);
    expect(again.space).not.toBe(space);
    expect(await readPages(server.admin.client, again.space)).toEqual({ one: 'TSRIF.' });
    expect(service.requests).toEqual([]);
  },
);

test.runIf(isFirstEngine)('a locked result is not written to', async () => {
  const source = await createSource(server.admin, server.organization, [['One', 'First.']]);
  const id = await createTranslation(server, source);
  const { space, result } = await untilCompleted(server, id);
  await server.database.query
    .updateTable('spaces')
    .set({ editMode: 'locked' })
    .where('id', '=', space)
    .execute();
  await edit(server.admin, source, [
    { operation: 'insert_page', title: 'Two', document: { markdown: 'Second.' } },
  ]);
  await runTranslation(server, id);
  await vi.waitFor(
    async () =>
      expect(await readTranslation(server, id)).toMatchObject({
        status: 'pending',
        stats: { runs: 2, latestWords: 2 },
        result,
      }),
    { timeout: 60_000 },
  );
  expect(await readPages(server.admin.client, space)).toEqual({ one: 'TSRIF.' });
});

test.runIf(isFirstEngine)(
  'files, variables, groups and links of the source are those of the result',
  async () => {
    const source = await createSource(server.admin, server.organization, [['One', 'First.']]);
    await edit(server.admin, source, [
      {
        operation: 'insert_files',
        files: [{ name: 'dot.txt', contentType: 'text/plain', base64: 'YQ==', ref: 'dot' }],
      },
      { operation: 'insert_page', title: 'Two', document: { markdown: 'A [file](/files/dot).' } },
    ]);
    const { space } = await untilCompleted(server, await createTranslation(server, source));
    const filesOf = async (spaceId: string) =>
      (
        await ok(
          server.admin.client.GET('/v1/spaces/{spaceId}/content/files', { params: { path: { spaceId } } }),
        )
      ).items;
    const [files] = [await filesOf(source)];
    expect((await filesOf(space)).map(({ id, name, size }) => ({ id, name, size }))).toEqual(
      files.map(({ id, name, size }) => ({ id, name, size })),
    );
    expect((await readPages(server.admin.client, space)).two).toBe(`A [ELIF](/files/${files[0]?.id}).`);
  },
);

test('the segments of a deleted translation are deleted, and its result is retained', async () => {
  const source = await createSource(server.admin, server.organization, [['One', 'First.']]);
  const id = await createTranslation(server, source);
  const { space } = await untilCompleted(server, id);
  const segments = () =>
    server.database.query
      .selectFrom('translationSegments')
      .select('hash')
      .where('translation', '=', id)
      .execute();
  expect(await segments()).toHaveLength(2);
  const params = { path: { organizationId: server.organization, translationId: id } };
  await ok(server.admin.client.DELETE('/v1/orgs/{organizationId}/translations/{translationId}', { params }));
  await vi.waitFor(async () => expect(await segments()).toEqual([]), { timeout: 60_000 });
  expect(await readPages(server.admin.client, space)).toEqual({ one: 'TSRIF.' });
});

test.runIf(isFirstEngine)('a result has the place and the default level of its source', async () => {
  const { id: parent } = await ok(
    server.admin.client.POST('/v1/orgs/{organizationId}/collections', {
      params: { path: { organizationId: server.organization } },
      body: { title: 'Shelf' },
    }),
  );
  const source = await createSource(server.admin, server.organization, [['One', 'First.']], {
    title: 'Limited',
    parent,
  });
  await ok(
    server.admin.client.PATCH('/v1/spaces/{spaceId}', {
      params: { path: { spaceId: source } },
      body: { defaultLevel: 'read' },
    }),
  );
  const { space } = await untilCompleted(server, await createTranslation(server, source));
  const creator = await server.member('Creator', 'create');
  const params = { path: { spaceId: space } };
  const result = await ok(creator.client.GET('/v1/spaces/{spaceId}', { params }));
  expect(result).toMatchObject({ parent, permissions: { view: true, comment: false } });
});
