import type { StyledParameter } from './styled-parameters.ts';

export const string = { type: 'string' };
export const list = { type: 'array', items: string };
export const integers = { type: 'array', items: { type: 'integer' } };
const integer = { type: 'integer' };
export const object = { type: 'object', properties: { R: integer, G: integer, B: integer } };
export const map = { type: 'object', additionalProperties: string };

const blue = 'blue';
export const colors = ['blue', 'black', 'brown'];
export const rgb = { R: 100, G: 200, B: 150 };

type Row = [
  location: StyledParameter['in'],
  style: string,
  explode: boolean,
  schema: object,
  value: unknown,
  text: string,
];

/** The table of OpenAPI 3.1, Style Examples, in all locations that have the style. */
export const STYLE_TABLE: Row[] = [
  ['path', 'matrix', false, string, blue, ';color=blue'],
  ['path', 'matrix', false, list, colors, ';color=blue,black,brown'],
  ['path', 'matrix', false, object, rgb, ';color=R,100,G,200,B,150'],
  ['path', 'matrix', true, string, blue, ';color=blue'],
  ['path', 'matrix', true, list, colors, ';color=blue;color=black;color=brown'],
  ['path', 'matrix', true, object, rgb, ';R=100;G=200;B=150'],
  ['path', 'label', false, string, blue, '.blue'],
  ['path', 'label', false, list, colors, '.blue,black,brown'],
  ['path', 'label', false, object, rgb, '.R,100,G,200,B,150'],
  ['path', 'label', true, string, blue, '.blue'],
  ['path', 'label', true, list, colors, '.blue.black.brown'],
  ['path', 'label', true, object, rgb, '.R=100.G=200.B=150'],
  ...(['path', 'header'] as const).flatMap((location): Row[] => [
    [location, 'simple', false, string, blue, 'blue'],
    [location, 'simple', false, list, colors, 'blue,black,brown'],
    [location, 'simple', false, object, rgb, 'R,100,G,200,B,150'],
    [location, 'simple', true, string, blue, 'blue'],
    [location, 'simple', true, list, colors, 'blue,black,brown'],
    [location, 'simple', true, object, rgb, 'R=100,G=200,B=150'],
  ]),
  ['query', 'form', false, string, blue, '?color=blue'],
  ['query', 'form', false, list, colors, '?color=blue,black,brown'],
  ['query', 'form', false, object, rgb, '?color=R,100,G,200,B,150'],
  ['query', 'form', true, string, blue, '?color=blue'],
  ['query', 'form', true, list, colors, '?color=blue&color=black&color=brown'],
  ['query', 'form', true, object, rgb, '?R=100&G=200&B=150'],
  ['query', 'spaceDelimited', false, list, colors, '?color=blue%20black%20brown'],
  ['query', 'spaceDelimited', false, object, rgb, '?color=R%20100%20G%20200%20B%20150'],
  ['query', 'pipeDelimited', false, list, colors, '?color=blue%7Cblack%7Cbrown'],
  ['query', 'pipeDelimited', false, object, rgb, '?color=R%7C100%7CG%7C200%7CB%7C150'],
  ['query', 'deepObject', true, object, rgb, '?color[R]=100&color[G]=200&color[B]=150'],
  // Not defined by OpenAPI.
  ['query', 'deepObject', true, list, colors, '?color[0]=blue&color[1]=black&color[2]=brown'],
  ['query', 'pipeDelimited', true, list, colors, '?color=blue&color=black&color=brown'],
  ['cookie', 'form', false, string, blue, 'color=blue'],
  ['cookie', 'form', false, list, colors, 'color=blue,black,brown'],
  ['cookie', 'form', false, object, rgb, 'color=R,100,G,200,B,150'],
  ['cookie', 'form', true, string, blue, 'color=blue'],
  // In the style form, an ampersand is between the cookies, which clients do not send.
  ['cookie', 'form', true, list, colors, 'color=blue; color=black; color=brown'],
  ['cookie', 'form', true, object, rgb, 'R=100; G=200; B=150'],
];
