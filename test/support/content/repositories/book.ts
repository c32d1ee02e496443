import type { SampleRepository } from '../repositories.ts';

/** A book in the layout of mdBook: chapters outside lists, parts, drafts and separators. */
export const book: SampleRepository = {
  name: 'a book with prefix and suffix chapters',
  directory: 'src',
  files: {
    'book.toml': '[book]\ntitle = "The Harbour"\n',
    'README.md': '# Source of the book\n',
    'src/SUMMARY.md': `# Summary

[Foreword](foreword.md)
[Introduction](./README.md)

# The port

- [Arriving](port/arriving.md)
    - [By night](port/arriving.md#night)
    - [In fog]()
<!--
    - [By air](port/air.md)
-->
- [Leaving](port/leaving.md), see also [the tides](tides.md)

---

# The crew

## Deck

- [Knots](crew/knots.md)

-----------

[Contributors](misc/contributors.md)
[Licence](https://licences.example.com/)
`,
    'src/foreword.md': '# Foreword\n',
    'src/README.md': '# Introduction\n',
    'src/port/arriving.md': '# Arriving\n\n## Night\n',
    'src/port/air.md': '# By air\n',
    'src/port/leaving.md': '# Leaving\n',
    'src/tides.md': '# Tides\n',
    'src/crew/knots.md': '# Knots\n',
    'src/misc/contributors.md': '# Contributors\n',
  },
  outline: [
    'document Foreword | foreword',
    'document Introduction | readme',
    'group The port | the-port',
    '  document Arriving | the-port/arriving',
    '    link By night | src/port/arriving.md#night',
    '    group In fog | the-port/arriving/in-fog',
    '  document Leaving | the-port/leaving',
    '  document the tides | the-port/tides',
    'group The crew | the-crew',
    '  group Deck | the-crew/deck',
    '    document Knots | the-crew/deck/knots',
    'document Contributors | contributors',
    'link Licence | https://licences.example.com/',
  ],
  assets: [],
  problems: [],
};

/** A configuration with invisible characters and a missing table of contents, and folders without pages. */
export const copied: SampleRepository = {
  name: 'a configuration copied from a website',
  files: {
    '.gitbook.yaml': '\u200Broot: ./docs/\u200B\n\nstructure:\u200B\n  summary: toc.md\u200B\n',
    'docs/README.md': '# Home\n',
    'docs/guide/alpha/README.md': '# Alpha\n',
    'docs/guide/alpha/one.md': '# One\n',
    'docs/guide/alpha/two.md': '# Two\n',
    'docs/guide/beta/README.md': '# Beta\n',
    'docs/guide/beta/one.md': '# One\n',
  },
  outline: [
    'document Home | readme',
    'group Guide | guide',
    '  document Alpha | guide/alpha',
    '    document One | guide/alpha/one',
    '    document Two | guide/alpha/two',
    '  document Beta | guide/beta',
    '    document One | guide/beta/one',
  ],
  assets: [],
  problems: ['.gitbook.yaml: "docs/toc.md" does not exist in the repository. Pages are arranged by folders.'],
};
