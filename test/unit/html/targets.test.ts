import { expect, test } from 'vitest';
import { renderTargets } from '../../../server/content/html/targets.ts';
import type { ResolvedReference } from '../../../server/content/links/page-references.ts';
import type { Target } from '../../../server/content/links/resolve.ts';
import { rendered } from '../../support/sites/rendered.ts';

const createdAt = '2026-01-01T00:00:00.000Z';

const page: Target = {
  kind: 'page',
  page: {
    record: {
      type: 'document',
      id: 'p1',
      parent: null,
      documentId: 'd1',
      title: 'Ports',
      slug: 'ports',
      description: 'Where to moor',
      icon: 'anchor',
    },
    path: 'ports',
  },
};

const image: Target = {
  kind: 'file',
  file: {
    id: 'f1',
    name: 'boat.png',
    contentType: 'image/png',
    createdAt,
    blob: 'b',
    size: 10,
    dimensions: { width: 40, height: 20 },
  },
};

const references: ResolvedReference[] = [
  { written: 'ports.md', ref: { kind: 'page', page: 'p1' }, target: page },
  { written: 'boat.png', ref: { kind: 'file', file: 'f1' }, target: image },
  {
    written: '#Set-Up',
    ref: { kind: 'anchor', anchor: 'Set-Up' },
    target: { kind: 'anchor', anchor: 'Set-Up' },
  },
  {
    written: 'user:u1',
    ref: { kind: 'user', user: 'u1' },
    target: { kind: 'external', address: { kind: 'user', user: 'u1' } },
  },
];

test('resolved references become targets with titles, dimensions and addresses', () => {
  const targets = renderTargets(references, ({ written, ref }) => ({
    url: ref.kind === 'user' ? undefined : `/site/${written}`,
    title: 'Ada',
  }));
  const view = rendered(
    '[](ports.md) [below](#Set-Up) <a data-mention href="user:u1">u</a>\n\n![a](boat.png)\n\n## Setup',
    {
      targets,
    },
  );
  expect(view.text('a[href="/site/ports.md"]')).toBe('Ports');
  expect(view.find('p a[href="#setup"]').properties.href).toBe('#setup');
  expect(view.text('span.mention')).toBe('Ada');
  expect(view.find('img').properties).toMatchObject({ src: '/site/boat.png', width: 40, height: 20 });
});
