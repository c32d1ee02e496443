import { png } from '../../pdf/pngs.ts';
import type { SampleRepository } from '../repositories.ts';

/** A company's handbook: no configuration, many hands, and a table of contents that shows it. */
export const handbook: SampleRepository = {
  name: 'the handbook of a company',
  summary: 'SUMMARY.md',
  files: {
    'SUMMARY.md': `# Summary

- [Welcome :wave:](README.md)

## [People](people/README.md)

1. [Hiring](people/hiring.md)
2. [Onboarding](people/onboarding/)
    - [Week one](people/onboarding/week-1.md)
    - [Week two](people/onboarding/week-2.md)
        - [Checklist](people/onboarding/week-2/checklist.md)
- [Hiring, again](./people/hiring.md)
    - [Interviews](people/interviews.md)
- [Holidays](people/holidays.md)
    - [Public holidays](people/public-holidays.md)

---

- **Offices**
\t- [Berlin](offices/berlin.md)
\t- [São Paulo](offices/sao-paulo.md)
+ [Remote](offices/remote)
+ [Empty folder](offices/maps/)

___

* [Policies](policies)
* [Privacy & <em>cookies</em>](policies/privacy.md)
* [\`rm -rf\` and other \\*accidents\\*](policies/accidents.md)
* [Ask us](mailto:people@example.com)
* [Call us](tel:+491234567)
* [](policies/untitled.md)
* [Dangerous](javascript:alert%281%29)
*

Some prose that is not a page.
`,
    'README.md': '# Welcome\n\nGood to have you.\n',
    'people/README.md':
      '---\ndescription: |\n  Who we are\n  and how we work\nemoji: "1f465"\n---\n\n# People\n',
    'people/hiring.md': '<!-- # Draft title -->\n\n# Hiring\n\nWe hire.\n',
    'people/interviews.md': '# Interviews\n\n![](../img/room.png "The room")\n',
    'people/onboarding/README.md': '# Your first weeks\n\nHello.\n',
    'people/onboarding/week-1.md': '---\nhidden: true\n---\n# Week one\nMeet people.\n',
    'people/onboarding/week-2.md': '---\nnoIndex: true\nnoRobotsIndex: true\n---\n\nNo heading.\n',
    'people/onboarding/week-2/checklist.md': '# Checklist\n\n* [x] Laptop\n* [ ] Badge\n',
    'people/public-holidays.md': '# Public holidays\n',
    'offices/berlin.md':
      '---\ncover:\n  light: ../img/room.png\n  dark: https://img.example.com/night.png?w=1\n---\n\n# Berlin\n',
    'offices/sao-paulo.md': '# Sa\u0303o Paulo\n\nOlá.\n',
    'offices/remote.md': '# Remote\n',
    'offices/maps/city.png': png(4, 4),
    'policies/README.md': '# Policies\n\nAll of them.\n',
    'policies/privacy.md': '# Privacy & cookies\n',
    'policies/accidents.md': '# `rm -rf` and other \\*accidents\\*\n\nIt happens.\n',
    'policies/untitled.md': '# Named by its heading\n\nText.\n',
    'img/room.png': png(30, 20),
    'img/unused.png': png(3, 3),
  },
  outline: [
    'document Welcome :wave: | readme',
    'group People | people',
    '  document People | people/people',
    '  document Hiring | people/hiring',
    '  document Onboarding | people/onboarding',
    '    document Week one | people/onboarding/week-1',
    '    document Week two | people/onboarding/week-2',
    '      document Checklist | people/onboarding/week-2/checklist',
    '  link Hiring, again | people/hiring.md',
    '  document Interviews | people/interviews',
    '  group Holidays | people/holidays',
    '    document Public holidays | people/holidays/public-holidays',
    'group Offices | offices',
    '  document Berlin | offices/berlin',
    '  document São Paulo | offices/sao-paulo',
    'document Remote | remote',
    'link Empty folder | offices/maps/',
    'document Policies | policies',
    'document Privacy & cookies | privacy',
    'document rm -rf and other *accidents* | accidents',
    'link Ask us | mailto:people@example.com',
    'link Call us | tel:+491234567',
    'document Named by its heading | untitled',
    'group Dangerous | dangerous',
  ],
  assets: ['img/room.png'],
  problems: [
    'SUMMARY.md: "people/hiring.md" is listed more than once',
    'SUMMARY.md: people/holidays.md',
    'SUMMARY.md: offices/maps/',
    'SUMMARY.md: unsupported URL',
  ],
  texts: {
    'README.md': 'Good to have you.\n',
    'people/hiring.md': '<!-- # Draft title -->\n\nWe hire.\n',
    'people/onboarding/README.md': '# Your first weeks\n\nHello.\n',
    'people/onboarding/week-1.md': 'Meet people.\n',
    'offices/sao-paulo.md': 'Olá.\n',
    'policies/accidents.md': 'It happens.\n',
    'policies/untitled.md': 'Text.\n',
  },
  settings: {
    'people/README.md': { description: 'Who we are\nand how we work', emoji: '1f465' },
    'people/onboarding/week-1.md': { hidden: true, noIndex: false, noRobotsIndex: false },
    'people/onboarding/week-2.md': { hidden: false, noIndex: true, noRobotsIndex: true },
    'offices/berlin.md': {
      cover: { refDark: { kind: 'url', url: 'https://img.example.com/night.png?w=1' }, yPos: 0 },
    },
  },
  dimensions: { 'img/room.png': [30, 20] },
};
