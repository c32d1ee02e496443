import { expect, test } from 'vitest';
import {
  frameAction,
  MAX_FRAME_ACTION_CHARACTERS,
} from '../../../server/platform/sites/reading/integrations/frame-actions.ts';

const read = (text: string, hasFrames?: boolean) =>
  frameAction(new URLSearchParams({ 'frame-action': text }), hasFrames === undefined ? {} : { hasFrames });

test('an embedded page sends actions to its component', () => {
  const action = { action: 'select', step: 'C:\\users \ud800 "$state":', more: [1, { a: null }] };
  expect(read(JSON.stringify(action), true)).toEqual(action);
  expect(read(JSON.stringify(action), false)).toBeUndefined();
  expect(read(JSON.stringify(action))).toBeUndefined();
  expect(frameAction(new URLSearchParams(), { hasFrames: true })).toBeUndefined();
});

test.each([
  ['a built-in action', '{"action":"@ui.modal.open","componentId":"a","props":{}}'],
  ['an action that changes the page', '{"action":"@editor.node.updateProps","props":{}}'],
  ['a binding to the state', '{"action":"a","value":{"$state":"key"}}'],
  ['an escaped binding to the state', '{"action":"a","value":{"\\u0024state":"key"}}'],
  ['no name', '{"name":"a"}'],
  ['a name that is no text', '{"action":1}'],
  ['no object', '"a"'],
  ['null', 'null'],
  ['no JSON', 'a'],
  ['too much', JSON.stringify({ action: 'a', text: 'x'.repeat(MAX_FRAME_ACTION_CHARACTERS) })],
])('an embedded page sends no action with %s', (_name, text) => {
  expect(read(text, true)).toBeUndefined();
});
