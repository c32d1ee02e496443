import fc from 'fast-check';
import type { Body, Fault, Value } from '../../model/plan/plan.ts';
import { filterValuesIfAny } from '../../model/schema/filter.ts';
import { ifUsable } from '../../model/schema/schema.ts';
import type { Variant } from '../../model/schema/variants.ts';
import type { BodyFormat } from './bodies.ts';
import type { PartsGenerator } from './generator.ts';
import type { BodyPiece, Faulty, FaultyParts, RequestInputs } from './parts.ts';

const INVALID_JSON = ['{', '{"a":}', "{'a': 1}", '{"a": 1,}', 'nul', '[1, 2', '"\ud800', '\\', '{}{}', 'NaN'];
/** JSON with invalid UTF-8. */
const INVALID_UTF8 = Buffer.from([0x22, 0xc3, 0x28, 0x22]).toString('base64');
const OTHER_TYPES = [
  'text/plain',
  'application/xml',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/jsonp',
  '*/*',
];
/** Keywords with detectable violations in a form, where all values are text. */
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

/** Bodies in one format with the same fault. */
export interface InvalidBody extends Variant {
  format: BodyFormat;
}

/**
 * Creates the bodies with an invalid value. Omits bodies with an invalid value that may identify an existing resource
 * on a lenient server.
 */
export const invalidBodiesOf = (generator: PartsGenerator): InvalidBody[] =>
  generator.formats
    .filter(({ form }) => form !== 'text' && form !== 'bytes')
    .flatMap((format) =>
      (ifUsable(() => generator.arbitraries.invalidVariants(format.schema)) ?? [])
        .filter((variant) => isExpressible(format, variant))
        .flatMap((variant): InvalidBody[] => {
          const filler = generator.filler(format);
          const values = filterValuesIfAny(
            variant.values,
            ({ value, path }) => !filler.fill(value, new Map(), true, path).mayIdentify,
          );
          return values ? [{ ...variant, values, format }] : [];
        }),
    );

/** Creates requests with one fault in the body or its media type. */
export function faultyBodies(
  generator: PartsGenerator,
  inputs: RequestInputs,
  invalidBodies: readonly InvalidBody[],
): Faulty[] {
  const { body } = generator.operation;
  const [format] = generator.formats;
  if (!body || !format) {
    return [];
  }
  const json = generator.formats.find(({ form }) => form === 'json');
  const faults = ifUsable(() => [
    ...invalidBodies.map((invalid) => invalidValue(generator, inputs, invalid)),
    ...(body.required ? [missing(generator, inputs, format)] : []),
    ...(json ? unreadable(generator, inputs, json) : []),
    ...invalidTypes(generator, inputs, format),
  ]);
  return faults ?? [];
}

function invalidValue(
  generator: PartsGenerator,
  inputs: RequestInputs,
  { format, keyword, location, isImprecise, values }: InvalidBody,
): Faulty {
  const kind = keyword === 'additionalProperties' ? 'undeclared' : 'input';
  const fault: Fault = { name: `body ${location}: ${keyword}`, kind };
  const parts = fc
    .tuple(
      generator.parts(inputs, false, { body: fc.constant({ inventedFields: [] }) }),
      values,
      generator.filler(format).chooseValues(inputs),
    )
    .map(([parts, { value, path }, picks]): FaultyParts => {
      const piece = generator.serialized(format, value, picks, true, path);
      return {
        ...parts,
        ...(piece.body && { body: piece.body }),
        inventedFields: [...parts.inventedFields, ...piece.inventedFields],
        fault,
        at: path.join('.'),
      };
    });
  return { name: fault.name, kind, in: 'body', isImprecise, parts };
}

const isExpressible = ({ form }: BodyFormat, { keyword, location }: Variant): boolean =>
  form === 'json' || (IN_FORMS.has(keyword) && location !== '' && !/[.*?]/.test(location));

const missing = (generator: PartsGenerator, inputs: RequestInputs, { mediaType }: BodyFormat): Faulty =>
  sent(generator, inputs, 'body: missing', 'input', [{ body: { mediaType, text: '' } }]);

function unreadable(generator: PartsGenerator, inputs: RequestInputs, { mediaType }: BodyFormat): Faulty[] {
  return [
    sent(
      generator,
      inputs,
      'body: no JSON',
      'input',
      INVALID_JSON.map((text) => ({ body: { mediaType, text } })),
    ),
    sent(generator, inputs, 'body: no UTF-8', 'input', [{ body: { mediaType, base64: INVALID_UTF8 } }]),
  ];
}

function invalidTypes(generator: PartsGenerator, inputs: RequestInputs, format: BodyFormat): Faulty[] {
  const declared = Object.keys(generator.operation.body?.content ?? {}).map((type) => type.toLowerCase());
  const essences = declared.map((type) => type.split(';')[0]?.trim() ?? '');
  const isAccepted = (type: string) =>
    declared.includes(type) || essences.some((pattern) => pattern.endsWith('/*') && matches(pattern, type));
  const others = OTHER_TYPES.filter((type) => {
    const essence = type.split(';')[0]?.trim() ?? '';
    if (isAccepted(type)) {
      return false;
    }
    // Other parameters may have no effect, such as a charset of JSON (RFC 8259, 11).
    return !essences.includes(essence);
  });
  const kind = 'media-type';
  const typed = (mediaType: string) => (body: Body) => ({ body: { ...body, mediaType } });
  const coding: [string, Value][] = [['content-encoding', 'zip']];
  return [
    ...(others.length > 0
      ? [resent(generator, inputs, format, 'body: media type', kind, others.map(typed))]
      : []),
    ...(essences.includes('*/*')
      ? []
      : [resent(generator, inputs, format, 'body: no media type', kind, [typed('')])]),
    resent(generator, inputs, format, 'body: content coding', kind, [(body) => ({ body, headers: coding })]),
  ];
}

const matches = (range: string, type: string) => range === '*/*' || type.startsWith(range.slice(0, -1));

/** Creates requests with one of the given bodies. */
function sent(
  generator: PartsGenerator,
  inputs: RequestInputs,
  name: string,
  kind: Fault['kind'],
  bodies: Omit<BodyPiece, 'inventedFields'>[],
): Faulty {
  const body = fc.constantFrom(...bodies).map((body): BodyPiece => ({ ...body, inventedFields: [] }));
  return faulty(generator, inputs, name, kind, body);
}

/** Creates requests with a valid body that is sent incorrectly. */
function resent(
  generator: PartsGenerator,
  inputs: RequestInputs,
  format: BodyFormat,
  name: string,
  kind: Fault['kind'],
  faults: ((body: Body) => Omit<BodyPiece, 'inventedFields'>)[],
): Faulty {
  const empty: Body = { mediaType: format.mediaType, text: '' };
  const body = fc.tuple(generator.body(inputs, false), fc.constantFrom(...faults)).map(
    ([piece, change]): BodyPiece => ({
      inventedFields: piece.inventedFields,
      ...change(piece.body ?? empty),
    }),
  );
  return faulty(generator, inputs, name, kind, body);
}

function faulty(
  generator: PartsGenerator,
  inputs: RequestInputs,
  name: string,
  kind: Fault['kind'],
  body: fc.Arbitrary<BodyPiece>,
): Faulty {
  const parts = generator
    .parts(inputs, false, { body })
    .map((parts): FaultyParts => ({ ...parts, fault: { name, kind }, at: '' }));
  return { name, kind, in: 'body', isImprecise: false, parts };
}
