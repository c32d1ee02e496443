import { type Mutation, test } from '../mutation.ts';

const published = (name: string) => test('test/toolchain/generate/open-responses', name);
const sent = (name: string) => test('test/contract/sealed-responses', name);

/** Mistakes about which objects the published contract seals, and which responses the server sends. */
export const seals: Mutation[] = [
  {
    name: 'publish responses that cannot be extended',
    file: 'spec/toolchain/normalize/open-responses.ts',
    from: 'if (isSealed(object) && !ambiguous.has(object)) {',
    to: 'if (isSealed(object) && ambiguous.has(object)) {',
    failures: [published('are opened if only responses contain them')],
  },
  {
    name: 'open what requests and responses share',
    file: 'spec/toolchain/normalize/open-responses.ts',
    from: 'const requests = reach(document, received);',
    to: 'const requests = reach(document, received.slice(0, 0));',
    failures: [published('stay sealed if requests contain them too')],
  },
  {
    name: 'open the responses to callbacks',
    file: 'spec/toolchain/normalize/open-responses.ts',
    from: '        addBodies(document, callbackItem, reversed(bodies));',
    to: '        addBodies(document, callbackItem, bodies);',
    failures: [published('are opened in the requests of callbacks, and stay sealed in their responses')],
  },
  {
    name: 'open variants that match values of another variant',
    file: 'spec/toolchain/normalize/open-responses.ts',
    from: 'objects.some((one) => one !== other && canMatch(document, one, other))',
    to: 'objects.some((one) => one === undefined && canMatch(document, one, other))',
    failures: [published('has properties that are all in another one is sealed only')],
  },
  {
    name: 'send properties that the contract does not declare',
    file: 'server/contract/validation/seal.ts',
    from: '{ additionalProperties: false }',
    to: '{ additionalProperties: true }',
    failures: [sent('does not send an undeclared property of a nested object')],
  },
  {
    name: 'send undeclared properties of composed objects',
    file: 'server/contract/validation/seal.ts',
    from: '{ unevaluatedProperties: false }',
    to: '{ unevaluatedProperties: true }',
    failures: [sent('does not send an undeclared property of an object that extends another one')],
  },
  {
    name: 'reject the properties of the other parts of a composed object',
    file: 'server/contract/validation/seal.ts',
    from: 'if (parts.has(schema) ||',
    to: 'if (parts.has(undefined) ||',
    failures: [sent('accepts a response with the properties of all composed objects')],
  },
  {
    name: 'reject properties that the contract permits',
    file: 'server/contract/validation/seal.ts',
    from: "|| 'additionalProperties' in schema ||",
    to: '||',
    failures: [sent('accepts a response with the names of a map')],
  },
];
