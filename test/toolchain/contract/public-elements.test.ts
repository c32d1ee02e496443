import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { readContract } from '../../../server/platform/kit/contract-document.ts';
import {
  explained,
  type Schema,
  type Side,
  schemaDifferences,
  schemasIn,
} from '../../support/contract/schema-comparison.ts';

const require = createRequire(import.meta.url);

/** The schemas that the types of the public package are generated from. */
const published: Side = { name: 'public', schemas: schemasIn(require('@gitbook/api/spec/openapi.json')) };
const own: Side = { name: 'own', schemas: schemasIn(readContract()) };

const ANY_DATA = 'Data of an integration, which the public type declares as any.';
const LONGER = 'Longer texts are displayed, too.';
const EMPTY = 'An empty list displays nothing.';
const PLAIN_TEXT = 'The runtime library returns text between tags as plain text.';
const NESTED = 'The runtime library does not check what is between tags; nested elements are displayed.';
const ANY_ICON = 'Every icon of pages can be used; unknown ones are not displayed.';
const REFERENCE = 'The component reference of the public platform documents it.';

/**
 * Differences between the elements of the contract and those of the public package, and their reasons. `*` is any text. The
 * name before the difference is the side that has it, or requires it.
 */
const DIFFERENCES: Readonly<Record<string, string>> = {
  '*.props.*: own: any': ANY_DATA,
  '@ui.modal.close.returnValue.*: own: any': ANY_DATA,
  '@ui.modal.close.returnValue: public: required':
    'Without it, the action has the public type of an action of the component.',
  '*.confirm.title: public: maxLength 100': LONGER,
  '*.confirm.text: public: maxLength 300': LONGER,
  '*.confirm.confirm: public: maxLength 30': LONGER,
  'step.title: public: maxLength 50': LONGER,
  'step.children: public: minItems 1': EMPTY,
  'stepper.children: public: minItems 1': EMPTY,
  'configuration.children: public: minItems 1': EMPTY,
  'configuration.children: public: maxItems 1': 'Several steppers are displayed below each other.',
  'box.children[]: own: string': PLAIN_TEXT,
  'card.children[]: own: string': PLAIN_TEXT,
  'hint.children[]: own: string': PLAIN_TEXT,
  'text.children[]: own: object image': NESTED,
  'link.children[]: own: object *': NESTED,
  'input.hint: own: array': 'A fragment of the runtime library is a list of its elements.',
  '*con: own: string': ANY_ICON,
  'box.style: own: property': REFERENCE,
  'divider.style: own: property': REFERENCE,
  'modal.subtitle: own: string': REFERENCE,
  'checkbox.onValueChange: own: property': 'Selections have it, too.',
  'radio.onValueChange: own: property': 'Selections have it, too.',
  'image.source.url: public: format uri': 'An invalid address is not displayed.',
  'element.type: own: required': 'It is added to results of scripts without it.',
  'element.canAccessVisitorClaims: public: property':
    'It is removed from results of scripts: components receive no claims.',
};

/** Differences of the requests, likewise. */
const REQUEST_DIFFERENCES: Readonly<Record<string, string>> = {
  '*Id: own: maxLength 128': 'No identifier is longer.',
  '*Id: own: pattern ^[a-zA-Z0-9_-]+$': 'No identifier has other characters.',
  'result.componentId: own: maxLength 2048': 'Requests are limited.',
  'result.action.action: own: maxLength 2048': 'Requests are limited.',
  'result.action: public: object @*': 'Any name with any fields is an action.',
  'result.props.*: own: any': ANY_DATA,
};

const reference = (name: string) => ({ $ref: `#/components/schemas/${name}` });

test('results of integrations have the types of the public package, except for reasons', () => {
  const roots = { left: reference('RenderResult'), right: reference('ContentKitRenderOutput') };
  const found = schemaDifferences(own, published, roots);
  expect(explained(found, DIFFERENCES)).toEqual({ unexplained: [], obsolete: [] });
});

test('requests to render have the types of the public package, except for reasons', () => {
  const roots = { left: reference('RenderRequest'), right: reference('RenderIntegrationUI') };
  const found = schemaDifferences(own, published, roots);
  expect(explained(found, REQUEST_DIFFERENCES)).toEqual({ unexplained: [], obsolete: [] });
});

/** Types of the elements that a schema lists. */
const typesIn = ({ schemas }: Side, name: string): string[] =>
  (schemas[name]?.oneOf ?? []).flatMap(({ $ref = '' }) => {
    const { type } = schemas[$ref.slice(REFERENCE_LENGTH)]?.properties ?? {};
    return type?.enum?.map(String) ?? [String(type?.const)];
  });
const REFERENCE_LENGTH = '#/components/schemas/'.length;

test('elements are those of the runtime library, by the same names', () => {
  const folder = dirname(require.resolve('@gitbook/runtime'));
  const source = readFileSync(join(folder, 'jsx-runtime.d.ts'), 'utf8');
  const elements = [...source.matchAll(/^\s+(\w+): OmitType<(\w+)>;$/gm)].map(([, tag = '', name = '']) => ({
    tag,
    type: published.schemas[name]?.properties?.type?.enum,
  }));
  expect(elements.map(({ type }) => type)).toEqual(elements.map(({ tag }) => [tag]));
  const types = [...typesIn(own, 'RenderRoot'), ...typesIn(own, 'RenderElement'), 'stepper'];
  expect(elements.map(({ tag }) => tag).toSorted()).toEqual(types.toSorted());
});

test('a difference in either direction is found, for each part of a schema', () => {
  const differences = (left: Schema, right: Schema) =>
    schemaDifferences(
      { name: 'left', schemas: { Item: left } },
      { name: 'right', schemas: { Item: right } },
      { left: reference('Item'), right: reference('Item') },
    );
  const base = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] };
  expect(differences(base, base)).toEqual([]);
  expect(differences(base, { ...base, required: [] })).toEqual(['result.a: left: required']);
  expect(differences(base, { ...base, additionalProperties: true })).toEqual(['result: right: any property']);
  const wider = { ...base, properties: { a: { oneOf: [{ type: 'string' }, base] }, b: { type: 'number' } } };
  expect(differences(base, wider)).toEqual(['result.a: right: object', 'result.b: right: property']);
  expect(differences(wider, base)).toEqual(['result.a: left: object', 'result.b: left: property']);
  const list = (items: Schema) => ({ type: 'array', items });
  expect(differences(list({ enum: ['a', 'b'] }), list({ enum: ['a'] }))).toEqual(['result[]: left: "b"']);
  expect(differences(list({ enum: ['a'] }), list({ type: 'string' }))).toEqual(['result[]: right: string']);
  expect(differences({ type: 'integer' }, { type: 'number' })).toEqual(['result: right: number']);
  expect(differences({ type: 'string', maxLength: 3 }, { type: 'string' })).toEqual([
    'result: left: maxLength 3',
  ]);
});
