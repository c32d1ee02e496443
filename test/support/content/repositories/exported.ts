import type { SampleRepository } from '../repositories.ts';

/** A repository that a space was exported to. Properties without a location in the usual layout are in the files. */
export const exported: SampleRepository = {
  name: 'as this service writes it',
  summary: 'SUMMARY.md',
  files: {
    'SUMMARY.md': `# Table of contents

* [Welcome](README.md)

## Start <a href="#begin" id="begin"></a>

* [Install \\[it\\]](begin/install.md)
  * Tools <a href="#kit" id="kit"></a>
    * [Hammer](begin/install/kit/hammer.md)
* [New name](begin/old.md)
* [A \\_b\\_ & c](begin/A%20%28b%29.md)
* \`\`\`yaml
  type: builtin:openapi
  title: The orders API
  dependencies:
    spec:
      ref:
        kind: openapi
        spec: orders
  \`\`\`

***

* [Status](<https://status.example.com/a(b>)
`,
    'README.md': '# Welcome\n\nHello.\n',
    'begin/install.md': '---\nvars:\n  padded: " 1.10 "\n---\n\n# Install \\[it\\]\n\nRun it.\n',
    'begin/install/kit/hammer.md': '# Hammer\n',
    'begin/old.md': '---\nslug: new-name\n---\n\n# New name\n\nText.\n',
    'begin/A (b).md': '---\nslug: /not/a/slug\n---\n\n# A \\_b\\_ & c\n',
  },
  outline: [
    'document Welcome | readme',
    'group Start | begin',
    '  document Install [it] | begin/install',
    '    group Tools | begin/install/kit',
    '      document Hammer | begin/install/kit/hammer',
    '  document New name | begin/new-name',
    '  document A _b_ & c | begin/a-b',
    '  computed The orders API | builtin:openapi',
    'link Status | https://status.example.com/a(b',
  ],
  assets: [],
  problems: [],
  texts: { 'begin/install.md': 'Run it.\n', 'begin/A (b).md': '' },
  settings: { 'begin/install.md': { variables: { padded: ' 1.10 ' } } },
};
