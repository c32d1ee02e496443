import { fromHtml } from 'hast-util-from-html';
import { selectAll } from 'hast-util-select';
import { describe, expect, test } from 'vitest';
import type { components } from '../../../generated/schema.d.ts';
import type { Html } from '../../../server/contract/docs/html.ts';
import { resolveBindings } from '../../../server/platform/sites/reading/integrations/bindings.ts';
import {
  type ElementContext,
  MAX_BLOCK_ELEMENTS,
  MAX_ELEMENT_DEPTH,
} from '../../../server/platform/sites/reading/integrations/element-context.ts';
import { rootHtml, textsIn } from '../../../server/platform/sites/reading/integrations/elements.ts';
import { readInputs } from '../../../server/platform/sites/reading/integrations/inputs.ts';
import { textContent } from '../../support/sites/rendered.ts';

type Schemas = components['schemas'];
type RenderElement = Schemas['RenderElement'];

const contextOf = (state: Record<string, unknown> = {}): ElementContext => ({
  state,
  labels: { close: 'Close', apply: 'Apply', next: 'Next' },
  ownOrigins: ['http://localhost:3000'],
  texts: new Map(),
  options: new Map(),
  count: { elements: 0, frames: 0 },
  depth: 0,
  actions: [],
});

/** Renders elements of a block, and reads them as a browser does. */
function shown(elements: RenderElement[], state?: Record<string, unknown>) {
  const context = contextOf(state);
  return read(rootHtml({ type: 'block', children: elements }, context), context);
}

function read(html: Html, context: ElementContext) {
  const tree = fromHtml(html.text, { fragment: true });
  return {
    actions: context.actions,
    all: (selector: string) => selectAll(selector, tree),
    texts: (selector: string) => selectAll(selector, tree).map((node) => textContent(node).trim()),
  };
}

const text = (...children: Schemas['RenderInline'][]): RenderElement => ({ type: 'text', children });

describe('elements of a component', () => {
  test('have their layout, texts, links and images', () => {
    const { texts, all } = shown([
      {
        type: 'hstack',
        align: 'center',
        children: [
          {
            type: 'box',
            grow: 1,
            style: 'card',
            children: ['Plain', text('A ', { type: 'text', style: 'bold', children: ['B'] })],
          },
          {
            type: 'vstack',
            children: [
              { type: 'divider', style: 'line', size: 'large' },
              { type: 'hint', children: ['Mind'] },
            ],
          },
        ],
      },
      {
        type: 'card',
        title: 'Card',
        hint: [{ type: 'text', children: ['Note'] }],
        icon: 'anchor',
        onPress: { action: 'open' },
        children: [text({ type: 'link', target: { url: 'https://example.com/a' }, children: ['More'] })],
        buttons: [{ type: 'button', icon: 'anchor', tooltip: 'Fix', onPress: { action: 'fix' } }],
      },
      { type: 'image', source: { url: 'https://example.com/a.png' }, aspectRatio: 2 },
    ]);
    expect(texts('.block-hstack.align-center > .block-box.box-card.grow')).toEqual(['PlainA B']);
    expect(texts('strong')).toEqual(['B', 'Card']);
    expect(all('hr.space-large')).toHaveLength(1);
    expect(texts('.hint')).toEqual(['Mind']);
    expect(texts('.block-card .block-note')).toEqual(['Note']);
    expect(all('.block-card a')[0]?.properties).toMatchObject({
      href: 'https://example.com/a',
      target: '_blank',
      rel: ['noopener'],
    });
    expect(all('.block-card button').map(({ properties }) => properties.value)).toEqual(['0', '1']);
    expect(all('button[aria-label="Fix"] svg')).toHaveLength(1);
    expect(all('img')[0]?.properties).toMatchObject({ width: 1000, height: 500, alt: '' });
  });

  test('have only encrypted addresses, and those of this server', () => {
    const urls = [
      'javascript:1',
      'data:text/html,1',
      'http://example.com',
      '//example.com',
      'x',
      'ftp://example.com',
    ];
    const elements = (url: string): RenderElement[] => [
      text({ type: 'link', target: { url }, children: ['Link'] }),
      { type: 'image', source: { url }, aspectRatio: 1 },
      { type: 'webframe', source: { url } },
      { type: 'button', label: 'Open', onPress: { action: '@ui.url.open', url } },
      { type: 'card', title: 'Card', onPress: { action: '@ui.url.open', url } },
    ];
    expect(shown(urls.flatMap(elements)).all('[href], [src]')).toEqual([]);
    expect(shown(elements('https://example.com')).all('[href], [src]')).toHaveLength(5);
    expect(shown(elements('http://localhost:3000/x')).all('[href], [src]')).toHaveLength(5);
  });

  test('embed pages in an origin of their own, with the values that are bound to them', () => {
    const { all } = shown(
      [
        {
          type: 'webframe',
          source: { url: 'https://example.com' },
          data: { content: { $state: 'code' }, fixed: 'x' },
        },
      ],
      { code: 'a -> b' },
    );
    const [frame] = all('iframe');
    expect(frame?.properties.sandbox).not.toContain('allow-same-origin');
    expect(JSON.parse(String(frame?.properties.dataState))).toEqual({ content: 'a -> b', fixed: 'x' });
  });

  test('have no menu, which is for editors', () => {
    const context = contextOf();
    const controls: Schemas['BlockControl'][] = [
      { label: 'Refresh', onPress: { action: 'refresh' } },
      { label: 'Edit', onPress: { action: '@editor.node.updateProps', props: {} } },
    ];
    const children: Schemas['RenderElement'][] = [{ type: 'text', children: ['Shown'] }];
    expect(rootHtml({ type: 'block', children, controls }, context).text).toBe('<p>Shown</p>');
    expect(context.actions).toEqual([]);
  });

  test('show the current step of a stepper, and its button if the reader can continue', () => {
    const step = (id: string, next?: boolean): Schemas['StepElement'] => ({
      type: 'step',
      id,
      title: `Step ${id}`,
      children: [text(`In ${id}`)],
      ...(next !== undefined && { next }),
    });
    const stepper = (activeStep: string, next?: boolean) => {
      const context = contextOf();
      const steps: Schemas['StepperElement'] = {
        type: 'stepper',
        activeStep,
        onStepChange: { action: 'go' },
        onComplete: { action: 'done' },
        children: [step('a', next), step('b', next)],
      };
      return read(rootHtml({ type: 'configuration', children: [steps] }, context), context);
    };
    const second = stepper('b');
    expect(second.texts('li')).toEqual(['Step a', 'Step b']);
    expect(second.texts('.block-step p')).toEqual(['In b']);
    expect(second.actions).toMatchObject([{ action: { action: 'go', step: 'a' } }]);
    expect(stepper('a', true).texts('.block-button.primary')).toEqual(['Next']);
    expect(stepper('a', true).actions.at(-1)).toMatchObject({ action: { action: 'go', step: 'b' } });
    expect(stepper('b', true).texts('.block-button.primary')).toEqual(['Apply']);
    expect(stepper('b', true).actions.at(-1)).toMatchObject({ action: { action: 'done' } });
    expect(stepper('unknown', true).texts('.block-step, .block-button')).toEqual([]);
  });

  test('have hints and subtitles of text, of an element, and of several', () => {
    const bold = { type: 'text', style: 'bold', children: 'Mind' } as const;
    const link = { type: 'link', target: { url: 'https://example.com' }, children: 'the gap' } as const;
    const element: Schemas['RenderInput'] = { type: 'textinput', state: 'name' };
    const input = (hint: NonNullable<Schemas['InputElement']['hint']>): RenderElement => ({
      type: 'input',
      label: 'Name',
      element,
      hint,
    });
    const hints = ['Mind', bold, link, [bold, link]].map((hint) => shown([input(hint)]));
    expect(hints.map(({ texts }) => texts('.block-note'))).toEqual([
      ['Mind'],
      ['Mind'],
      ['the gap'],
      ['Mindthe gap'],
    ]);
    expect(hints.map(({ texts }) => texts('.block-note :is(strong, a)'))).toEqual([
      [],
      ['Mind'],
      ['the gap'],
      ['Mind', 'the gap'],
    ]);
    const image = { type: 'image', source: { url: 'https://example.com/a.png' }, aspectRatio: 1 } as const;
    expect(shown([{ type: 'card', hint: [image, bold] }]).all('.block-note > :is(img, strong)')).toHaveLength(
      2,
    );
    const context = contextOf();
    const modal = rootHtml({ type: 'modal', subtitle: [link], children: [] }, context);
    expect(read(modal, context).texts('.block-subtitle a')).toEqual(['the gap']);
  });

  test('have URLs in parts, Markdown and code that are bound to the state', () => {
    const host = 'example.com:8443';
    const target = { url: { host, pathname: '/a b', query: { q: { $state: 'query' }, fixed: 'x' } } };
    const { all, texts } = shown(
      [
        { type: 'link', target, children: ['Search'] },
        { type: 'link', target: { url: { host: 'localhost:3000', pathname: '/own' } }, children: 'Own' },
        { type: 'link', target: { url: { host: 'example.com/@', pathname: '/' } }, children: 'None' },
        { type: 'link', target: { url: { host: 'u@example.com', pathname: '/' } }, children: 'None' },
        { type: 'markdown', content: { $state: 'query' } },
        { type: 'codeblock', content: { $state: 'query' } },
      ],
      { query: 'a&b' },
    );
    expect(all('a').map(({ properties }) => properties.href)).toEqual([
      'https://example.com:8443/a%20b?q=a%26b&fixed=x',
      'http://localhost:3000/own',
    ]);
    expect(texts('p').at(-1)).toBe('a&b');
    expect(texts('pre')).toEqual(['a&b']);
  });

  test('have limits', () => {
    const many = shown(Array.from({ length: MAX_BLOCK_ELEMENTS + 100 }, () => text('x')));
    expect(many.all('p').length).toBeLessThanOrEqual(MAX_BLOCK_ELEMENTS);
    let nested: RenderElement = text('deep');
    for (let depth = 0; depth < MAX_ELEMENT_DEPTH + 5; depth++) {
      nested = { type: 'vstack', children: [nested] };
    }
    expect(shown([nested, text('shown')]).texts('p')).toEqual(['shown']);
  });

  test('name the texts to render, with a fence that code cannot end', () => {
    const root: Schemas['RenderRoot'] = {
      type: 'block',
      children: [
        { type: 'box', children: [{ type: 'markdown', content: '**a**' }] },
        { type: 'codeblock', content: 'a\n```\nb', syntax: 'js' },
        { type: 'codeblock', content: '', syntax: 'js\n# x', state: 'edited' },
        { type: 'markdown', content: { $state: 'note' } },
        { type: 'codeblock', content: { $state: 'note' } },
      ],
    };
    expect(textsIn(root, { note: 'N' })).toEqual(['**a**', '````js\na\n```\nb\n````', 'N', '```\nN\n```']);
  });

  test('has code with any number of runs of backticks', () => {
    const content = '` '.repeat(130_000);
    expect(textsIn({ type: 'block', children: [{ type: 'codeblock', content }] }, {})).toEqual([
      `\`\`\`\n${content}\n\`\`\``,
    ]);
  });
});

describe('inputs of a component', () => {
  const inputs: RenderElement[] = [
    { type: 'textinput', state: 'name', initialValue: 'Ada' },
    { type: 'textinput', state: 'secret', inputType: 'password', initialValue: 'x' },
    { type: 'textinput', state: 'text', multiline: true },
    { type: 'select', state: 'one', options: [{ id: 'a', label: 'A' }], initialValue: 'a' },
    {
      type: 'select',
      state: 'all',
      multiple: true,
      options: [
        { id: 'a', label: 'A' },
        { id: 'b', label: 'B' },
      ],
      onValueChange: { action: 'filter' },
    },
    { type: 'switch', state: 'on' },
    { type: 'radio', state: 'size', value: 2 },
    {
      type: 'checkbox',
      state: 'agreed',
      value: 'yes',
      onValueChange: { action: 'agree' },
      confirm: { title: 'T', text: 't', confirm: 'OK' },
    },
  ];

  test('show the state, and offer an action for each change', () => {
    const { all, actions, texts } = shown(inputs, {
      name: '<Bob>',
      all: ['b'],
      on: true,
      size: 2,
      agreed: 'yes',
    });
    expect(all('input[name="text:name"]')[0]?.properties.value).toBe('<Bob>');
    expect(all('input[type="password"]')[0]?.properties.value).toBe('');
    expect(texts('option[selected]')).toEqual(['A', 'B']);
    expect(all('input[checked]')).toHaveLength(3);
    expect(texts('.block-apply')).toEqual(['Apply', 'Apply']);
    expect(actions).toMatchObject([
      { action: { action: 'filter' } },
      { action: { action: 'agree' }, confirm: { title: 'T' } },
    ]);
  });

  test('can be disabled, require a confirmation, and accept a value that is no option', () => {
    const confirm = { title: 'T', text: 't', confirm: 'OK' };
    const options = [{ id: 'a', label: 'A' }];
    const { all, actions } = shown(
      [
        { type: 'select', state: 'off', options, disabled: true },
        { type: 'select', state: 'any', options, acceptInput: true },
        { type: 'select', state: 'specs', options: { source: 'openapi' } },
        { type: 'switch', state: 'on', disabled: true },
        { type: 'radio', state: 'size', value: 1, disabled: true },
        { type: 'radio', state: 'size', value: 2, onValueChange: { action: 'resize' }, confirm },
        { type: 'button', label: 'Go', trailingIcon: 'anchor', onPress: { action: 'go' } },
      ],
      { any: 'typed' },
    );
    expect(all('[disabled]').map(({ properties }) => properties.name)).toEqual([
      'select:off',
      'switch:on',
      'switch:on',
      'radio:size',
    ]);
    expect(all('input[list]')[0]?.properties).toMatchObject({ name: 'select:any', value: 'typed' });
    expect(all('datalist option')).toHaveLength(1);
    expect(all('.block-button > svg:last-child')).toHaveLength(1);
    expect(actions[0]).toEqual({ action: { action: 'resize' }, confirm });
  });

  test('open only what is an address, and only with the fields of the action', () => {
    const { all, actions } = shown([{ type: 'button', label: 'Open', onPress: { action: '@ui.url.open' } }]);
    expect(all('a')).toEqual([]);
    expect(actions).toEqual([{ action: { action: '@ui.url.open' } }]);
  });

  test('are read from the form that they send', () => {
    const form = new URLSearchParams([
      ['text:name', 'Eve'],
      ['select:one', 'a'],
      ['multi:all', 'a'],
      ['multi:all', 'b'],
      ['switch:on', ''],
      ['switch:on', 'true'],
      ['radio:size', '2'],
      ['check:agreed', ''],
      ['check:agreed', '"yes"'],
      ['check:off', ''],
      ['check:list', ''],
      ['check:list', ''],
      ['check:list', '1'],
    ]);
    expect(readInputs(form, { kept: 1 })).toEqual({
      kept: 1,
      name: 'Eve',
      one: 'a',
      all: ['a', 'b'],
      on: true,
      size: 2,
      agreed: 'yes',
      off: null,
      list: [1],
    });
  });

  test('add nothing else to the state', () => {
    const form = new URLSearchParams([
      ['text:__proto__', 'x'],
      ['other:name', 'x'],
      ['session', 'x'],
      ['radio:size', '{"a":1}'],
      ['radio:bad', 'not JSON'],
    ]);
    expect(readInputs(form, {})).toEqual({ size: undefined, bad: undefined });
  });

  test('are bound to actions', () => {
    const action = { action: 'save', values: [{ $state: 'name' }, 'x'], missing: { $state: 'toString' } };
    expect(resolveBindings(action, { name: 'Ada' })).toEqual({
      action: 'save',
      values: ['Ada', 'x'],
      missing: undefined,
    });
  });

  test('that change the page are disabled for visitors', () => {
    const { all } = shown([
      { type: 'button', label: 'Edit', onPress: { action: '@editor.node.updateProps', props: {} } },
      { type: 'button', label: 'Off', onPress: { action: 'x' }, disabled: true },
    ]);
    expect(all('button[disabled]')).toHaveLength(2);
  });
});
