import { png } from '../../pdf/pngs.ts';
import type { SampleRepository } from '../repositories.ts';

/** Documentation in many scripts; a Mac wrote some names with their accents apart. */
export const international: SampleRepository = {
  name: 'documentation in many languages',
  summary: 'SUMMARY.md',
  files: {
    'SUMMARY.md': `# 目次

* [はじめに](README.md)

## ガイド

* [インストール](ガイド/インストール.md)
* [使い方](%E3%82%AC%E3%82%A4%E3%83%89/%E4%BD%BF%E3%81%84%E6%96%B9.md)

## Руководство <a href="#rukovodstvo"></a>

* [Йод и ёж](ru/йод.md)

## עברית ועربية

* [مرحبا بالعالم](ar/مرحبا%20بالعالم.md)
* [שלום](<ar/שלום עולם.md>)

## हिन्दी और ไทย

* [हिन्दी](hi/हिन्दी.md)
* [สวัสดี](th/สวัสดี.md)
* [한국어](ko/한국어.md)

## Élèves & Größe

* [Façade](${'fr/façade.md'.normalize('NFC')})
* [Ångström](<${'fr/ångström/'.normalize('NFC')}>)
* [Straße](de/Straße.md)
* [C# & C++](de/c%23.md)
* [100 %](de/100%.md)
* [👩‍🚀 Ελληνικά](el/ελληνικά.md)
`,
    'README.md': '# はじめに\n\nようこそ。\n',
    'ガイド/インストール.md': '# インストール\n',
    'ガイド/使い方.md': '# つかいかた\n\n![図](画像/図%201.png)\n',
    'ガイド/画像/図 1.png': png(11, 13),
    'ru/йод.md': '---\ndescription: О йоде\nicon: flask\n---\n\n# Йод и ёж\n',
    'ar/مرحبا بالعالم.md': '# مرحبا بالعالم\n\nنص.\n',
    'ar/שלום עולם.md': '# שלום\n',
    'hi/हिन्दी.md': '# हिन्दी\n',
    'th/สวัสดี.md': '# สวัสดี\n',
    'ko/한국어.md': '# 한국어\n',
    [`${'fr/façade.md'.normalize('NFD')}`]: `# ${'Façade'.normalize('NFD')}\n\nOui.\n`,
    [`${'fr/ångström/README.md'.normalize('NFD')}`]: '# Ångström\n',
    'de/Straße.md': '# STRASSE\n',
    'de/c#.md': '# C# & C++\n',
    'de/100%.md': '# 100 %\n',
    'el/ελληνικά.md': '# Ελληνικά\n\nΚείμενο.\n',
  },
  outline: [
    'document はじめに | readme',
    'group ガイド | ガイド',
    '  document インストール | ガイド/インストール',
    '  document 使い方 | ガイド/使い方',
    'group Руководство | руководство',
    '  document Йод и ёж | руководство/йод',
    'group עברית ועربية | עברית-ועربية',
    '  document مرحبا بالعالم | עברית-ועربية/مرحبا-بالعالم',
    '  document שלום | עברית-ועربية/שלום-עולם',
    'group हिन्दी और ไทย | हिन्दी-और-ไทย',
    '  document हिन्दी | हिन्दी-और-ไทย/हिन्दी',
    '  document สวัสดี | हिन्दी-और-ไทย/สวัสดี',
    '  document 한국어 | हिन्दी-और-ไทย/한국어',
    'group Élèves & Größe | eleves-große',
    '  document Façade | eleves-große/facade',
    '  document Ångström | eleves-große/angstrom',
    '  document Straße | eleves-große/straße',
    '  document C# & C++ | eleves-große/c',
    '  document 100 % | eleves-große/100',
    '  document 👩‍🚀 Ελληνικά | eleves-große/ελληνικα',
  ],
  assets: ['ガイド/画像/図 1.png'],
  problems: [],
  texts: {
    'ガイド/使い方.md': '# つかいかた\n\n![図](画像/図%201.png)\n',
    'de/Straße.md': '# STRASSE\n',
    [`${'fr/façade.md'.normalize('NFD')}`]: 'Oui.\n',
    'el/ελληνικά.md': 'Κείμενο.\n',
  },
  settings: { 'ru/йод.md': { description: 'О йоде', icon: 'flask' } },
  dimensions: { 'ガイド/画像/図 1.png': [11, 13] },
};
