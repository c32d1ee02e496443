import { body, closed, counter, documentOf, found, type Habit, inPath, ref, responses } from '../habit.ts';

interface Thing {
  id: string;
  name: string;
  parts: object[];
}
const write = closed({ name: { type: 'string', maxLength: 9 } }, ['name']);

/** A path within a resource that is declared before the resource, with another name of its identifier. */
export const nestedFirst: Habit = {
  document: documentOf(
    {
      '/things/{thingId}/parts': {
        parameters: [inPath('thingId')],
        get: { operationId: 'listParts', responses: responses(200, { type: 'array', items: ref('Part') }) },
        post: { operationId: 'addPart', requestBody: body(write), responses: responses(201, ref('Part')) },
      },
      '/things': {
        post: {
          operationId: 'createThing',
          requestBody: body(write),
          responses: responses(201, ref('Thing')),
        },
      },
      '/things/{id}': {
        parameters: [inPath('id')],
        get: { operationId: 'getThing', responses: responses(200, ref('Thing')) },
        put: {
          operationId: 'replaceThing',
          requestBody: body(write),
          responses: responses(200, ref('Thing')),
        },
        delete: { operationId: 'deleteThing', responses: responses(204) },
      },
    },
    {
      Thing: closed({ id: { type: 'string' }, name: { type: 'string', maxLength: 9 } }, ['id', 'name']),
      Part: closed({ partId: { type: 'string' }, name: { type: 'string', maxLength: 9 } }, [
        'partId',
        'name',
      ]),
    },
  ),
  faults: { 'ignores replacements': 'read-after-update', 'keeps deleted things': 'read-after-delete' },
  handlers(fault) {
    const things = new Map<string, Thing>();
    const next = counter('thing');
    const shown = ({ id, name }: Thing) => ({ id, name });
    return {
      listParts: ({ path }) => ({ status: 200, body: found(things.get(path.thingId ?? '')).parts }),
      addPart: ({ path, body }) => {
        const part = { partId: next(), ...(body as object) };
        found(things.get(path.thingId ?? '')).parts.push(part);
        return { status: 201, body: part };
      },
      createThing: ({ body }) => {
        const thing = { id: next(), ...(body as { name: string }), parts: [] };
        things.set(thing.id, thing);
        return { status: 201, body: shown(thing) };
      },
      getThing: ({ path }) => ({ status: 200, body: shown(found(things.get(path.id ?? ''))) }),
      replaceThing: ({ path, body }) => {
        const thing = found(things.get(path.id ?? ''));
        thing.name = fault === 'ignores replacements' ? thing.name : (body as { name: string }).name;
        return { status: 200, body: { ...shown(thing), ...(body as object) } };
      },
      deleteThing: ({ path }) => {
        found(things.get(path.id ?? ''));
        if (fault !== 'keeps deleted things') {
          things.delete(path.id ?? '');
        }
        return { status: 204 };
      },
    };
  },
};
