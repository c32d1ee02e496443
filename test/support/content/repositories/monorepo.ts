import { png } from '../../pdf/pngs.ts';
import type { SampleRepository } from '../repositories.ts';

/** Code and documentation in one repository: links, submodules, and a root that the configuration names. */
export const monorepo: SampleRepository = {
  name: 'a monorepo with a folder of documentation',
  summary: 'packages/docs/nav/contents.md',
  root: 'packages/docs',
  files: {
    'README.md': '# lighthouse\n\nCode.\n',
    'SUMMARY.md': '* [lighthouse](README.md)\n',
    'package.json': '{}\n',
    'packages/core/README.md': '# core\n',
    'packages/core/docs': { symlink: '../../packages/docs' },
    'third-party/theme': { submodule: '0123456789abcdef0123456789abcdef01234567' },
    '.gitbook.yaml':
      '# Docs live beside the packages.\nroot: packages/docs\nstructure:\n  readme: ./start.md\n  summary: ./nav/contents.md\n',
    '.gitbook/assets/badge.png': png(16, 16),
    '.gitbook/vars.yaml': 'product: Lighthouse\n',
    'packages/docs/nav/contents.md': `---
layout: none
---
* [Start](../start.md)
* [Packages](<../packages/>)
  * [core](../packages/core.md)
  * [lamp](../packages/lamp.md)
* [Shared text](../shared.md)
* [Vendored](../vendored/README.md)
* [Contributing](/contributing.md)
* [Outside](../../core/README.md)
* [Far outside](../../../../etc/passwd)
`,
    'packages/docs/start.md': '# Start\n\n<img src="../../.gitbook/assets/badge.png" alt="">\n',
    'packages/docs/packages/README.md': '# Packages\n',
    'packages/docs/packages/core.md': '# core\n\nSee [the code](../../../src/core.ts).\n',
    'packages/docs/packages/lamp.md': '',
    'packages/docs/shared.md': { symlink: '../core/README.md' },
    'packages/docs/vendored': { submodule: '89abcdef0123456789abcdef0123456789abcdef' },
    'packages/docs/contributing.md': '# Contributing\n\nPlease do.\n',
    'src/core.ts': 'export {};\n',
  },
  outline: [
    'document Start | start',
    'document Packages | packages',
    '  document core | packages/core',
    '  document lamp | packages/lamp',
    'link Shared text | ../shared.md',
    'link Vendored | ../vendored/README.md',
    'document Contributing | contributing',
    'document Outside | core',
    'link Far outside | ../../../../etc/passwd',
  ],
  assets: ['.gitbook/assets/badge.png', 'src/core.ts'],
  problems: [
    'packages/docs/shared.md: symbolic link',
    'packages/docs/vendored: submodule',
    'packages/docs/nav/contents.md: ../shared.md',
    'packages/docs/nav/contents.md: ../vendored/README.md',
    'packages/docs/nav/contents.md: etc/passwd',
  ],
  variables: { product: 'Lighthouse' },
  texts: { 'packages/core/README.md': '# core\n', 'packages/docs/packages/lamp.md': '' },
  dimensions: { '.gitbook/assets/badge.png': [16, 16] },
};
