import { _, type CodeKeywordDefinition, type ErrorObject, type KeywordCxt, Name } from 'ajv';
import { declares, hasTypeOf, resemblance, type Shape } from './shapes.ts';

/** The keywords `anyOf` and `oneOf`, with the errors of the alternative that the value resembles most. */
export const CLOSEST_ANY_OF = 'x-closest-any-of';
export const CLOSEST_ONE_OF = 'x-closest-one-of';
/** The {@link Shape} of each alternative. */
export const CLOSEST_SHAPES = 'x-closest-shapes';

// Variables of the code that Ajv generates (ajv/dist/compile/names.js).
const errors = new Name('errors');
const vErrors = new Name('vErrors');
const instancePath = new Name('instancePath');

export const CLOSEST_KEYWORDS: readonly CodeKeywordDefinition[] = [CLOSEST_ANY_OF, CLOSEST_ONE_OF].map(
  (keyword) => ({
    keyword,
    schemaType: 'array',
    trackErrors: true,
    error: { message: 'must match only one of the alternatives' },
    code: (cxt) => validateAlternatives(cxt, keyword === CLOSEST_ONE_OF),
  }),
);

/** Generates the code of a union. Follows Ajv's own implementation of `oneOf`, except for errors. */
function validateAlternatives(cxt: KeywordCxt, isExclusive: boolean): void {
  const { gen, schema, keyword, parentSchema, data, it } = cxt;
  const shapes = gen.scopeValue('obj', { ref: parentSchema[CLOSEST_SHAPES] });
  const select = gen.scopeValue('func', { ref: errorsOfClosest });
  const passing = gen.let('passing', 0);
  const isPassing = gen.name('_valid');
  const starts: Name[] = [];
  const alternatives: unknown[] = schema;
  alternatives.forEach((_alternative, index) => {
    starts.push(gen.const('start', errors));
    const subschema = cxt.subschema({ keyword, schemaProp: index, compositeRule: true }, isPassing);
    gen.if(isPassing, () => {
      gen.assign(passing, _`${passing} + 1`);
      cxt.mergeEvaluated(subschema, Name);
    });
  });
  const valid = gen.const('valid', isExclusive ? _`${passing} === 1` : _`${passing} > 0`);
  const several = () => {
    cxt.reset();
    cxt.error(true);
  };
  const none = () => {
    const list = _`[${starts.reduce((code, start) => _`${code}${start},`, _``)}]`;
    const location = _`${instancePath} + ${it.errorPath}`;
    gen.assign(vErrors, _`${select}(${vErrors}, ${list}, ${shapes}, ${data}, ${location})`);
    gen.assign(errors, _`${vErrors}.length`);
  };
  gen.if(
    valid,
    () => cxt.reset(),
    () => gen.if(_`${passing} > 0`, several, none),
  );
  cxt.ok(valid);
}

/**
 * Removes the errors of all alternatives except that which a value resembles most. If it resembles several equally,
 * their errors are replaced by one that states what is expected.
 *
 * @param all the errors so far
 * @param starts number of errors before each alternative
 */
function errorsOfClosest(
  all: readonly ErrorObject[],
  starts: readonly number[],
  shapes: readonly Shape[],
  value: unknown,
  location: string,
): ErrorObject[] {
  const isTag = (name: string) => shapes.filter((shape) => declares(shape, name)).length > 1;
  const points = shapes.map((shape) => resemblance(shape, value, isTag));
  const best = Math.max(...points);
  const closest = points.flatMap((point, index) => (point === best ? [index] : []));
  const before = all.slice(0, starts[0]);
  const message =
    closest.length > 1
      ? expectation(
          closest.flatMap((at) => shapes[at] ?? []),
          value,
        )
      : undefined;
  if (message !== undefined) {
    return [...before, { instancePath: location, schemaPath: '', keyword: 'closest', params: {}, message }];
  }
  const [index = 0] = closest;
  return [...before, ...all.slice(starts[index], starts[index + 1])];
}

/** Describes what distinguishes shapes when a value resembles none of them; undefined if that is not known. */
function expectation(shapes: readonly Shape[], value: unknown): string | undefined {
  if (!shapes.some((shape) => hasTypeOf(shape, value))) {
    const types = new Set(shapes.flatMap((shape) => shape.types ?? []));
    return types.size > 0 ? `must be ${[...types].join(' or ')}` : undefined;
  }
  const fields = shapes.map(({ required }) =>
    required.find((name) => shapes.filter((other) => other.required.includes(name)).length === 1),
  );
  return fields.every((name) => name !== undefined)
    ? `must have the field ${fields.join(' or ')}`
    : undefined;
}
