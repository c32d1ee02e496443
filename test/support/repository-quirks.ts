import { deflateSync } from 'node:zlib';
import type { CommitFiles } from './git-server.ts';

/** A docs repository as teams really keep them, and what a reader of it should see. */
export interface SampleRepository {
  name: string;
  files: CommitFiles;
  /** The project's directory, where it is not the root. */
  directory?: string;
  /**
   * The page tree, written by hand from the files: a line a page, two spaces a level, as
   * `<type> <title> | <path, or where a link leads, or what a computed page shows>`.
   */
  outline: string[];
  /** The paths of the files that come along. */
  assets: string[];
  /** A part of each problem that is told, as `<path>: <part of the message>`, in their order. */
  problems: string[];
}

/** A PNG of the given size (PNG, section 11.2): real, and of a size that a test can look for. */
export function png(width: number, height: number): Uint8Array {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 0, 0, 0, 0], 8);
  const rows = Buffer.alloc((width + 1) * height);
  const chunks = [chunk('IHDR', header), chunk('IDAT', deflateSync(rows)), chunk('IEND', Buffer.alloc(0))];
  return Buffer.concat([Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]), ...chunks]);
}

function chunk(type: string, content: Uint8Array): Uint8Array {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(content.length);
  // The checksum stays zero: what reads sizes does not look at it.
  return Buffer.concat([length, Buffer.from(type, 'latin1'), content, Buffer.alloc(4)]);
}

/** What the platform itself writes: groups, nesting, a break, links, computed entries, front matter, includes. */
const platform: SampleRepository = {
  name: 'as the platform writes it',
  files: {
    '.gitbook.yaml': 'root: ./\n\nstructure:\n  readme: README.md\n  summary: SUMMARY.md\n',
    'SUMMARY.md': `# Table of contents

* [Welcome](README.md)
  * [What is new](readme/what-is-new.md)

## Getting Started

* [Quick start](getting-started/quick-start.md)
* [Installation](getting-started/installation/README.md)
  * [Linux](getting-started/installation/linux.md)
  * [macOS](getting-started/installation/macos.md)

## 🛠️ SDKs & API <a href="#sdks" id="sdks"></a>

* [API](sdks/api/README.md)
  * \`\`\`yaml
    type: builtin:openapi
    props:
      models: true
      downloadLink: true
    dependencies:
      spec:
        ref:
          kind: openapi
          spec: pet-store
    \`\`\`

***

* [Changelog](changelog.md)
* [Status](https://status.example.com/)
`,
    'README.md': `---
description: >-
  Where it all
  begins
icon: house
cover:
  light: .gitbook/assets/cover (1).png
  dark: .gitbook/assets/cover-dark.png
coverY: -12.5
layout:
  width: wide
  cover:
    visible: true
    size: full
  title:
    visible: true
  description:
    visible: false
  tableOfContents:
    visible: true
  outline:
    visible: false
  pagination:
    visible: false
  metadata:
    visible: true
---

# Welcome

{% include ".gitbook/includes/support.md" %}

![](<.gitbook/assets/cover (1).png>)
`,
    'readme/what-is-new.md':
      '---\nhidden: true\nnoIndex: true\nnoRobotsIndex: true\n---\n\n# What is new\n\nThis.\n',
    'getting-started/quick-start.md':
      '---\nvars:\n  version: v2.1.0\n  port: 8080\n  beta: true\n---\n\n# Quick start\n\nRun it.\n',
    'getting-started/installation/README.md': '# Installation\n',
    'getting-started/installation/linux.md': '# Linux\n\n{% file src="../../files/setup.sh" %}\n',
    'getting-started/installation/macos.md': '# macOS\n',
    'sdks/api/README.md': '# API\n',
    'changelog.md': '# Changelog\n\n## 1.0\n',
    'not-listed.md': '# Nobody lists me\n',
    'files/setup.sh': '#!/bin/sh\n',
    'files/unused.bin': 'unused',
    '.gitbook/assets/cover (1).png': png(40, 30),
    '.gitbook/assets/cover-dark.png': png(20, 10),
    '.gitbook/includes/support.md': '---\ntitle: Support\n---\n\nWrite to us.\n',
    '.gitbook/vars.yaml': 'latest_version: v3.0.4\nyear: 2026\n',
  },
  outline: [
    'document Welcome | readme',
    '  document What is new | readme/what-is-new',
    'group Getting Started | getting-started',
    '  document Quick start | getting-started/quick-start',
    '  document Installation | getting-started/installation',
    '    document Linux | getting-started/installation/linux',
    '    document macOS | getting-started/installation/macos',
    'group 🛠️ SDKs & API | sdks',
    '  document API | sdks/api',
    '    computed Pet store | builtin:openapi',
    'document Changelog | changelog',
    'link Status | https://status.example.com/',
  ],
  assets: ['.gitbook/assets/cover (1).png', '.gitbook/assets/cover-dark.png', 'files/setup.sh'],
  problems: [],
};

/** A table of contents that people edited by hand for years. */
const handmade: SampleRepository = {
  name: 'edited by hand for years',
  files: {
    'SUMMARY.md': `\uFEFF# Summary

- [Start here](./README.md)
\u200B- [The **bold** \\& the \`brave\`](./guides/bold.md)
- [Ünïcode &amp; spaces](guides/%C3%BCn%C3%AF%20code.md)
+ [Angles](<guides/with space.md>)
+ [Loose](guides/with space (2).md)

### Guides

* Reference
    * [Folder](api/)
    * [No extension](guides/plain)
    * [Again](./README.md)
        * [Below the second listing](guides/below.md)
* [Gone](guides/gone.md)
  * [Below the missing](guides/kept.md)
* [One section](guides/bold.md#part)
* [Only a section](guides/section.md#part)
* [Other][other]
* [Placeholder](#)
  * [🚀 :rocket: Launch](guides/launch.md)
* [Outside](../secrets.md)
* [Script](javascript:alert(1))
* [Write](mailto:docs@example.com)
* [Sheet](files/sheet.xlsx)
*

[other]: guides/other.md
`.replaceAll('\n', '\r\n'),
    'README.md': '\uFEFF# Start here\r\n\r\nHello.\r\n',
    'guides/bold.md': '# The bold & the brave\n',
    'guides/ün\u0069\u0308 code.md': 'Accents are written apart in this name.\n',
    'guides/with space.md': '# Angles\n',
    'guides/with space (2).md': '# Loose\n',
    'guides/plain.md': '# No extension\n',
    'guides/below.md': '# Below\n',
    'guides/kept.md': '# Kept\n',
    'guides/section.md': '# Section\n',
    'guides/other.md': '# Other\n',
    'guides/launch.md': '# Launch\n',
    'api/readme.md': '# Folder\n',
    'files/sheet.xlsx': 'PK',
  },
  outline: [
    'document Start here | readme',
    'document The bold & the brave | bold',
    'document Ünïcode & spaces | uni-code',
    'document Angles | with-space',
    'document Loose | with-space-2',
    'group Guides | guides',
    '  group Reference | guides/reference',
    '    document Folder | guides/reference/api',
    '    document No extension | guides/reference/plain',
    '    document Below the second listing | guides/reference/below',
    '  document Below the missing | guides/kept',
    '  document Only a section | guides/section',
    '  document Other | guides/other',
    '  group Placeholder | guides/placeholder',
    '    document 🚀 :rocket: Launch | guides/placeholder/launch',
    '  link Write | mailto:docs@example.com',
    '  link Sheet | files/sheet.xlsx',
  ],
  assets: ['files/sheet.xlsx'],
  problems: [
    'SUMMARY.md: "README.md" is listed more than once',
    'SUMMARY.md: guides/gone.md',
    'SUMMARY.md: "guides/bold.md" is listed more than once',
    'SUMMARY.md: ../secrets.md',
    'SUMMARY.md: no reader can follow',
  ],
};

/** No table of contents and no configuration: the folders are the structure. */
const folders: SampleRepository = {
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
};

/** Documentation in a part of a repository of code, with a first page and a table of contents elsewhere. */
const monorepo: SampleRepository = {
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
  problems: [],
};

/** Everything that can be wrong is wrong, and the rest still arrives. */
const broken: SampleRepository = {
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
  ],
  assets: [],
  problems: [
    '.gitbook.yaml: YAML cannot be read',
    'linked.md: symbolic link',
    'vendor: submodule',
    'SUMMARY.md: computed entry was left out',
    'SUMMARY.md: computed entry was left out',
    'SUMMARY.md: linked.md',
    'broken.md: front matter was kept as text',
    'list.md: front matter was kept as text',
    'odd.md: layout.width',
    'odd.md: layout.cover.size',
    'odd.md: variable "list"',
    'odd.md: pictures/gone.png',
    '.gitbook/vars.yaml: YAML cannot be read',
  ],
};

/** Names that meet: slugs are unique among siblings, and each page keeps its own. */
const clashes: SampleRepository = {
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
const bare: SampleRepository = {
  name: 'without any page',
  files: { LICENSE: 'MIT\n', '.gitbook.yaml': '' },
  outline: [],
  assets: [],
  problems: [],
};

/** Every quirk of real repositories that an import has to take, each with what should come out. */
export const sampleRepositories: readonly SampleRepository[] = [
  platform,
  handmade,
  folders,
  monorepo,
  broken,
  clashes,
  bare,
];

/**
 * A repository with many pages of about 4 KB in sections of 50, each with front matter, for measurements.
 *
 * @param withSummary whether it has a table of contents, or the folders are the structure.
 */
export function manyPages(count: number, { withSummary = false } = {}): CommitFiles {
  const files: CommitFiles = { 'README.md': '# Many pages\n' };
  const lines = ['# Table of contents', '', '* [Many pages](README.md)'];
  for (let index = 0; index < count - 1; index += 1) {
    const section = `section-${String(Math.floor(index / 50)).padStart(3, '0')}`;
    const path = `${section}/page-${String(index).padStart(5, '0')}.md`;
    if (index % 50 === 0) lines.push('', `## ${section}`, '');
    lines.push(`* [Page ${index}](${path})`);
    files[path] = pageText(index);
  }
  if (withSummary) files['SUMMARY.md'] = `${lines.join('\n')}\n`;
  return files;
}

const layout = ['title', 'description', 'tableOfContents', 'outline', 'pagination']
  .map((section) => `  ${section}:\n    visible: true\n`)
  .join('');

function pageText(index: number): string {
  const words = (seed: number) =>
    Array.from({ length: 14 }, (_, at) => `w${((seed + 7) * (at + 3) * 2_654_435_761) % 9973}`).join(' ');
  const paragraphs = Array.from({ length: 36 }, (_, at) =>
    at % 9 === 0
      ? `## Part ${at / 9}`
      : `${words(index * 40 + at)}, see [the next](page-${String(index + 1).padStart(5, '0')}.md).`,
  );
  return `---\ndescription: What page ${index} is about\nicon: file\nlayout:\n  width: default\n${layout}---\n\n# Page ${index}\n\n${paragraphs.join('\n\n')}\n`;
}
