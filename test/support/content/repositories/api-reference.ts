import type { SampleRepository } from '../repositories.ts';
import { svg } from './images.ts';

/** The reference of an API: computed entries, includes, variables, and a specification to download. */
export const apiReference: SampleRepository = {
  name: 'the reference of an API',
  summary: 'TOC.md',
  files: {
    '.gitbook.yaml': 'structure:\n  summary: TOC.md\n',
    'TOC.md': `# Table of contents

* [Introduction](README.md)

## Reference

* \`\`\`yaml
  type: builtin:openapi
  props:
    models: true
  dependencies:
    spec:
      ref:
        kind: openapi
        spec: harbour-api
  \`\`\`
* [Errors](reference/errors.md)
  * \`\`\`yaml
    type: integration:status-page:incidents
    props:
      days: 7
    \`\`\`
  * [Codes](reference/errors/codes.md)
* \`\`\`yaml
  type: builtin:openapi
  props: [models
  \`\`\`
* [The specification](openapi.yaml)

## Webhooks

* [Events](webhooks/README.md)
  * [ship.arrived](webhooks/ship.arrived.md)
  * [ship.left](webhooks/ship.left.md)
`,
    'README.md':
      '---\nlayout:\n  width: wide\n  title:\n    visible: false\n  description:\n    visible: false\n  tableOfContents:\n    visible: false\n  outline:\n    visible: false\n  metadata:\n    visible: false\n---\n\n# Introduction\n\nBase address: {{ space.vars.base }}\n\n{% include ".gitbook/includes/limits.md" %}\n',
    'reference/errors.md': '# Errors\n\n{% include "../.gitbook/includes/limits.md" %}\n',
    'reference/errors/codes.md':
      '---\nvars:\n  retry: 30\n  note: null\n  list: [1, 2]\n---\n\n# Codes\n\n| code | why |\n| --- | --- |\n| 429 | too many |\n',
    'webhooks/README.md': '# Events\n\n![Flow](/.gitbook/assets/flow.svg)\n',
    'webhooks/ship.arrived.md': '# ship.arrived\n\n```json\n{"type": "ship.arrived"}\n```\n',
    'webhooks/ship.left.md': '---\ndescription: [not, a, text]\nicon: true\n---\n\n# ship.left\n',
    'openapi.yaml': 'openapi: 3.1.0\ninfo: {title: Harbour, version: "1"}\npaths: {}\n',
    '.gitbook/includes/limits.md':
      '---\ntitle: Rate limits\n---\n\n# Mind the limits\n\nAt most {{ space.vars.limit }} a minute.\n',
    '.gitbook/includes/support-hours.md': 'Nine to five.\n',
    '.gitbook/vars.yaml': '\uFEFFbase: https://api.harbour.example\r\n\u200Blimit: 60\r\nversion: 2.0\r\n',
    '.gitbook/assets/flow.svg': svg(120, 40),
  },
  outline: [
    'document Introduction | readme',
    'group Reference | reference',
    '  computed Harbour api | builtin:openapi',
    '  document Errors | reference/errors',
    '    computed Incidents | integration:status-page:incidents',
    '    document Codes | reference/errors/codes',
    '  link The specification | openapi.yaml',
    'group Webhooks | webhooks',
    '  document Events | webhooks/webhooks',
    '    document ship.arrived | webhooks/webhooks/ship-arrived',
    '    document ship.left | webhooks/webhooks/ship-left',
  ],
  assets: ['.gitbook/assets/flow.svg', 'openapi.yaml'],
  problems: ['TOC.md: computed entry was skipped', 'reference/errors/codes.md: variable "list"'],
  reusableContents: {
    'Rate limits': '.gitbook/includes/limits.md',
    'Support hours': '.gitbook/includes/support-hours.md',
  },
  variables: { base: 'https://api.harbour.example', limit: '60', version: '2.0' },
  texts: {
    'reference/errors/codes.md': '| code | why |\n| --- | --- |\n| 429 | too many |\n',
    'webhooks/ship.arrived.md': '```json\n{"type": "ship.arrived"}\n```\n',
  },
  settings: {
    'README.md': {
      layout: {
        width: 'wide',
        title: false,
        description: false,
        tableOfContents: false,
        outline: false,
        pagination: true,
        metadata: false,
      },
    },
    'reference/errors/codes.md': { variables: { retry: '30', note: '' } },
  },
  dimensions: { '.gitbook/assets/flow.svg': [120, 40] },
};
