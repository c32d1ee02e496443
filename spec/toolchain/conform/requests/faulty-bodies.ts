import fc from 'fast-check';
import type { Body, Fault, Value } from '../plan/plan.ts';
import { UnusableSchema } from '../schema/schema.ts';
import type { Variant } from '../schema/variants.ts';
import type { BodyWay } from './bodies.ts';
import type { BodyPiece, PartsMaker } from './maker.ts';
import type { Faulty, FaultyParts, RequestInputs } from './parts.ts';

const INVALID_JSON = ['{', '{"a":}', "{'a': 1}", '{"a": 1,}', 'nul', '[1, 2', '"\ud800', '\\', '{}{}', 'NaN'];
/** JSON with invalid UTF-8. */
const NO_UTF8 = Buffer.from([0x22, 0xc3, 0x28, 0x22]).toString('base64');
const OTHER_TYPES = [
  'text/plain',
  'application/xml',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/jsonp',
  '*/*',
  'application/json; charset=utf-16',
];
/** Keywords whose violations are detectable in a form, where all values are text. */
const IN_FORMS = new Set([
  'required',
  'maxLength',
  'minLength',
  'pattern',
  'format',
  'enum',
  'minimum',
  'maximum',
]);

/** Creates requests with one fault in the body or its media type. */
export function faultyBodies(maker: PartsMaker, inputs: RequestInputs): Faulty[] {
  const { body } = maker.operation;
  const [way] = maker.ways;
  if (!body || !way) {
    return [];
  }
  try {
    const json = maker.ways.find(({ form }) => form === 'json');
    return [
      ...maker.ways.flatMap((format) => invalidValues(maker, inputs, format)),
      ...(body.required ? [missing(maker, inputs, way)] : []),
      ...(json ? unreadable(maker, inputs, json) : []),
      ...wrongTypes(maker, inputs, way),
    ];
  } catch (error) {
    if (!(error instanceof UnusableSchema)) {
      throw error;
    }
    return [];
  }
}

function invalidValues(maker: PartsMaker, inputs: RequestInputs, way: BodyWay): Faulty[] {
  if (way.form === 'text' || way.form === 'bytes') {
    return [];
  }
  const variants = maker.make.invalidVariants(way.schema).filter((variant) => canSay(way, variant));
  return variants.map(({ keyword, location, vague, values }) => {
    const kind = keyword === 'additionalProperties' ? 'undeclared' : 'input';
    const fault: Fault = { name: `body ${location}: ${keyword}`, kind };
    const bodies = fc.tuple(values, maker.filler(way).picks(inputs)).map(([{ value, path }, picks]) => ({
      piece: maker.written(way, value, picks, false, path),
      at: path.join('.'),
    }));
    const parts = fc.tuple(maker.parts(inputs, false, { body: fc.constant({ madeUp: [] }) }), bodies).map(
      ([parts, { piece, at }]): FaultyParts => ({
        ...parts,
        ...(piece.body && { body: piece.body }),
        madeUp: [...parts.madeUp, ...piece.madeUp],
        fault,
        at,
      }),
    );
    return { name: fault.name, kind, in: 'body', vague, parts };
  });
}

const canSay = ({ form }: BodyWay, { keyword, location }: Variant): boolean =>
  form === 'json' || (IN_FORMS.has(keyword) && location !== '' && !/[.*?]/.test(location));

const missing = (maker: PartsMaker, inputs: RequestInputs, { mediaType }: BodyWay): Faulty =>
  sent(maker, inputs, 'body: missing', 'input', [{ body: { mediaType, text: '' } }]);

function unreadable(maker: PartsMaker, inputs: RequestInputs, { mediaType }: BodyWay): Faulty[] {
  return [
    sent(
      maker,
      inputs,
      'body: no JSON',
      'input',
      INVALID_JSON.map((text) => ({ body: { mediaType, text } })),
    ),
    sent(maker, inputs, 'body: no UTF-8', 'input', [{ body: { mediaType, base64: NO_UTF8 } }]),
  ];
}

function wrongTypes(maker: PartsMaker, inputs: RequestInputs, way: BodyWay): Faulty[] {
  const declared = Object.keys(maker.operation.body?.content ?? {}).map((type) => type.toLowerCase());
  const essences = declared.map((type) => type.split(';')[0]?.trim() ?? '');
  const isAccepted = (type: string) =>
    declared.includes(type) || essences.some((pattern) => pattern.endsWith('/*') && matches(pattern, type));
  const others = OTHER_TYPES.filter((type) => {
    const essence = type.split(';')[0]?.trim() ?? '';
    if (isAccepted(type)) {
      return false;
    }
    // Only JSON has a fixed charset; for other media types the charset is tested elsewhere.
    return !essences.includes(essence) || essence === 'application/json';
  });
  const kind = 'media-type';
  const typed = (mediaType: string) => (body: Body) => ({ body: { ...body, mediaType } });
  const coding: [string, Value][] = [['content-encoding', 'zip']];
  return [
    ...(others.length > 0 ? [resent(maker, inputs, way, 'body: media type', kind, others.map(typed))] : []),
    ...(essences.includes('*/*')
      ? []
      : [resent(maker, inputs, way, 'body: no media type', kind, [typed('')])]),
    resent(maker, inputs, way, 'body: content coding', kind, [(body) => ({ body, headers: coding })]),
  ];
}

const matches = (range: string, type: string) => range === '*/*' || type.startsWith(range.slice(0, -1));

/** Creates requests with one of the given bodies. */
function sent(
  maker: PartsMaker,
  inputs: RequestInputs,
  name: string,
  kind: Fault['kind'],
  bodies: Omit<BodyPiece, 'madeUp'>[],
): Faulty {
  const body = fc.constantFrom(...bodies).map((body): BodyPiece => ({ ...body, madeUp: [] }));
  return faulty(maker, inputs, name, kind, body);
}

/** Creates requests with a valid body that is sent incorrectly. */
function resent(
  maker: PartsMaker,
  inputs: RequestInputs,
  way: BodyWay,
  name: string,
  kind: Fault['kind'],
  ways: ((body: Body) => Omit<BodyPiece, 'madeUp'>)[],
): Faulty {
  const empty: Body = { mediaType: way.mediaType, text: '' };
  const body = fc
    .tuple(maker.body(inputs, false), fc.constantFrom(...ways))
    .map(([piece, change]): BodyPiece => ({ madeUp: piece.madeUp, ...change(piece.body ?? empty) }));
  return faulty(maker, inputs, name, kind, body);
}

function faulty(
  maker: PartsMaker,
  inputs: RequestInputs,
  name: string,
  kind: Fault['kind'],
  body: fc.Arbitrary<BodyPiece>,
): Faulty {
  const parts = maker
    .parts(inputs, false, { body })
    .map((parts): FaultyParts => ({ ...parts, fault: { name, kind }, at: '' }));
  return { name, kind, in: 'body', vague: false, parts };
}
