import { describe, expect, test } from 'vitest';
import { contractResult } from '../../../server/platform/integrations/calls/element-forms.ts';
import { readRenderResult } from '../../../server/platform/integrations/calls/render-result.ts';

const result = (element: unknown, more: object = {}) => ({
  type: 'element',
  element,
  state: {},
  props: {},
  ...more,
});
const read = (value: unknown) =>
  readRenderResult({
    status: 200,
    headers: new Headers(),
    logs: [],
    body: Buffer.from(JSON.stringify(value)),
  });

describe('the result of a script', () => {
  test('without a type is an element, and decides nothing about the claims of visitors', () => {
    const { type: _, ...untyped } = result({ type: 'block', children: [] }, { canAccessVisitorClaims: true });
    expect(read(untyped)).toEqual(result({ type: 'block', children: [] }));
  });

  test('has no values of conditions, no nested lists and no numbers among its elements', () => {
    const text = (...children: unknown[]) => ({ type: 'text', children });
    const written = {
      type: 'block',
      controls: [
        false,
        { label: 'A', onPress: { action: 'a' } },
        [null, { label: 'B', onPress: { action: 'b' } }],
      ],
      children: [
        null,
        true,
        [text(1, ' of ', false, [2])],
        { type: 'vstack', children: [['Plain'], ' ', [[text('x')]]] },
        { type: 'card', hint: false, icon: null, children: [0], buttons: [false] },
        { type: 'input', label: 'L', hint: text(3), element: { type: 'textinput', state: 's' } },
      ],
    };
    expect(read(result(written))).toEqual(
      result({
        type: 'block',
        controls: [{ label: 'A', onPress: { action: 'a' } }, [{ label: 'B', onPress: { action: 'b' } }]],
        children: [
          text('1', ' of ', '2'),
          { type: 'vstack', children: [text('Plain'), text('x')] },
          { type: 'card', children: ['0'], buttons: [] },
          { type: 'input', label: 'L', hint: text('3'), element: { type: 'textinput', state: 's' } },
        ],
      }),
    );
  });

  test('keeps its state, its properties, and the data of its actions and frames', () => {
    const data = { children: [null, 1, ['x']], hint: false, ['__proto__']: { polluted: true } };
    const element = {
      type: 'block',
      children: [
        { type: 'button', onPress: { action: 'a', data } },
        { type: 'webframe', source: { url: 'https://example.com' }, data: { children: 'x' } },
      ],
    };
    const value = result(element, { state: data, props: data });
    expect(contractResult(value)).toEqual(value);
    expect('polluted' in {}).toBe(false);
  });

  test('is rejected with any other value among its elements', () => {
    for (const child of [{}, { type: 'unknown' }, { type: 'text' }, { type: 'text', children: [{}] }]) {
      expect(() => read(result({ type: 'block', children: [child] }))).toThrow('no valid element');
    }
    for (const value of [null, 'x', [], { element: null }]) {
      expect(() => read(value)).toThrow('no valid element');
    }
  });
});
