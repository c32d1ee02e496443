/** A published site with everything that a site can show: sections, a group, variants, links, and every block. */
import { ok } from '../../../client/platform/index.ts';
import { computedEntry } from '../content/computed-pages.ts';
import { EVERY_BLOCK } from '../content/every-block.ts';
import { arabicHandbook, handbook, japaneseHandbook } from '../content/published-content.ts';
import { createSpecification } from '../content/specifications.ts';
import type { GitServer } from '../git/git-server.ts';
import { png } from '../pdf/pngs.ts';
import type { TestServer } from '../server.ts';
import { publishSite, spaceFrom } from './published-site.ts';
import { TestSite } from './site-structure.ts';

const API = `openapi: 3.1.0
info: { title: Payments, version: '2.1', description: 'Create, capture and refund payments.' }
servers: [{ url: 'https://api.example.com/v2' }]
tags: [{ name: Payments, description: Money that moves from a customer to you. }]
paths:
  /payments:
    get:
      tags: [Payments]
      summary: List payments
      description: 'Lists payments, *newest first*.'
      parameters:
        - { name: status, in: query, description: Only payments with this status., schema: { type: string, enum: [pending, captured, refunded] } }
        - { name: limit, in: query, description: Maximum number of payments., schema: { type: integer, maximum: 100, default: 20 } }
      responses:
        '200':
          description: The payments.
          content: { application/json: { schema: { type: array, items: { $ref: '#/components/schemas/Payment' } } } }
        '401': { description: The key is invalid. }
    post:
      tags: [Payments]
      summary: Create a payment
      requestBody:
        required: true
        content: { application/json: { schema: { $ref: '#/components/schemas/Payment' } } }
      responses:
        '201': { description: The payment that was created., content: { application/json: { schema: { $ref: '#/components/schemas/Payment' } } } }
        '402': { description: The card was declined. }
components:
  schemas:
    Payment:
      type: object
      required: [amount, currency]
      properties:
        amount: { type: integer, description: Amount in the smallest unit of the currency. }
        currency: { type: string, description: ISO 4217 code., example: eur }
        metadata: { type: object, additionalProperties: { type: string } }
`;

/** Titles of sections that do not fit next to each other. */
const FURTHER = ['Changelog', 'Integrations', 'Security', 'Compliance', 'Partners', 'Support'];

/** Creates and publishes the site. */
export async function publishDemonstration(
  server: TestServer,
  git: GitServer,
): Promise<{ url: string; blocks: string; operation: string }> {
  const { client } = server.admin;
  await createSpecification(server.admin, server.organization, 'payments', { text: API });
  const spaces: string[] = [];
  for (const [title, files, language] of [
    ['English', handbook(), 'en'],
    ['العربية', arabicHandbook(), 'ar'],
    ['日本語', japaneseHandbook(), 'ja'],
    ['Blocks', everyBlock(), 'en'],
    [
      'Reference',
      {
        'README.md': '# Overview\n\nAll operations.\n',
        'SUMMARY.md': `* [Overview](README.md)\n${computedEntry('payments', { title: 'Payments' })}`,
      },
      'en',
    ],
  ] as const) {
    spaces.push((await spaceFrom(server, git, title, files, language)).space.id);
  }
  const [english = '', arabic = '', japanese = '', blocks = '', reference = ''] = spaces;
  const { id } = await publishSite(server, { title: 'Meridian' });
  const site = new TestSite(server, id);
  const guides = await ok(site.addSection(english, 'Guides'));
  await ok(site.addSpace(arabic, guides.id));
  await ok(site.addSpace(japanese, guides.id));
  const api = await ok(site.addSection(reference, 'API reference'));
  const every = await ok(site.addSection(blocks, 'Blocks'));
  for (const title of FURTHER) {
    await ok(site.addSection(english, title));
  }
  await ok(site.addGroup('Developers', [api.id, every.id]));
  await ok(
    site.updateSection(api.id, { icon: 'code', description: 'Every operation, with its parameters.' }),
  );
  await ok(site.updateSection(guides.id, { icon: 'book-open' }));
  const path = '/v1/orgs/{organizationId}/sites/{siteId}/customization';
  const before = await ok(client.GET(path, site.path({})));
  const link = (title: string, url = 'https://example.com/') => ({
    title,
    to: { kind: 'url', url } as const,
  });
  await ok(
    client.PUT(path, {
      ...site.path({}),
      body: {
        ...before,
        announcement: {
          enabled: true,
          message: 'Version 2.1 settles in a day.',
          style: 'info',
          link: link('Read more'),
        },
        header: {
          ...before.header,
          links: [
            link('Status'),
            { ...link('Community'), links: [link('Forum'), link('Chat')] },
            { ...link('Sign in'), style: 'button-secondary' },
            { ...link('Start now'), style: 'button-primary' },
          ],
        },
        footer: {
          copyright: '© 2026 Meridian',
          groups: [
            { title: 'Product', links: [link('Pricing'), link('Changelog')] },
            { title: 'Company', links: [link('About'), link('Careers')] },
          ],
        },
        privacyPolicy: { url: 'https://example.com/privacy' },
      },
    }),
  );
  const { urls } = await site.read();
  const url = urls.published ?? '';
  return { url, blocks: `${url}/blocks`, operation: `${url}/api-reference/payments/payments` };
}

/** A repository with a page of every block, and what it refers to. */
const everyBlock = (): Record<string, string | Uint8Array> => ({
  'README.md': `---\ncover: wide.png\ndescription: Every block that a page can have.\n---\n\n# Blocks\n\n${EVERY_BLOCK.replaceAll('spec="boats" path="/boats"', 'spec="payments" path="/payments"')}`,
  'ports.md': '---\ndescription: Where to moor.\n---\n\n# Ports\n\nThe ports of the bay.\n',
  'reusable.md': 'Text that several pages include.\n',
  'boat.png': png(1200, 600),
  'light.png': png(640, 400),
  'dark.png': png(640, 400),
  'wide.png': png(1600, 900),
  'manual.pdf': '%PDF-1.4\n',
  'plan.svg':
    '<svg xmlns="http://www.w3.org/2000/svg" width="64" height="36"><rect width="64" height="36" fill="#39c"/></svg>',
  'SUMMARY.md': '* [Blocks](README.md)\n* [Ports](ports.md)\n',
});
