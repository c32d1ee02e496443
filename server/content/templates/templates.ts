import type { Template } from './types.ts';

/**
 * The templates of this server. Their texts are in folders next to this file; `{{name}}` marks where the reference of
 * a parameter is inserted. New templates must also be added to the contract (TemplateChoice).
 */
export const TEMPLATES: readonly Template[] = [
  {
    id: 'tpl_product_guide',
    folder: 'product-guide',
    parameters: { logo: { kinds: ['file', 'url'] } },
    pages: [
      {
        ref: 'welcome',
        title: 'Welcome',
        emoji: '👋',
        description: 'What the product does, and where to start.',
      },
      {
        ref: 'getting-started',
        title: 'Getting started',
        emoji: '🚀',
        description: 'From nothing to a first result.',
        pages: [
          { ref: 'install', title: 'Install' },
          { ref: 'first-steps', title: 'First steps' },
        ],
      },
      { ref: 'concepts', title: 'Concepts', description: 'The words that the other pages use.' },
      { ref: 'how-to', title: 'How to …', description: 'One task a page.' },
      { ref: 'troubleshooting', title: 'Troubleshooting', emoji: '🛠️' },
    ],
    files: [{ ref: 'overview', name: 'overview.svg' }],
  },
  {
    id: 'tpl_api_reference',
    folder: 'api-reference',
    parameters: { specification: { kinds: ['openapi'] } },
    pages: [
      { ref: 'introduction', title: 'Introduction', description: 'What the API is for, and a first call.' },
      { ref: 'authentication', title: 'Authentication', emoji: '🔑' },
      { ref: 'errors', title: 'Errors' },
      { ref: 'lists', title: 'Lists' },
      { title: 'Reference', specification: 'specification' },
      { ref: 'changes', title: 'Changes' },
    ],
    files: [],
  },
  {
    id: 'tpl_handbook',
    folder: 'handbook',
    parameters: {},
    pages: [
      {
        ref: 'start',
        title: 'Start here',
        emoji: '🏠',
        description: 'What the team does, and who is in it.',
      },
      {
        ref: 'work',
        title: 'How we work',
        pages: [
          { ref: 'meetings', title: 'Meetings' },
          { ref: 'decisions', title: 'Decisions', description: 'What was decided, by whom, and why.' },
        ],
      },
      {
        ref: 'people',
        title: 'People',
        pages: [
          { ref: 'first-week', title: 'The first week' },
          { ref: 'time-off', title: 'Time off' },
        ],
      },
    ],
    files: [],
  },
  {
    id: 'tpl_release_notes',
    folder: 'release-notes',
    parameters: {},
    pages: [
      { ref: 'latest', title: 'Release notes', emoji: '📣', description: 'What is new, the latest first.' },
      { ref: 'upgrade', title: 'Upgrading' },
    ],
    files: [],
  },
];
