import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../support/seed.ts';
import { colors, integers, list, map, object, rgb, string, STYLE_TABLE as TABLE } from './style-table.ts';
import { type StyledParameter, serveParameters } from './styled-parameters.ts';

test('client and router write and read the examples of OpenAPI in every style', async () => {
  const server = await serveParameters(
    TABLE.map(([location, style, explode, schema]) => ({ in: location, style, explode, schema })),
  );
  const results = [];
  for (const [index, [, , , , value]] of TABLE.entries()) {
    results.push(await server.call(index, value));
  }
  expect(results).toEqual(TABLE.map(([, , , , value, sent]) => ({ sent, received: value })));
});

test('the router reads both notations of lists and objects in cookies', async () => {
  const cookie = { in: 'cookie', style: 'form', explode: true } as const;
  const { url } = await serveParameters([
    { ...cookie, schema: list },
    { ...cookie, schema: object },
    { ...cookie, schema: string },
  ]);
  const received = async (index: number, text: string) => {
    const response = await fetch(`${url}/${index}`, { headers: { cookie: text } });
    return ((await response.json()) as { cookies: { color: unknown } }).cookies.color;
  };
  expect(await received(0, 'color=blue&color=black&color=brown')).toEqual(colors);
  expect(await received(0, 'color=blue&black')).toEqual(['blue&black']);
  expect(await received(1, 'other=1; R=100&G=200&B=150')).toEqual(rgb);
  expect(await received(2, 'color=blue&color=black; color=brown')).toEqual('blue&color=black');
});

/** Texts that a style can write: without its separators, and without what a location cannot contain. */
function texts({ in: location, style = '', explode, schema }: StyledParameter): fc.Arbitrary<string> {
  const separator = { spaceDelimited: ' ', pipeDelimited: '|', label: explode ? '.' : '' }[style] ?? '';
  const isScalar = schema === string;
  const ascii = fc.string({
    unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)),
    minLength: 1,
  });
  const some =
    location === 'header'
      ? ascii.map((text) => text.trim()).filter((text) => isScalar || !/[,=]/.test(text))
      : fc.oneof(fc.string({ unit: 'grapheme', minLength: 1 }), ascii);
  return some.filter(
    (text) =>
      text !== '' &&
      !text.includes('\0') &&
      (separator === '' || isScalar || explode === (style !== 'label') || !text.includes(separator)) &&
      !/^(\.|%2e){1,2}$/i.test(text) &&
      !(style === 'label' && text.startsWith('.')),
  );
}

/** Names of properties. Brackets in a name are nested properties. */
const names = (parameter: StyledParameter) =>
  texts(parameter).filter((name) => !/[[\]]/.test(name) && name !== '__proto__');

function valuesOf(parameter: StyledParameter): fc.Arbitrary<unknown> {
  const { schema } = parameter;
  const number = fc.maxSafeInteger();
  if (schema === string) {
    return texts(parameter);
  }
  if (schema === list) {
    return fc.array(texts(parameter), { minLength: 1, maxLength: 5 });
  }
  if (schema === integers) {
    return fc.array(number, { minLength: 1, maxLength: 5 });
  }
  if (schema === object) {
    return fc.record({ R: number, G: number, B: number }, { requiredKeys: ['G'] });
  }
  return schema === map
    ? fc.dictionary(names(parameter), texts(parameter), { minKeys: 1, maxKeys: 4 })
    : fc.oneof(
        number,
        fc.boolean(),
        fc
          .dictionary(fc.string(), fc.jsonValue())
          .filter((value) => !JSON.stringify(value).includes('__proto__')),
      );
}

test('the router reads any value of any style that the client writes', async () => {
  const styles = new Map(
    TABLE.map(([location, style, explode]) => [
      `${location} ${style} ${explode}`,
      { in: location, style, explode },
    ]),
  );
  const parameters: StyledParameter[] = [...styles.values()].flatMap((parameter) => {
    const isDelimited = /Delimited/.test(parameter.style);
    const schemas =
      isDelimited || parameter.style === 'deepObject'
        ? [list, integers, object, map]
        : [string, list, integers, object, map];
    // Cookies and delimited styles with exploded objects are those of the style form.
    return schemas
      .filter((schema) => !(isDelimited && parameter.explode && schema === map))
      .map((schema) => ({ ...parameter, schema }));
  });
  const content = { 'application/json': { schema: {} } };
  const all: StyledParameter[] = [
    ...parameters,
    ...(['path', 'query', 'header', 'cookie'] as const).map((location) => ({ in: location, content })),
  ];
  const server = await serveParameters(all);
  for (const [index, parameter] of all.entries()) {
    await fc.assert(
      fc.asyncProperty(valuesOf(parameter), async (value) => {
        const { received } = await server.call(index, value);
        expect(received, JSON.stringify(parameter)).toEqual(value);
      }),
      { numRuns: runs(6) },
    );
  }
  expect(server.errors()).toEqual([]);
}, 60_000);
