// Runs on one engine: merges read objects, and merges of change requests execute these statements on both.
import { array, assert, asyncProperty, constantFrom, nat, oneof, record } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ok } from '../../../client/platform/index.ts';
import type { components } from '../../../generated/schema.d.ts';
import {
  editSpace,
  merge,
  pagesByTitle,
  pageText,
  pageTitled,
  textUpdate,
} from '../../support/content/branches.ts';
import { addPage, exportTo, importGuide } from '../../support/content/exports.ts';
import { createSpace, importRepository } from '../../support/content/imports.ts';
import type { ServedRepository } from '../../support/git/git-server.ts';
import { runs } from '../../support/seed.ts';
import { git, server, useServers } from './servers.ts';

useServers();

const LINES = ['One.', 'Two.', 'Three.', 'Four.'];
const text = (...lines: string[]) => `${lines.join('\n\n')}\n`;
const BOOK = {
  'SUMMARY.md': '* [Home](README.md)\n* [Page](page.md)\n  * [Below](page/below.md)\n* [Other](other.md)\n',
  'README.md': '# Home\n\nHello.\n',
  'page.md': `---\ndescription: A page\nicon: star\n---\n\n# Page\n\n${text(...LINES)}`,
  'page/below.md': '# Below\n\nBelow.\n',
  'other.md': '# Other\n\nOther.\n',
  '.gitbook/includes/note.md': '---\ntitle: Note\n---\n\nNoted.\n',
  '.gitbook/vars.yaml': 'product: Harbour\n',
};

const page = (...lines: string[]) => BOOK['page.md'].replace(text(...LINES), text(...lines));

async function importBook(files: Record<string, string> = BOOK) {
  const repository = await git.createRepository(files);
  const { id } = await createSpace(server);
  await importRepository(server, id, repository);
  return { id, repository };
}

/** Imports again, and returns the run. */
async function importAgain(
  spaceId: string,
  repository: ServedRepository,
  body: Partial<components['schemas']['GitImport']> = {},
) {
  await importRepository(server, spaceId, repository, body);
  const { items } = await ok(
    server.admin.client.GET('/v1/spaces/{spaceId}/git/runs', { params: { path: { spaceId } } }),
  );
  return items[0];
}

const write = async (spaceId: string, title: string, markdown: string) =>
  editSpace(
    server.admin.client,
    spaceId,
    textUpdate(await pageTitled(server.admin.client, title, spaceId), markdown),
  );

const read = async (spaceId: string, title: string, changeRequest?: string) =>
  pageText(
    server.admin.client,
    await pageTitled(
      server.admin.client,
      title,
      spaceId,
      ...(changeRequest ? ([changeRequest] as const) : []),
    ),
    spaceId,
    changeRequest,
  );

describe('an import of changes', () => {
  test('keeps the edits of the space in other pages and lines, now and later', async () => {
    const { id, repository } = await importBook();
    await write(id, 'Page', text('One.', 'Two.', 'Three.', 'Here.'));
    await addPage(server, id, 'new', 'New here.\n');
    await repository.update({ 'page.md': page('There.', 'Two.', 'Three.', 'Four.') });
    const run = await importAgain(id, repository);
    expect(run).toMatchObject({ status: 'completed', problems: [] });
    expect(run?.changeRequest).toBeUndefined();
    expect(await read(id, 'Page')).toBe(text('There.', 'Two.', 'Three.', 'Here.'));
    expect(await read(id, 'NEW')).toBe('New here.\n');

    await repository.update({ 'other.md': '# Other\n\nChanged.\n' });
    await importAgain(id, repository);
    expect(await read(id, 'Page')).toBe(text('There.', 'Two.', 'Three.', 'Here.'));
    expect(await read(id, 'Other')).toBe('Changed.\n');
    expect(await read(id, 'NEW')).toBe('New here.\n');

    await exportTo(server, id, repository);
    const files = await repository.read();
    expect(files['page.md']).toBe(page('There.', 'Two.', 'Three.', 'Here.'));
    expect(files['new.md']).toBe('# NEW\n\nNew here.\n');
    expect(files['other.md']).toBe('# Other\n\nChanged.\n');

    await write(id, 'Page', text('There.', 'Two.', 'Exported.', 'Here.'));
    await repository.update({ 'new.md': '# NEW\n\nNew there.\n' });
    expect(await importAgain(id, repository)).toMatchObject({ problems: [] });
    expect(await read(id, 'Page')).toBe(text('There.', 'Two.', 'Exported.', 'Here.'));
    expect(await read(id, 'NEW')).toBe('New there.\n');
  });

  test('of the same lines uses them, and has a change request and a problem for those of the space', async () => {
    const { id, repository } = await importBook();
    await write(id, 'Page', text('One.', 'Mine.', 'Three.', 'Here.'));
    await write(id, 'Other', 'Mine, too.\n');
    await repository.update({
      'page.md': page('One.', 'Theirs.', 'Three.', 'Four.'),
      'other.md': '# Other\n\nTheirs.\n',
    });
    const run = await importAgain(id, repository);
    const changeRequest = run?.changeRequest ?? '';
    expect(run).toMatchObject({ status: 'completed', counts: { problems: 2 } });
    const named = { reason: 'conflict', message: expect.stringContaining(changeRequest) };
    expect(run?.problems).toEqual([
      { file: 'other.md', line: 3, ...named },
      { file: 'page.md', line: 10, ...named },
    ]);
    expect(await read(id, 'Page')).toBe(text('One.', 'Theirs.', 'Three.', 'Here.'));
    expect(await read(id, 'Page', changeRequest)).toBe(text('One.', 'Mine.', 'Three.', 'Here.'));
    expect(await read(id, 'Other', changeRequest)).toBe('Mine, too.\n');

    expect(await merge(server.admin.client, id, changeRequest)).toMatchObject({ result: 'merge' });
    expect(await read(id, 'Page')).toBe(text('One.', 'Mine.', 'Three.', 'Here.'));
    await exportTo(server, id, repository);
    expect((await repository.read())['page.md']).toBe(page('One.', 'Mine.', 'Three.', 'Here.'));
  });

  test('replaces the edits if it is forced, and has no change request', async () => {
    const { id, repository } = await importBook();
    await write(id, 'Page', text('Mine.'));
    await addPage(server, id, 'new', 'New here.\n');
    await repository.update({ 'page.md': page('Theirs.') });
    const run = await importAgain(id, repository, { force: true });
    expect(run).toMatchObject({ status: 'completed', problems: [] });
    expect(run?.changeRequest).toBeUndefined();
    expect(await read(id, 'Page')).toBe(text('Theirs.'));
    expect([...(await pagesByTitle(server.admin.client, id)).keys()]).not.toContain('NEW');
  });

  test('keeps a page that one side deleted and the other one changed', async () => {
    const { id, repository } = await importBook();
    await write(id, 'Other', 'Mine.\n');
    const below = await pageTitled(server.admin.client, 'Below', id);
    await editSpace(server.admin.client, id, { operation: 'delete_page', page: below });
    await repository.update({
      'SUMMARY.md': BOOK['SUMMARY.md'].replace('* [Other](other.md)\n', ''),
      'other.md': null,
      'page/below.md': '# Below\n\nTheirs.\n',
    });
    const run = await importAgain(id, repository);
    const changeRequest = run?.changeRequest ?? '';
    expect(new Set(run?.problems.map(({ file }) => file))).toEqual(new Set(['other.md', 'page/below.md']));
    expect([...(await pagesByTitle(server.admin.client, id)).keys()]).toEqual(['Home', 'Page', 'Below']);
    expect(await read(id, 'Below')).toBe('Theirs.\n');
    expect([...(await pagesByTitle(server.admin.client, id, changeRequest)).keys()]).toEqual([
      'Home',
      'Page',
      'Other',
    ]);
    expect(await read(id, 'Other', changeRequest)).toBe('Mine.\n');
  });

  test('merges titles, positions and settings with those of the space', async () => {
    const { id, repository } = await importBook();
    const [pageId, other] = [
      await pageTitled(server.admin.client, 'Page', id),
      await pageTitled(server.admin.client, 'Other', id),
    ];
    await editSpace(
      server.admin.client,
      id,
      { operation: 'update_page', page: pageId, title: 'My page' },
      { operation: 'update_page', page: other, title: 'My other' },
    );
    await repository.update({
      'SUMMARY.md':
        '* [Home](README.md)\n* [Their other](other.md)\n* [Page](page.md)\n  * [Below](page/below.md)\n',
      'page.md': BOOK['page.md'].replace('icon: star', 'icon: book'),
    });
    const run = await importAgain(id, repository);
    const titles = [...(await pagesByTitle(server.admin.client, id))].map(([title, { id: of }]) => [
      title,
      of,
    ]);
    expect(titles).toEqual([
      ['Home', expect.any(String)],
      ['Their other', other],
      ['My page', pageId],
      ['Below', expect.any(String)],
    ]);
    expect((await pagesByTitle(server.admin.client, id)).get('My page')).toMatchObject({ icon: 'book' });
    expect(run?.problems).toEqual([expect.objectContaining({ file: 'other.md', reason: 'conflict' })]);
    const held = await pagesByTitle(server.admin.client, id, run?.changeRequest);
    expect(held.get('My other')?.id).toBe(other);
  });

  test('of a renamed file keeps its edits', async () => {
    const { id, repository } = await importBook();
    const other = await pageTitled(server.admin.client, 'Other', id);
    await write(id, 'Other', 'Mine.\n');
    await repository.update({
      'SUMMARY.md': BOOK['SUMMARY.md'].replace('other.md', 'moved/other.md'),
      'other.md': null,
      'moved/other.md': '# Other\n\nOther.\n',
    });
    expect(await importAgain(id, repository)).toMatchObject({ problems: [] });
    expect(await pageTitled(server.admin.client, 'Other', id)).toBe(other);
    expect(await read(id, 'Other')).toBe('Mine.\n');
    await exportTo(server, id, repository);
    const files = await repository.read();
    expect(files['moved/other.md']).toBe('# Other\n\nMine.\n');
    expect(Object.keys(files)).not.toContain('other.md');
  });

  test('of a file that was renamed and edited keeps the page, and merges its edits', async () => {
    const { id, repository } = await importBook();
    const pageId = await pageTitled(server.admin.client, 'Page', id);
    await write(id, 'Page', text('Mine.', 'Two.', 'Three.', 'Four.'));
    await repository.update({
      'SUMMARY.md': BOOK['SUMMARY.md'].replace('page.md', 'moved/renamed.md'),
      'page.md': null,
      'moved/renamed.md': page('One.', 'Two.', 'Three.', 'Theirs.').replace('icon: star', 'icon: book'),
    });
    expect(await importAgain(id, repository)).toMatchObject({ status: 'completed', problems: [] });
    expect(await pageTitled(server.admin.client, 'Page', id)).toBe(pageId);
    expect(await read(id, 'Page')).toBe(text('Mine.', 'Two.', 'Three.', 'Theirs.'));
    expect((await pagesByTitle(server.admin.client, id)).get('Page')).toMatchObject({
      icon: 'book',
      git: { path: 'moved/renamed.md' },
    });
    await exportTo(server, id, repository);
    const files = await repository.read();
    expect(files['moved/renamed.md']).toContain(text('Mine.', 'Two.', 'Three.', 'Theirs.'));
    expect(Object.keys(files)).not.toContain('page.md');
  });

  test('of several files that were renamed and edited at once keeps each page', async () => {
    const story = (name: string, ...lines: string[]) => `# ${name}\n\n${text(...lines)}`;
    const [left, right] = [LINES.map((line) => `Left: ${line}`), LINES.map((line) => `Right: ${line}`)];
    const { id, repository } = await importBook({
      'README.md': '# Home\n',
      'a.md': story('Left', ...left),
      'b.md': story('Right', ...right),
    });
    const ids = await Promise.all(
      ['Left', 'Right'].map((title) => pageTitled(server.admin.client, title, id)),
    );
    await repository.update({
      'a.md': null,
      'b.md': null,
      'new/first.md': story('Right, renamed', ...right.slice(1), 'New.'),
      'new/second.md': story('Left, renamed', 'New.', ...left.slice(1)),
      'new/third.md': story('Third', 'Something else.'),
    });
    expect(await importAgain(id, repository)).toMatchObject({ problems: [] });
    const pages = await pagesByTitle(server.admin.client, id);
    expect(['Left, renamed', 'Right, renamed'].map((title) => pages.get(title)?.id)).toEqual(ids);
    expect(ids).not.toContain(pages.get('Third')?.id);
  });

  test('that deletes an edited page states where it is, and what restores it', async () => {
    const { id, repository } = await importBook();
    await write(id, 'Other', 'Mine.\n');
    const below = await pageTitled(server.admin.client, 'Below', id);
    await editSpace(server.admin.client, id, { operation: 'delete_page', page: below });
    await repository.update({
      'SUMMARY.md': BOOK['SUMMARY.md'].replace('* [Other](other.md)\n', ''),
      'other.md': null,
      'page/below.md': '# Below\n\nTheirs.\n',
    });
    const run = await importAgain(id, repository);
    const held = run?.changeRequest;
    expect(run?.problems.map(({ file, message }) => [file, message])).toEqual([
      [
        'other.md',
        'The repository deleted the file of this page, which was edited in the space, so the import deleted the page. ' +
          `The change request ${held} holds it with its edits. Merge it to restore the page, or archive it to accept ` +
          'the deletion.',
      ],
      [
        'page/below.md',
        'The space deleted this page, but the repository changed its file, so the import restored the page as the ' +
          `repository has it. The change request ${held} deletes it again. Merge it to delete the page, or archive it ` +
          'to keep the page.',
      ],
    ]);
    await merge(server.admin.client, id, held ?? '');
    expect([...(await pagesByTitle(server.admin.client, id)).keys()]).toEqual(['Home', 'Page', 'Other']);
    expect(await read(id, 'Other')).toBe('Mine.\n');
  });

  test('that deletes a page keeps it with the pages that the space added below', async () => {
    const { id, repository } = await importBook();
    const other = await pageTitled(server.admin.client, 'Other', id);
    await write(id, 'Other', 'Mine.\n');
    await editSpace(server.admin.client, id, {
      operation: 'insert_page',
      title: 'Child',
      into: other,
      document: { markdown: 'Child here.\n' },
    });
    await repository.update({
      'SUMMARY.md': BOOK['SUMMARY.md'].replace('* [Other](other.md)\n', ''),
      'other.md': null,
    });
    const run = await importAgain(id, repository);
    expect(await read(id, 'Other')).toBe('Mine.\n');
    expect(await read(id, 'Child')).toBe('Child here.\n');
    expect(run?.problems).toEqual([
      {
        file: 'other.md',
        reason: 'conflict',
        message:
          'The repository deleted this page, but the space changed it or added pages below it, so the import kept it ' +
          'with the edits. Delete it to accept the deletion; otherwise the next export writes it again.',
      },
    ]);
  });

  test('from another repository keeps the edits of the space, too', async () => {
    const { id } = await importBook();
    const second = await git.createRepository({
      ...BOOK,
      'page.md': page('Second.', 'Two.', 'Three.', 'Four.'),
    });
    await write(id, 'Page', text('One.', 'Two.', 'Three.', 'Here.'));
    const run = await importAgain(id, second);
    expect(run).toMatchObject({ status: 'completed', problems: [] });
    expect(await read(id, 'Page')).toBe(text('Second.', 'Two.', 'Three.', 'Here.'));
  });

  test('keeps an edit that was exported to another repository', async () => {
    const { id, repository } = await importBook();
    await write(id, 'Page', text('One.', 'Two.', 'Three.', 'Here.'));
    const backup = await git.createEmptyRepository();
    await exportTo(server, id, backup);
    await repository.update({ 'page.md': page('There.', 'Two.', 'Three.', 'Four.') });
    expect(await importAgain(id, repository)).toMatchObject({ problems: [] });
    expect(await read(id, 'Page')).toBe(text('There.', 'Two.', 'Three.', 'Here.'));
    await exportTo(server, id, repository);
    const files = await repository.read();
    expect(files['page.md']).toBe(page('There.', 'Two.', 'Three.', 'Here.'));
    expect(Object.keys(files).sort()).toEqual(Object.keys(BOOK).sort());
  });

  test('replaces content that never was in a repository, which its change request holds', async () => {
    const { id } = await createSpace(server);
    await addPage(server, id, 'mine', 'Mine.\n');
    const run = await importAgain(id, await git.createRepository(BOOK));
    expect([...(await pagesByTitle(server.admin.client, id)).keys()]).toEqual([
      'Home',
      'Page',
      'Below',
      'Other',
    ]);
    const message = expect.stringMatching(
      /^Only the space has this page, .* holds the page\. Merge it to restore it/,
    );
    expect(run?.problems).toEqual([{ file: 'MINE', reason: 'conflict', message }]);
    const changeRequest = run?.changeRequest ?? '';
    expect(await read(id, 'MINE', changeRequest)).toBe('Mine.\n');
    expect(await read(id, 'Page', changeRequest)).toBe(text(...LINES));
    await merge(server.admin.client, id, changeRequest);
    expect([...(await pagesByTitle(server.admin.client, id)).keys()]).toContain('MINE');
  });

  test('without edits in the space stores one revision, and no change request', async () => {
    const { id, repository } = await importGuide(server, git);
    const revisions = async () =>
      (await server.database.query.selectFrom('revisions').select('id').where('space', '=', id).execute())
        .length;
    const before = await revisions();
    await repository.update({ 'start/linux.md': '# On Linux\n\nChanged.\n' });
    expect((await importAgain(id, repository))?.changeRequest).toBeUndefined();
    expect(await revisions()).toBe(before + 1);
  });
});

const change = oneof(
  record({ kind: constantFrom('line' as const), at: nat(3), page: nat(2) }),
  record({ kind: constantFrom('title' as const), at: nat(3), page: nat(2) }),
  record({ kind: constantFrom('delete' as const), at: nat(0), page: nat(2) }),
  record({ kind: constantFrom('rename' as const), at: nat(0), page: nat(2) }),
  record({ kind: constantFrom('add' as const), at: nat(1), page: nat(2) }),
);
const NAMES = ['first', 'second', 'third'];

test('nothing that either side wrote is missing from the content, the change request or the problems', async () => {
  await assert(
    asyncProperty(array(change, { maxLength: 4 }), array(change, { maxLength: 4 }), async (ours, theirs) => {
      const files: Record<string, string> = Object.fromEntries(
        NAMES.map((name) => [`${name}.md`, `# ${name}\n\n${text(...LINES)}`]),
      );
      const titles = new Map(NAMES.map((name) => [`${name}.md`, name]));
      const summary = () => [...titles].map(([path, title]) => `* [${title}](${path})\n`).join('');
      const { id, repository } = await importBook({ ...files, 'SUMMARY.md': summary() });
      const ids = await pagesByTitle(server.admin.client, id);
      const written: string[] = [];
      const texts = new Map(NAMES.map((name) => [name, [...LINES]]));
      const deleted = new Set<string>();
      for (const [index, { kind, at, page: number }] of ours.entries()) {
        const name = NAMES[number] ?? '';
        const pageId = ids.get(name)?.id ?? '';
        const word = `ours${index}`;
        if (kind === 'add') {
          await addPage(server, id, word, `${word} text\n`);
          written.push(word.toUpperCase(), `${word} text`);
        } else if (deleted.has(name)) {
        } else if (kind === 'delete') {
          await editSpace(server.admin.client, id, { operation: 'delete_page', page: pageId });
          deleted.add(name);
        } else if (kind === 'title') {
          await editSpace(server.admin.client, id, { operation: 'update_page', page: pageId, title: word });
        } else if (kind === 'rename') {
          await editSpace(server.admin.client, id, { operation: 'update_page', page: pageId, slug: word });
        } else {
          const lines = texts.get(name) ?? [];
          lines[at] = `${word} line`;
          await editSpace(server.admin.client, id, textUpdate(pageId, text(...lines)));
        }
      }
      const ourTitles = [...(await pagesByTitle(server.admin.client, id)).keys()].filter((title) =>
        title.startsWith('ours'),
      );
      written.push(...ourTitles);
      for (const [name, lines] of texts) {
        written.push(...(deleted.has(name) ? [] : lines.filter((line) => line.startsWith('ours'))));
      }
      const paths = NAMES.map((name) => `${name}.md`);
      for (const [index, { kind, at, page: number }] of theirs.entries()) {
        const path = paths[number] ?? '';
        const word = `theirs${index}`;
        if (kind === 'add') {
          files[`${word}.md`] = `# ${word}\n\n${word} text\n`;
          titles.set(`${word}.md`, word);
        } else if (kind === 'delete') {
          delete files[path];
          titles.delete(path);
        } else if (files[path] !== undefined && kind === 'title') {
          titles.set(path, word);
        } else if (files[path] !== undefined && kind === 'rename') {
          const renamed = `moved/${word}.md`;
          files[renamed] = files[path];
          titles.set(renamed, titles.get(path) ?? '');
          delete files[path];
          titles.delete(path);
          paths[number] = renamed;
        } else if (files[path] !== undefined) {
          files[path] = files[path].replace(LINES[at] ?? '', `${word} line`);
        }
      }
      const gone = Object.fromEntries(NAMES.map((name) => [`${name}.md`, null]));
      await repository.update({ ...gone, ...files, 'SUMMARY.md': summary(), note: String(Math.random()) });
      written.push(...[...titles.values()].filter((title) => title.startsWith('theirs')));
      written.push(
        ...Object.values(files).flatMap((file) => file.match(/theirs\d line|theirs\d text/g) ?? []),
      );
      const run = await importAgain(id, repository);
      expect(run?.status).toBe('completed');
      const found: string[] = [];
      for (const where of [undefined, ...(run?.changeRequest ? [run.changeRequest] : [])]) {
        for (const [title, { id: pageId }] of await pagesByTitle(server.admin.client, id, where)) {
          found.push(title, await pageText(server.admin.client, pageId, id, where));
        }
      }
      const all = found.join('\n');
      expect(written.filter((words) => !all.includes(words))).toEqual([]);
      expect(run?.changeRequest === undefined).toBe(run?.problems.length === 0);
    }),
    { numRuns: runs(3) },
  );
});
