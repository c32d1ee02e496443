import {
  body,
  closed,
  counter,
  documentOf,
  found,
  type Habit,
  inPath,
  ref,
  reject,
  responses,
} from '../habit.ts';

type Point = Record<string, unknown>;
const name = { type: 'string', minLength: 1, maxLength: 12 };

/** JSON Patch (RFC 6902): the schema of a patch does not specify which paths and values it applies to. */
export const jsonPatch: Habit = {
  document: documentOf(
    {
      '/points': {
        post: {
          operationId: 'createPoint',
          requestBody: body(ref('PointWrite')),
          responses: responses(201, ref('Point')),
        },
      },
      '/points/{pointId}': {
        parameters: [inPath('pointId')],
        get: { operationId: 'getPoint', responses: responses(200, ref('Point')) },
        patch: {
          operationId: 'patchPoint',
          requestBody: body(ref('Patch'), 'application/json-patch+json'),
          responses: responses(200, ref('Point')),
        },
        delete: { operationId: 'deletePoint', responses: responses(204) },
      },
    },
    {
      PointWrite: closed({ name, x: { type: 'integer' } }, ['name']),
      Point: closed({ id: { type: 'string' }, name, x: { type: 'integer' } }, ['id', 'name']),
      Patch: {
        type: 'array',
        minItems: 1,
        items: {
          type: 'object',
          required: ['op', 'path'],
          properties: {
            op: { enum: ['add', 'remove', 'replace', 'move', 'copy', 'test'] },
            path: { type: 'string' },
            from: { type: 'string' },
            value: {},
          },
        },
      },
    },
  ),
  faults: { 'ignores patches': 'read-after-update', 'resets other fields': 'patch-preserves-omitted' },
  handlers(fault) {
    const points = new Map<string, Point>();
    const next = counter('point');
    return {
      createPoint: ({ body }) => {
        const point = { id: next(), ...(body as object) };
        points.set(point.id, point);
        return { status: 201, body: point };
      },
      getPoint: ({ path }) => ({ status: 200, body: found(points.get(path.pointId ?? '')) }),
      patchPoint: ({ path, body }) => {
        const before = found(points.get(path.pointId ?? ''));
        let point: Point = { ...before };
        for (const { op, path: at, value } of body as { op: string; path: string; value?: unknown }[]) {
          const isName = at === '/name' && typeof value === 'string' && /^.{1,12}$/su.test(value);
          const isX = at === '/x' && Number.isInteger(value);
          if ((op !== 'replace' && op !== 'add') || !(isName || isX)) {
            reject(422);
          }
          const others = fault === 'resets other fields' ? { id: point.id, name: 'reset' } : point;
          point = { ...others, [at.slice(1)]: value };
        }
        points.set(String(before.id), fault === 'ignores patches' ? before : point);
        return { status: 200, body: points.get(String(before.id)) };
      },
      deletePoint: ({ path }) => (points.delete(path.pointId ?? '') ? { status: 204 } : reject(404)),
    };
  },
};
