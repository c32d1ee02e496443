import { png } from '../../pdf/pngs.ts';
import type { SampleRepository } from '../repositories.ts';

/** A repository as the platform writes it: groups, nesting, a break, links, computed entries, front matter, includes. */
export const platform: SampleRepository = {
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
export const handmade: SampleRepository = {
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
    '    link Again | README.md',
    '    document Below the second listing | guides/reference/below',
    '  group Gone | guides/gone',
    '    document Below the missing | guides/gone/kept',
    '  link One section | guides/bold.md#part',
    '  document Only a section | guides/section',
    '  document Other | guides/other',
    '  group Placeholder | guides/placeholder',
    '    document 🚀 :rocket: Launch | guides/placeholder/launch',
    '  link Outside | ../secrets.md',
    '  group Script | guides/script',
    '  link Write | mailto:docs@example.com',
    '  link Sheet | files/sheet.xlsx',
  ],
  assets: ['files/sheet.xlsx'],
  problems: [
    'SUMMARY.md: "README.md" is listed more than once',
    'SUMMARY.md: guides/gone.md',
    'SUMMARY.md: ../secrets.md',
    'SUMMARY.md: unsupported URL',
  ],
  texts: { 'guides/launch.md': '' },
};
