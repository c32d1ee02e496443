import fc from 'fast-check';
import { fromHtml } from 'hast-util-from-html';
import { describe, expect, test } from 'vitest';
import { ATTRIBUTES, ELEMENTS, MATH_ATTRIBUTES, MATH_ELEMENTS } from '../../../server/content/html/markup.ts';
import type { RenderedPage, RenderTarget } from '../../../server/content/html/options.ts';
import { renderHtml } from '../../../server/content/html/render.ts';
import {
  type Block,
  type InlineNode,
  parent,
  plainText,
  voidBlock,
} from '../../../server/content/markdown/document.ts';
import { hostileBlocks, hostileInlines, hostileText } from '../../support/content/hostile-documents.ts';
import { runs } from '../../support/seed.ts';
import { elementsIn, renderedBlocks, textContent } from '../../support/sites/rendered.ts';

const key = (name: string): string => name.replaceAll('-', '').toLowerCase();
const ALLOWED_ELEMENTS = new Set<string>([...ELEMENTS, ...MATH_ELEMENTS]);
const ALLOWED_ATTRIBUTES = new Set([...ATTRIBUTES, ...MATH_ATTRIBUTES, 'href', 'src'].map(key));
const SCHEMES = new Set(['http:', 'https:', 'mailto:', 'tel:']);

/** Lists what a rendered page must not contain. */
function violations({ html }: RenderedPage): string[] {
  const found: string[] = [];
  for (const { tagName, properties } of elementsIn(fromHtml(html, { fragment: true }))) {
    if (!ALLOWED_ELEMENTS.has(tagName)) {
      found.push(`<${tagName}>`);
    }
    for (const [name, value] of Object.entries(properties)) {
      if (!ALLOWED_ATTRIBUTES.has(name === 'className' ? 'class' : key(name))) {
        found.push(`${tagName} ${name}`);
      }
      if (
        (name === 'href' || name === 'src') &&
        !SCHEMES.has(new URL(String(value), 'https://base.example').protocol)
      ) {
        found.push(`${tagName} ${name}=${value}`);
      }
      if (
        name === 'className' &&
        !(Array.isArray(value) && value.every((entry) => /^[a-z][a-z\d-]*$/.test(String(entry))))
      ) {
        found.push(`${tagName} class=${value}`);
      }
    }
  }
  return found;
}

describe('whatever authors write', () => {
  test('no element, attribute or address outside of the allowed ones occurs', () => {
    fc.assert(
      fc.property(
        hostileBlocks,
        fc.dictionary(hostileText, hostileText),
        hostileText,
        (nodes, addresses, language) => {
          const targets = new Map<string, RenderTarget>(
            Object.entries(addresses).map(([written, url]) => [
              written,
              { kind: 'file', title: url, url, icon: url, emoji: url, contentType: 'image/png', bytes: 1 },
            ]),
          );
          expect(violations(renderHtml({ nodes }, { targets, language }))).toEqual([]);
        },
      ),
      { numRuns: runs(600) },
    );
  });

  test('the markup is closed where it was opened', () => {
    fc.assert(
      fc.property(hostileBlocks, (nodes) => {
        const { html } = renderHtml({ nodes });
        const { children } = fromHtml(`${html}<p id="after"></p>`, { fragment: true });
        expect(children).toMatchObject([{ tagName: 'div' }, { tagName: 'p', properties: { id: 'after' } }]);
      }),
      { numRuns: runs(200) },
    );
  });

  test('texts are preserved', () => {
    const visible = (text: string) => text.toWellFormed().replaceAll('\0', '\ufffd').replace(/\r\n?/g, '\n');
    const leaves = (nodes: readonly InlineNode[]): string[] =>
      nodes.flatMap((node) =>
        node.object === 'text'
          ? node.leaves.flatMap(({ text }) => text.split('\n'))
          : node.type === 'link'
            ? leaves(node.nodes)
            : [],
      );
    fc.assert(
      fc.property(hostileInlines, fc.array(hostileText), (nodes, lines) => {
        const code = lines.flatMap((line) => line.split('\n'));
        const page = renderedBlocks([
          parent('paragraph', {}, [plainText('x'), ...nodes]),
          parent(
            'code',
            { syntax: 'js' },
            code.map((line) => parent('code-line', {}, [plainText(line)])),
          ),
        ]);
        const content = textContent(page.tree);
        for (const text of leaves(nodes)) {
          expect(content).toContain(visible(text));
        }
        expect(page.text('pre code')).toBe(visible(code.join('\n')));
      }),
      { numRuns: runs(300) },
    );
  });

  test.each([
    'script',
    'style',
    'iframe',
    'object',
    'embed',
    'form',
    'base',
    'link',
    'meta',
    'foreignObject',
  ])('the element %s is not among the allowed ones', (name) => {
    expect(ALLOWED_ELEMENTS).not.toContain(name);
  });

  test('neither styles nor handlers are among the allowed attributes', () => {
    expect([...ALLOWED_ATTRIBUTES].filter((name) => /^on|^style$|^srcdoc$|^formaction$/.test(name))).toEqual(
      [],
    );
  });

  test.each([
    'javascript:alert(1)',
    ' \u0001JavaScript:alert(1)',
    'java\nscript:alert(1)',
    'data:image/svg+xml,<svg/>',
    'vbscript:x',
    'file:///etc/passwd',
  ])('the address %j is not linked', (url) => {
    const targets = new Map<string, RenderTarget>([[url, { kind: 'url', title: 'x', url }]]);
    const page = renderedBlocks(
      [voidBlock('embed', { url }), voidBlock('content-ref', { ref: { kind: 'url', url } })],
      { targets },
    );
    expect(page.all('a')).toEqual([]);
  });

  test('a page that would be too large ends with a note', () => {
    const nodes = Array.from({ length: 200_000 }, () => parent('paragraph', {}, [plainText('word')]));
    const page = renderedBlocks(nodes);
    expect(page.text('.truncated')).toMatch(/too large/);
    expect(page.html.length).toBeLessThan(4_000_000);
  });

  test('blocks that are nested too deeply are text', () => {
    let block: Block = parent('paragraph', {}, [plainText('deep')]);
    for (let depth = 0; depth < 300; depth++) {
      block = parent('blockquote', {}, [block]);
    }
    expect(renderHtml({ nodes: [block] }).html).toContain('deep');
  });
});
