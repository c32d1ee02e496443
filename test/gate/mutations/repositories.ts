import { type Mutation, test } from '../mutation.ts';

/** Losses and noise in the content of documentation repositories. */
export const repositories: Mutation[] = [
  {
    name: 'print a page anew whose document is sent back',
    file: 'server/content/markdown/revise/revise.ts',
    from: '=== target) {\n    return markdown;',
    to: '=== target) {\n    return printMarkdown(document, addressOf);',
    failures: [test('test/unit/markdown/revise', 'leaves the text as it is: hand-written.md')],
  },
  {
    name: 'print a whole table anew for one cell',
    file: 'server/content/markdown/revise/revise.ts',
    from: '  { isByWord: true, isShallow: false, isSpaced: false },\n',
    to: '',
    failures: [
      test('test/unit/markdown/revise', 'changes a cell of a table'),
      test('test/service/git/written-repositories', 'word docs/guides/deploy-a-container.md'),
    ],
  },
  {
    name: 'read the ID of a heading as text',
    file: 'server/content/markdown/read/read.ts',
    from: 'headingParts(node, this.#source)',
    to: "headingParts(node, '')",
    failures: [test('test/unit/markdown/authors', 'reads "## a {#x}"')],
  },
  {
    name: 'write a table of contents anew for one entry',
    file: 'server/content/repository/write/table-of-contents.ts',
    from: 'existing === undefined ? undefined : yield* updateSummary(existing, pages, context, rewritten);',
    to: "existing === '' ? yield* updateSummary(existing, pages, context, rewritten) : undefined;",
    failures: [
      test('test/unit/repository/summary-edits', 'changes only in the lines of the entry'),
      test('test/service/git/written-repositories', 'title docs/guides/roll-back.md'),
    ],
  },
  {
    name: 'refer to pages and files by URL',
    file: 'server/content/wire/write.ts',
    from: '(this.#references.get(ref.url) ?? ref)',
    to: '(this.#references.get(ref.url.toUpperCase()) ?? ref)',
    failures: [
      test('test/service/content/references', 'name pages, anchors, files and other resources by ID'),
    ],
  },
  {
    name: 'replace the blocks of cells with their values',
    file: 'server/content/wire/read-table.ts',
    from: 'comparable(a) === comparable(b);',
    to: 'comparable(a) !== comparable(b);',
    failures: [test('test/unit/wire/round-trip', 'have the same Markdown: columns of references')],
  },
  {
    name: 'reveal the pages of spaces that a guest cannot see',
    file: 'server/platform/content/references/visible.ts',
    from: 'spacesVisibleAmong(queries, member, ids)',
    to: "spacesVisibleAmong(queries, { ...member, role: 'admin' }, ids)",
    failures: [test('test/service/content/references', 'name what is visible to the reader by ID')],
  },
  {
    name: 'accept links to anchors that do not exist',
    file: 'server/platform/content/links/present/link-status.ts',
    from: 'missing.add(link);',
    to: 'missing.delete(link);',
    failures: [test('test/service/content/links', 'name the address of broken ones')],
  },
  {
    name: 'locate a broken link in the line above it',
    file: 'server/content/links/nodes.ts',
    from: 'lines.set(destination, at + 1)',
    to: 'lines.set(destination, at)',
    failures: [
      test('test/service/content/links', 'name the address of broken ones'),
      test('test/service/git/written-repositories', 'reports its broken links with their lines'),
    ],
  },
  {
    name: 'import pointers of Git LFS without a problem',
    file: 'server/content/repository/read/repository.ts',
    from: 'isPointer(content)',
    to: 'isPointer(content.subarray(1))',
    failures: [test('test/service/git/runs', 'lists the pointers of Git LFS that pages use')],
  },
];
