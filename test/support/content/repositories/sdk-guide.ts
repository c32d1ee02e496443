import { png } from '../../pdf/pngs.ts';
import type { SampleRepository } from '../repositories.ts';
import { jpeg, svg } from './images.ts';

/** The guide of a client library: in a folder of its own, written with an editor of Windows in places. */
export const sdkGuide: SampleRepository = {
  name: 'the guide of an SDK',
  summary: 'docs/SUMMARY.md',
  root: 'docs',
  files: {
    'README.md': '# orchard-sdk\n\nThe code. The docs are in `docs/`.\n',
    'src/index.js': 'export const plant = () => {};\n',
    '.gitbook.yaml': '\uFEFFroot: ./docs/\r\n\r\nstructure:\r\n  readme: README.md\r\n',
    'docs/SUMMARY.md': `\uFEFF# Table of contents

* [Orchard SDK](README.md)

## Get started

* [Install](get-started/install.md)
  * [Node.js](get-started/install/node.md "Node, in short")
  * [Python](<get-started/install/python.md>)
* [First call](./get-started/first-call.md)

## Concepts <a href="#concepts" id="ideas"></a>

* [Clients & sessions](concepts/clients.md)
* [Retries \\& \\[limits\\]](concepts/retries.md)
* Advanced
  * [Streaming](concepts/streaming.md#chunks)
  * Internals
    * [Wire format](concepts/wire-format.md) — for the curious
    * <!-- * [Unfinished](concepts/unfinished.md) -->

***

* [Glossary](glossary.md)
* [Source code](https://git.example.com/orchard?tab=readme#top)
* [Cheat sheet](downloads/cheat%20sheet.pdf)
`.replaceAll('\n', '\r\n'),
    'docs/README.md': `\uFEFF---
description: Everything about the Orchard SDK, in one place
icon: apple-whole
cover: .gitbook/assets/orchard.jpg
coverY: 24
layout:
  cover:
    visible: true
    size: hero
  pagination:
    visible: false
---

# Orchard SDK

Grow *trees* over HTTP.

<figure><img src=".gitbook/assets/logo.svg" alt="Logo"><figcaption><p>Our logo</p></figcaption></figure>
`.replaceAll('\n', '\r\n'),
    'docs/get-started/install.md':
      '```sh\n# install it first\nnpm install orchard\n```\n\n# Install\n\nThen read on.\n',
    'docs/get-started/install/node.md':
      '---\n\u200Bdescription: For Node.js 24\nvars:\n  version: 3.10\n  registry: https://packages.example.com\n---\n\n# Node.js\n\nVersion {{ page.vars.version }}.\n',
    'docs/get-started/install/python.md': 'Use `pip`.\n\n## Wheels\n\nThere are some.\n',
    'docs/get-started/first-call.md': 'First call\n==========\n\nSay hello.\n\n# Another heading\n\nMore.\n',
    'docs/concepts/clients.md':
      '# 🔌 Clients & sessions\n\n![How it fits](../.gitbook/assets/how%20it%20fits.png)\n',
    'docs/concepts/retries.md': '# How retries work\n\nThey back off.\n',
    'docs/concepts/streaming.md': '## Chunks\n\nOne by one. See [the client](clients.md).\n',
    'docs/concepts/wire-format.md':
      '# Wire *format* #\n\n<picture><source srcset="../../media/wide.png"><img src=\'../../media/frame (1).jpg\'></picture>\n\n[the spec]: ../../media/spec.txt\n',
    'docs/concepts/unfinished.md': '# Unfinished\n',
    'docs/glossary.md': '',
    'docs/downloads/cheat sheet.pdf': '%PDF-1.4\n%%EOF\n',
    'docs/.gitbook/assets/orchard.jpg': jpeg(320, 120),
    'docs/.gitbook/assets/logo.svg': svg(64, 32),
    'docs/.gitbook/assets/how it fits.png': png(48, 24),
    'docs/.gitbook/assets/nobody uses me.png': png(5, 7),
    'media/frame (1).jpg': jpeg(40, 24, 6),
    'media/wide.png': png(80, 20),
    'media/spec.txt': 'Length, then bytes.\n',
    'media/elsewhere.png': png(1, 1),
  },
  outline: [
    'document Orchard SDK | readme',
    'group Get started | get-started',
    '  document Install | get-started/install',
    '    document Node.js | get-started/install/node',
    '    document Python | get-started/install/python',
    '  document First call | get-started/first-call',
    'group Concepts | ideas',
    '  document Clients & sessions | ideas/clients',
    '  document Retries & [limits] | ideas/retries',
    '  group Advanced | ideas/advanced',
    '    document Streaming | ideas/advanced/streaming',
    '    group Internals | ideas/advanced/internals',
    '      document Wire format | ideas/advanced/internals/wire-format',
    'document Glossary | glossary',
    'link Source code | https://git.example.com/orchard?tab=readme#top',
    'link Cheat sheet | docs/downloads/cheat sheet.pdf',
  ],
  assets: [
    'docs/.gitbook/assets/how it fits.png',
    'docs/.gitbook/assets/logo.svg',
    'docs/.gitbook/assets/nobody uses me.png',
    'docs/.gitbook/assets/orchard.jpg',
    'docs/downloads/cheat sheet.pdf',
    'media/frame (1).jpg',
    'media/spec.txt',
    'media/wide.png',
  ],
  problems: [],
  texts: {
    'docs/README.md':
      'Grow *trees* over HTTP.\n\n<figure><img src=".gitbook/assets/logo.svg" alt="Logo"><figcaption><p>Our logo</p></figcaption></figure>\n',
    'docs/get-started/install.md': '```sh\n# install it first\nnpm install orchard\n```\n\nThen read on.\n',
    'docs/get-started/first-call.md': 'Say hello.\n\n# Another heading\n\nMore.\n',
    'docs/concepts/retries.md': '# How retries work\n\nThey back off.\n',
    'docs/glossary.md': '',
  },
  settings: {
    'docs/README.md': {
      description: 'Everything about the Orchard SDK, in one place',
      icon: 'apple-whole',
      cover: { yPos: 24 },
      layout: { width: 'default', cover: true, coverSize: 'hero', pagination: false, outline: true },
    },
    'docs/get-started/install/node.md': {
      description: 'For Node.js 24',
      variables: { version: '3.10', registry: 'https://packages.example.com' },
    },
  },
  dimensions: {
    'docs/.gitbook/assets/how it fits.png': [48, 24],
    'docs/.gitbook/assets/logo.svg': [64, 32],
    'docs/.gitbook/assets/nobody uses me.png': [5, 7],
    'docs/.gitbook/assets/orchard.jpg': [320, 120],
    'media/frame (1).jpg': [24, 40],
    'media/wide.png': [80, 20],
  },
};
