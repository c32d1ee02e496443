import { type Arbitrary, array, constantFrom, nat, oneof, record, tuple } from 'fast-check';

/** Texts of a repository by path. */
export type Texts = Record<string, string>;

/** A change of a repository. */
export type RepositoryEdit = (files: Texts) => void;

const PAGES = [
  'README.md',
  'a.md',
  'b/README.md',
  'b/c.md',
  'b/d e.md',
  'toc.md',
  'docs/README.md',
  'docs/a.md',
];
const OTHERS = [
  '.gitbook/assets/a.svg',
  'b/b.svg',
  '.gitbook/includes/note.md',
  'docs/.gitbook/assets/c.svg',
];

const TEXTS = [
  '# A\n\n[b](b/README.md) and ![a](.gitbook/assets/a.svg)\n',
  '# A\n\nThe same title, [outside](../a.md), [the code](../src/code.ts#L1).\n',
  '---\ntitle: Named\nslug: named\ncover: .gitbook/assets/a.svg\nhidden: true\n---\n\n# Named\n\nText.\n',
  '---\ntitle: [broken\n---\n\n# Broken\n',
  '---\nlayout:\n  width: huge\nvars:\n  a: 1\ncover: ../missing.png\n---\n\nNo heading.\n',
  'Only text, ![](b.svg) and ![](<../.gitbook/assets/a.svg>).\n',
  '* [One](a.md)\n* [Two](b/c.md)\n  * [Three](<b/d e.md>)\n',
  '',
];

const SUMMARIES = [
  undefined,
  '# Table of contents\n\n* [Welcome](README.md)\n* [First](a.md)\n  * [Second](b/c.md)\n\n## Group\n\n* [B](b/README.md)\n* [Again](a.md)\n* [Picture](b/b.svg)\n',
  '* [First](a.md)\n* [Renamed](b/c.md)\n* [Missing](missing.md)\n* [Contents](SUMMARY.md)\n',
  '* [A](README.md)\n* [A](a.md)\n* [A](b/c.md)\n* [Note](.gitbook/includes/note.md)\n',
];

const CONFIGURATIONS = [
  undefined,
  'root: ./docs/\n',
  'structure:\n  summary: toc.md\n  readme: a.md\n',
  'structure: [\n',
];

const VARIABLES = [undefined, 'product: Colophon\n', 'product: Other\nversion: 3.10\n', '- no map\n'];

const set =
  (path: string, text: string | undefined): RepositoryEdit =>
  (files) => {
    if (text === undefined) {
      delete files[path];
    } else {
      files[path] = text;
    }
  };

const page = constantFrom(...PAGES);

const edit: Arbitrary<RepositoryEdit> = oneof(
  { weight: 6, arbitrary: tuple(page, constantFrom(...TEXTS)).map(([path, text]) => set(path, text)) },
  {
    weight: 3,
    arbitrary: tuple(page, nat(9)).map(
      ([path, number]): RepositoryEdit =>
        (files) => {
          files[path] = `${files[path] ?? ''}\nParagraph ${number}.\n`;
        },
    ),
  },
  { weight: 2, arbitrary: constantFrom(...PAGES, ...OTHERS).map((path) => set(path, undefined)) },
  {
    weight: 2,
    arbitrary: tuple(page, page).map(
      ([from, to]): RepositoryEdit =>
        (files) => {
          const text = files[from];
          if (text !== undefined) {
            delete files[from];
            files[to] = text;
          }
        },
    ),
  },
  {
    weight: 2,
    arbitrary: tuple(constantFrom(...OTHERS), constantFrom('<svg/>', ...TEXTS)).map(([path, text]) =>
      set(path, text),
    ),
  },
  { weight: 2, arbitrary: constantFrom(...SUMMARIES).map((text) => set('SUMMARY.md', text)) },
  { weight: 2, arbitrary: constantFrom(...CONFIGURATIONS).map((text) => set('.gitbook.yaml', text)) },
  { weight: 1, arbitrary: constantFrom(...VARIABLES).map((text) => set('.gitbook/vars.yaml', text)) },
);

/** Sequences of commits: each one consists of several edits, and is imported with a URL for files outside the content or without. */
export const commits: Arbitrary<Array<{ edits: RepositoryEdit[]; treeURL: string | undefined }>> = array(
  record({
    edits: array(edit, { minLength: 1, maxLength: 4 }),
    treeURL: constantFrom(undefined, 'https://git.example.com/tree/main'),
  }),
  { minLength: 2, maxLength: 6 },
);

/** Returns a repository to start from. */
export const firstTexts = (): Texts => ({
  'README.md': TEXTS[0] ?? '',
  'a.md': TEXTS[2] ?? '',
  'b/c.md': TEXTS[5] ?? '',
  'docs/README.md': TEXTS[1] ?? '',
  '.gitbook/assets/a.svg': '<svg/>',
  '.gitbook/includes/note.md': '# Note\n\nA note.\n',
});
