import {
  body,
  closed,
  counter,
  documentOf,
  found,
  type Habit,
  inPath,
  inQuery,
  ref,
  responses,
} from '../habit.ts';

const context = [
  { name: 'X-Tenant', in: 'header', required: true, schema: { enum: ['north', 'south'] } },
  inQuery('api-version', { enum: ['2024-01-01'] }, true),
];

/** Headers and query parameters that every request requires, also reads after a change. */
export const requiredContext: Habit = {
  document: documentOf(
    {
      '/disks': {
        post: {
          operationId: 'createDisk',
          parameters: context,
          requestBody: body(closed({ size: { type: 'integer', minimum: 1, maximum: 99 } }, ['size'])),
          responses: responses(201, ref('Disk')),
        },
      },
      '/disks/{diskId}': {
        parameters: [inPath('diskId'), ...context],
        get: { operationId: 'getDisk', responses: responses(200, ref('Disk')) },
        delete: { operationId: 'deleteDisk', responses: responses(204) },
      },
    },
    { Disk: closed({ id: { type: 'string' }, size: { type: 'integer' } }, ['id', 'size']) },
  ),
  faults: { 'keeps deleted disks': 'read-after-delete' },
  handlers(fault) {
    const disks = new Map<string, object>();
    const next = counter('disk');
    return {
      createDisk: ({ body }) => {
        const disk = { id: next(), ...(body as object) };
        disks.set(disk.id, disk);
        return { status: 201, body: disk };
      },
      getDisk: ({ path }) => ({ status: 200, body: found(disks.get(path.diskId ?? '')) }),
      deleteDisk: ({ path }) => {
        found(disks.get(path.diskId ?? ''));
        if (fault === undefined) {
          disks.delete(path.diskId ?? '');
        }
        return { status: 204 };
      },
    };
  },
};
