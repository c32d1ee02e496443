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
        description: 'Overview of the product, and first steps.',
      },
      {
        ref: 'getting-started',
        title: 'Getting started',
        emoji: '🚀',
        description: 'Installation, and a first result.',
        pages: [
          { ref: 'install', title: 'Install' },
          { ref: 'first-steps', title: 'First steps' },
        ],
      },
      { ref: 'concepts', title: 'Concepts', description: 'Definitions of the terms on the other pages.' },
      { ref: 'how-to', title: 'How to …', description: 'Instructions, one task per page.' },
      { ref: 'troubleshooting', title: 'Troubleshooting', emoji: '🛠️' },
    ],
    files: [{ ref: 'overview', name: 'overview.svg' }],
  },
  {
    id: 'tpl_api_reference',
    folder: 'api-reference',
    parameters: { specification: { kinds: ['openapi'] } },
    pages: [
      { ref: 'introduction', title: 'Introduction', description: 'Purpose of the API, and a first call.' },
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
        description: 'Tasks and members of the team.',
      },
      {
        ref: 'work',
        title: 'How we work',
        pages: [
          { ref: 'meetings', title: 'Meetings' },
          { ref: 'decisions', title: 'Decisions', description: 'Decisions, with authors and reasons.' },
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
      {
        ref: 'latest',
        title: 'Release notes',
        emoji: '📣',
        description: 'Changes in each release, newest first.',
      },
      { ref: 'upgrade', title: 'Upgrading' },
    ],
    files: [],
  },
];
