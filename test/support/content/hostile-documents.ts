/** Documents with hostile texts in every place, as arbitrary values. */
import fc from 'fast-check';
import type { Block, InlineNode, Reference } from '../../../server/content/markdown/document.ts';

/** Texts that are markup, scripts or other schemes if they are inserted without care. */
export const hostileText = fc.oneof(
  fc.string({ maxLength: 12 }),
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.constantFrom(
    '<script>alert(1)</script>',
    '"><img src=x onerror=alert(1)>',
    "' onmouseover='alert(1)",
    'javascript:alert(1)',
    ' jAvA\tscript:alert(1)',
    '\u0001javascript:alert(1)',
    'data:text/html,<script>alert(1)</script>',
    'vbscript:x',
    'file:///etc/passwd',
    'blob:https://example.com/x',
    '//example.com/x',
    'https://example.com/"onclick="x',
    '</pre></code><svg onload=alert(1)>',
    '<!-- -->',
    ']]>',
    '&lt;b&gt;',
    '\0<\ud800>',
    'color:red;background:url(javascript:x)',
    '#ff0000',
    '../../etc/passwd',
    'fa-anchor',
    'info',
    'GET /<b>',
    'true',
    '\\href{javascript:alert(1)}{x}',
    '\\htmlStyle{color:red}{x} \\fcolorbox{red}{blue}{$x$} \\includegraphics{x}',
    '\\frac{1}{2}^\\color{"><b>}',
    'نص',
  ),
);

/** Type of a node that the contract does not define. */
const hostileType = '"><script>';

const reference: fc.Arbitrary<Reference> = fc.oneof(
  hostileText.map((url) => ({ kind: 'url' as const, url })),
  hostileText.map((page) => ({ kind: 'page' as const, page })),
  hostileText.map((anchor) => ({ kind: 'anchor' as const, anchor })),
  fc.tuple(hostileText, hostileText).map(([user, href]) => ({ kind: 'user' as const, user, href })),
);

const leaf = fc.record({
  object: fc.constant('leaf'),
  text: hostileText,
  marks: fc.array(
    fc.oneof(
      fc
        .constantFrom('bold', 'italic', 'code', 'keyboard', 'superscript')
        .map((type) => ({ object: 'mark', type })),
      fc.record({
        object: fc.constant('mark'),
        type: fc.constant('color'),
        data: fc.record({ text: hostileText, background: hostileText }),
      }),
    ),
    { maxLength: 2 },
  ),
});
const textNode = fc.record({ object: fc.constant('text'), leaves: fc.array(leaf, { maxLength: 3 }) });
const optional = fc.option(hostileText, { nil: undefined });

const voidInline = (type: string, data: fc.Arbitrary<object>) =>
  fc.record({
    object: fc.constant('inline'),
    type: fc.constant(type),
    isVoid: fc.constant(true),
    data,
    nodes: fc.constant([]),
  });

const voidBlock = (type: string, data: fc.Arbitrary<object>) =>
  fc.record({
    object: fc.constant('block'),
    type: fc.constant(type),
    isVoid: fc.constant(true),
    data,
    nodes: fc.constant([]),
  });

const { blocks, inlines } = fc.letrec<{ blocks: unknown[]; block: unknown; inlines: unknown[] }>((tie) => {
  const inlineParent = (type: string, data: fc.Arbitrary<object>) =>
    fc.record({
      object: fc.constant('inline'),
      type: fc.constant(type),
      isVoid: fc.constant(false),
      data,
      nodes: tie('inlines'),
    });
  const parent = (type: string, data: fc.Arbitrary<object>, nodes: fc.Arbitrary<unknown> = tie('blocks')) =>
    fc.record({
      object: fc.constant('block'),
      type: fc.constant(type),
      isVoid: fc.constant(false),
      data,
      nodes,
    });
  const items = (type: string, data: fc.Arbitrary<object>) =>
    fc.array(parent(type, data), { minLength: 1, maxLength: 2 });
  const align = fc.constantFrom('start', 'center', 'end', undefined);
  const image = voidBlock(
    'image',
    fc.record({
      ref: reference,
      refDark: reference,
      alt: optional,
      caption: tie('inlines'),
      width: optional,
      height: optional,
    }),
  );
  const column = fc.record({
    id: fc.constant('c'),
    title: tie('inlines'),
    type: fc.constantFrom('text', 'checkbox', 'select', 'content-ref'),
    align,
    options: fc.array(fc.record({ id: hostileText, label: hostileText, color: hostileText }), {
      maxLength: 2,
    }),
    card: fc.constantFrom(undefined, 'target', 'cover'),
  });
  return {
    inlines: fc.array(
      fc.oneof(
        { maxDepth: 3, depthSize: 'small' },
        textNode,
        inlineParent('link', fc.record({ ref: reference, title: optional })),
        inlineParent('annotation', fc.record({ body: tie('blocks') })),
        inlineParent('span', fc.record({ option: optional })),
        voidInline('emoji', fc.record({ code: hostileText })),
        voidInline('icon', fc.record({ icon: hostileText, color: hostileText })),
        voidInline('expression', fc.record({ expression: hostileText })),
        voidInline('inline-math', fc.record({ formula: hostileText })),
        voidInline('inline-image', fc.record({ ref: reference, alt: optional, title: optional })),
        voidInline('mention', fc.record({ ref: reference })),
        voidInline(
          'button',
          fc.record({ ref: reference, kind: hostileText, icon: optional, label: hostileText }),
        ),
        voidInline('anchor', fc.record({ id: hostileText })),
        voidInline(hostileType, fc.record({ value: hostileText })),
      ),
      { maxLength: 3 },
    ),
    blocks: fc.array(tie('block'), { maxLength: 3 }),
    block: fc.oneof(
      { maxDepth: 3, depthSize: 'small' },
      parent('paragraph', fc.record({ align }), tie('inlines')),
      parent('heading-1', fc.record({ id: optional, align }), tie('inlines')),
      parent('list-ordered', fc.record({ start: fc.nat() }), items('list-item', fc.constant({}))),
      parent('list-tasks', fc.constant({}), items('list-item', fc.record({ checked: fc.boolean() }))),
      parent('blockquote', fc.constant({})),
      parent('hint', fc.record({ style: hostileText, icon: optional })),
      parent('images', fc.record({ align }), fc.array(image, { maxLength: 2 })),
      parent(
        'code',
        fc.record({
          syntax: fc.oneof(hostileText, fc.constantFrom('js', 'html', 'css')),
          title: optional,
          lineNumbers: fc.boolean(),
        }),
        fc.array(
          fc.record({
            type: fc.constant('code-line'),
            data: fc.record({ highlighted: fc.boolean() }),
            nodes: fc.tuple(textNode, inlineParent('annotation', fc.record({ body: tie('blocks') }))),
          }),
          { maxLength: 3 },
        ),
      ),
      parent('tabs', fc.constant({}), items('tabs-item', fc.record({ title: hostileText, icon: optional }))),
      parent('stepper', fc.constant({}), items('stepper-step', fc.constant({}))),
      parent('columns', fc.constant({}), items('column', fc.record({ width: optional }))),
      parent(
        'updates',
        fc.record({ format: optional }),
        items('update', fc.record({ date: optional, tags: fc.array(hostileText) })),
      ),
      parent('prompt', fc.record({ description: optional, icon: optional })),
      parent('tag', fc.record({ name: hostileText, content: optional, paired: fc.boolean() })),
      voidBlock('file', fc.record({ ref: reference, caption: tie('inlines') })),
      voidBlock('drawing', fc.record({ ref: reference })),
      voidBlock('embed', fc.record({ url: hostileText })),
      voidBlock('content-ref', fc.record({ ref: reference, title: tie('inlines') })),
      voidBlock('math', fc.record({ formula: hostileText })),
      voidBlock('expandable', fc.record({ title: tie('inlines'), body: tie('blocks') })),
      voidBlock(
        'openapi-operation',
        fc.record({ spec: hostileText, path: hostileText, method: hostileText }),
      ),
      voidBlock(
        'integration',
        fc.record({ integration: hostileText, block: hostileText, props: fc.record({ a: hostileText }) }),
      ),
      voidBlock(hostileType, fc.record({ value: hostileText })),
      fc
        .tuple(fc.constantFrom('grid', 'cards'), column, column, tie('blocks'), tie('blocks'))
        .map(([type, a, b, first, second]) => ({
          object: 'block',
          type: 'table',
          isVoid: true,
          data: {
            view: { type, columns: ['a', 'b'] },
            definition: { a: { ...a, id: 'a' }, b: { ...b, id: 'b' } },
            records: { r: { orderIndex: '1', values: { a: first, b: second } } },
          },
          nodes: [],
        })),
    ),
  };
});

// The values have the types of the contract, apart from texts where it has names.
export const hostileBlocks = blocks as fc.Arbitrary<Block[]>;
export const hostileInlines = inlines as fc.Arbitrary<InlineNode[]>;
