import { png } from '../../pdf/pngs.ts';
import type { SampleRepository } from '../repositories.ts';

/** No table of contents and no configuration: the folders are the structure. */
export const folders: SampleRepository = {
  name: 'folders alone',
  files: {
    'zebra.md': 'No heading here.\n',
    'README.md': '# The Project\n',
    'Alpha.md': 'Alpha Title\n===========\n\nText.\n',
    'beta/README.md': '# Beta\n',
    'beta/two.md': '```sh\n# not a title\n```\n\n# Two # \n',
    'beta/one.md': '<!--\n# not this one\n-->\n\n# One <a href="#one" id="one"></a>\n',
    'gamma/deep/page.md': '# Deep page\n',
    'delta.md': '# Delta\n',
    'delta/part.md': '# Part\n',
    'getting_started.markdown': '',
    '.github/PULL_REQUEST_TEMPLATE.md': '# Not a page\n',
    'node_modules/x/README.md': '# Not a page\n',
    'src/main.ts': 'export {};\n',
    'empty/notes.txt': 'no page\n',
  },
  outline: [
    'document The Project | readme',
    'document Alpha Title | alpha',
    'document Beta | beta',
    '  document One | beta/one',
    '  document Two | beta/two',
    'document Delta | delta',
    '  document Part | delta/part',
    'group Gamma | gamma',
    '  group Deep | gamma/deep',
    '    document Deep page | gamma/deep/page',
    'document Getting started | getting-started',
    'document Zebra | zebra',
  ],
  assets: [],
  problems: [],
  texts: {
    'Alpha.md': 'Text.\n',
    'beta/one.md': '<!--\n# not this one\n-->\n\n',
    'beta/two.md': '```sh\n# not a title\n```\n\n',
  },
};

/** Documentation in a part of a repository of code, with a first page and a table of contents elsewhere. */
export const project: SampleRepository = {
  name: 'a project inside a repository of code',
  directory: './products/docs/',
  files: {
    'README.md': '# The code\n',
    'SUMMARY.md': '* [The code](README.md)\n',
    '.gitbook.yaml': 'root: ./nowhere\n',
    'products/docs/.gitbook.yaml':
      '\u200Broot: ./content/\n\u200Bstructure:\n  \uFEFFreadme: ./intro.md\n  summary: nav/TOC.md\nredirects:\n  old: new.md\n',
    'products/docs/content/nav/TOC.md': '* [Guide](../guide.md)\n* [From the root](/top.md)\n',
    'products/docs/content/intro.md': '# Introduction\n\n<img src="/pictures/a.png">\n',
    'products/docs/content/guide.md':
      '# Guide\n\n[logo]: ../shared/logo.svg\n\n[code](../../../src/main.ts)\n',
    'products/docs/content/top.md': '# Top\n',
    'products/docs/content/pictures/a.png': png(3, 2),
    'products/docs/shared/logo.svg': '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 30 20"/>',
    'products/docs/.gitbook/assets/b.png': png(2, 3),
    'products/docs/content/.gitbook/vars.yaml': 'name: content\n',
    'products/docs/.gitbook/vars.yaml': 'name: project\n',
    'src/main.ts': 'export {};\n',
  },
  outline: ['document Introduction | intro', 'document Guide | guide', 'document From the root | top'],
  assets: [
    'products/docs/.gitbook/assets/b.png',
    'products/docs/content/pictures/a.png',
    'products/docs/shared/logo.svg',
  ],
  problems: ['products/docs/.gitbook.yaml: "new.md" is not a page of the space'],
};

/** Everything that can be wrong is wrong, and the rest still arrives. */
export const broken: SampleRepository = {
  name: 'broken in many ways',
  files: {
    '.gitbook.yaml': 'root: [\n',
    'SUMMARY.md': `---
title: Contents
---
# Summary

* [Broken front matter](broken.md)
* [List as front matter](list.md)
* [Odd values](odd.md)
* [Open](open.md)
* \`\`\`yaml
  type: builtin:unknown
  \`\`\`
* \`\`\`yaml
  type: [
  \`\`\`
* [Linked](linked.md)
`,
    'broken.md': '---\ndescription: "never closed\n---\n\n# Broken front matter\n\nText.\n',
    'list.md': '---\n- one\n- two\n---\n\n# List as front matter\n',
    'odd.md':
      '---\ncover: pictures/gone.png\ndescription: 42\nlayout:\n  width: huge\n  cover:\n    size: tiny\nvars:\n  list: [1]\n  fine: ok\n---\n\nText \0 with NUL.\n',
    'open.md': '---\ndescription: the front matter never ends\n\n# Open\n',
    'linked.md': { symlink: '/etc/passwd' },
    vendor: { submodule: '1234567890123456789012345678901234567890' },
    '.gitbook/vars.yaml': 'a: b: c\n',
    '.gitbook/includes/plain.md': '# Not the title\n',
  },
  outline: [
    'document Broken front matter | broken',
    'document List as front matter | list',
    'document Odd values | odd',
    'document Open | open',
    'link Linked | linked.md',
  ],
  assets: [],
  problems: [
    '.gitbook.yaml: YAML is invalid',
    'linked.md: symbolic link',
    'vendor: submodule',
    'SUMMARY.md: computed entry was skipped',
    'SUMMARY.md: computed entry was skipped',
    'SUMMARY.md: linked.md',
    'broken.md: front matter was imported as text',
    'list.md: front matter was imported as text',
    'odd.md: layout.width',
    'odd.md: layout.cover.size',
    'odd.md: variable "list"',
    'odd.md: pictures/gone.png',
    '.gitbook/vars.yaml: YAML is invalid',
  ],
  texts: {
    'broken.md': '---\ndescription: "never closed\n---\n\nText.\n',
    'list.md': '---\n- one\n- two\n---\n\n',
    'odd.md': 'Text \uFFFD with NUL.\n',
    'open.md': '---\ndescription: the front matter never ends\n\n',
  },
};

/** Names that meet: slugs are unique among siblings, and each page keeps its own. */
export const clashes: SampleRepository = {
  name: 'names that meet',
  files: {
    'SUMMARY.md': `* [Setup](setup.md)
* [Setup again](a/setup.md)
* [Setup folder](setup/README.md)
  * [Setup inside](setup/setup.md)
* [!!!](!!!.md)
* [日本語](日本語.md)
* [It's Größe](it's-größe.md)

## Setup

## Setup

* [Setup of the group](b/setup.md)
* [Twice](https://example.com/)
* [Twice](https://example.com/)
`,
    'setup.md': '',
    'a/setup.md': '',
    'b/setup.md': '',
    'setup/README.md': '',
    'setup/setup.md': '',
    '!!!.md': '',
    '日本語.md': '',
    "it's-größe.md": '',
  },
  outline: [
    'document Setup | setup',
    'document Setup again | setup-1',
    'document Setup folder | setup-2',
    '  document Setup inside | setup-2/setup',
    'document !!! | page',
    'document 日本語 | 日本語',
    "document It's Größe | its-große",
    'group Setup | setup-3',
    'group Setup | setup-4',
    '  document Setup of the group | setup-4/setup',
    '  link Twice | https://example.com/',
    '  link Twice | https://example.com/',
  ],
  assets: [],
  problems: [],
};

/** Nothing to read at all. */
export const bare: SampleRepository = {
  name: 'without any page',
  files: { LICENSE: 'MIT\n', '.gitbook.yaml': '' },
  outline: [],
  assets: [],
  problems: [],
};
