import fc from 'fast-check';
import type { Body, Fault, Value } from '../plan/plan.ts';
import { UnusableSchema } from '../schema/schema.ts';
import type { Variant } from '../schema/variants.ts';
import type { BodyWay } from './bodies.ts';
import type { BodyPiece, PartsMaker } from './maker.ts';
import type { Faulty, FaultyParts, Given } from './parts.ts';

const INVALID_JSON = ['{', '{"a":}', "{'a': 1}", '{"a": 1,}', 'nul', '[1, 2', '"\ud800', '\\', '{}{}', 'NaN'];
/** A text in JSON whose bytes are no UTF-8. */
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
/** Keywords whose faults can be told in a form, where everything is text. */
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

/** Requests of an operation with one fault in the body or its media type. */
export function faultyBodies(maker: PartsMaker, given: Given): Faulty[] {
  const { body } = maker.operation;
  const [way] = maker.ways;
  if (!body || !way) return [];
  try {
    const json = maker.ways.find(({ form }) => form === 'json');
    return [
      ...maker.ways.flatMap((one) => invalidValues(maker, given, one)),
      ...(body.required ? [missing(maker, given, way)] : []),
      ...(json ? unreadable(maker, given, json) : []),
      ...wrongTypes(maker, given, way),
    ];
  } catch (error) {
    if (!(error instanceof UnusableSchema)) throw error;
    return [];
  }
}

function invalidValues(maker: PartsMaker, given: Given, way: BodyWay): Faulty[] {
  if (way.form === 'text' || way.form === 'bytes') return [];
  const variants = maker.make.invalidVariants(way.schema).filter((variant) => canSay(way, variant));
  return variants.map(({ keyword, place, vague, values }) => {
    const kind = keyword === 'additionalProperties' ? 'undeclared' : 'input';
    const fault: Fault = { name: `body ${place}: ${keyword}`, kind };
    const bodies = fc.tuple(values, maker.filler(way).picks(given)).map(([{ value, path }, picks]) => ({
      piece: maker.written(way, value, picks, false, path),
      at: path.join('.'),
    }));
    const parts = fc.tuple(maker.parts(given, false, { body: fc.constant({ madeUp: [] }) }), bodies).map(
      ([made, { piece, at }]): FaultyParts => ({
        ...made,
        ...(piece.body && { body: piece.body }),
        madeUp: [...made.madeUp, ...piece.madeUp],
        fault,
        at,
      }),
    );
    return { name: fault.name, kind, in: 'body', vague, parts };
  });
}

const canSay = ({ form }: BodyWay, { keyword, place }: Variant): boolean =>
  form === 'json' || (IN_FORMS.has(keyword) && place !== '' && !/[.*?]/.test(place));

const missing = (maker: PartsMaker, given: Given, { mediaType }: BodyWay): Faulty =>
  sent(maker, given, 'body: missing', 'input', [{ body: { mediaType, text: '' } }]);

function unreadable(maker: PartsMaker, given: Given, { mediaType }: BodyWay): Faulty[] {
  return [
    sent(
      maker,
      given,
      'body: no JSON',
      'input',
      INVALID_JSON.map((text) => ({ body: { mediaType, text } })),
    ),
    sent(maker, given, 'body: no UTF-8', 'input', [{ body: { mediaType, base64: NO_UTF8 } }]),
  ];
}

function wrongTypes(maker: PartsMaker, given: Given, way: BodyWay): Faulty[] {
  const declared = Object.keys(maker.operation.body?.content ?? {}).map((type) => type.toLowerCase());
  const essences = declared.map((type) => type.split(';')[0]?.trim() ?? '');
  const taken = (type: string) =>
    declared.includes(type) || essences.some((one) => one.endsWith('/*') && matches(one, type));
  const others = OTHER_TYPES.filter((type) => {
    const essence = type.split(';')[0]?.trim() ?? '';
    if (taken(type)) return false;
    // Only JSON has a character set of its own; others are told of the same type elsewhere.
    return !essences.includes(essence) || essence === 'application/json';
  });
  const kind = 'media-type';
  const typed = (mediaType: string) => (body: Body) => ({ body: { ...body, mediaType } });
  const coding: [string, Value][] = [['content-encoding', 'zip']];
  return [
    ...(others.length > 0 ? [resent(maker, given, way, 'body: media type', kind, others.map(typed))] : []),
    ...(essences.includes('*/*')
      ? []
      : [resent(maker, given, way, 'body: no media type', kind, [typed('')])]),
    resent(maker, given, way, 'body: content coding', kind, [(body) => ({ body, headers: coding })]),
  ];
}

const matches = (range: string, type: string) => range === '*/*' || type.startsWith(range.slice(0, -1));

/** Requests with one of some bodies. */
function sent(
  maker: PartsMaker,
  given: Given,
  name: string,
  kind: Fault['kind'],
  bodies: Omit<BodyPiece, 'madeUp'>[],
): Faulty {
  const body = fc.constantFrom(...bodies).map((one): BodyPiece => ({ ...one, madeUp: [] }));
  return faulty(maker, given, name, kind, body);
}

/** Requests with a good body that is sent in one of some wrong ways. */
function resent(
  maker: PartsMaker,
  given: Given,
  way: BodyWay,
  name: string,
  kind: Fault['kind'],
  ways: ((body: Body) => Omit<BodyPiece, 'madeUp'>)[],
): Faulty {
  const empty: Body = { mediaType: way.mediaType, text: '' };
  const body = fc
    .tuple(maker.body(given, false), fc.constantFrom(...ways))
    .map(([piece, change]): BodyPiece => ({ madeUp: piece.madeUp, ...change(piece.body ?? empty) }));
  return faulty(maker, given, name, kind, body);
}

function faulty(
  maker: PartsMaker,
  given: Given,
  name: string,
  kind: Fault['kind'],
  body: fc.Arbitrary<BodyPiece>,
): Faulty {
  const parts = maker
    .parts(given, false, { body })
    .map((made): FaultyParts => ({ ...made, fault: { name, kind }, at: '' }));
  return { name, kind, in: 'body', vague: false, parts };
}
