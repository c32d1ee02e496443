import { body, closed, documentOf, found, type Habit, inPath, ref, responses } from '../habit.ts';

const name = { type: 'string', maxLength: 9 };

/** Identifiers that are integers in paths, and texts in bodies; a member refers to its group with such a text. */
export const numericIds: Habit = {
  document: documentOf(
    {
      '/groups': {
        post: {
          operationId: 'createGroup',
          requestBody: body(closed({ name }, ['name'])),
          responses: responses(201, ref('Group')),
        },
      },
      '/groups/{groupId}': {
        parameters: [inPath('groupId', { type: 'integer', minimum: 1 })],
        get: { operationId: 'getGroup', responses: responses(200, ref('Group')) },
        put: {
          operationId: 'replaceGroup',
          requestBody: body(closed({ name }, ['name'])),
          responses: responses(200, ref('Group')),
        },
        delete: { operationId: 'deleteGroup', responses: responses(204) },
      },
    },
    { Group: closed({ id: { type: 'string', pattern: '^[0-9]+$' }, name }, ['id', 'name']) },
  ),
  faults: { 'loses replacements': 'read-after-update', 'keeps deleted groups': 'read-after-delete' },
  handlers(fault) {
    const groups = new Map<number, { id: string; name: string }>();
    let last = 41;
    const idOf = (path: Record<string, string>) => Number(path.groupId);
    return {
      createGroup: ({ body }) => {
        last += 1;
        const group = { id: String(last), ...(body as { name: string }) };
        groups.set(last, group);
        return { status: 201, body: group };
      },
      getGroup: ({ path }) => ({ status: 200, body: found(groups.get(idOf(path))) }),
      replaceGroup: ({ path, body }) => {
        const group = found(groups.get(idOf(path)));
        const replaced = { id: group.id, ...(body as { name: string }) };
        if (fault !== 'loses replacements') {
          groups.set(idOf(path), replaced);
        }
        return { status: 200, body: replaced };
      },
      deleteGroup: ({ path }) => {
        found(groups.get(idOf(path)));
        if (fault !== 'keeps deleted groups') {
          groups.delete(idOf(path));
        }
        return { status: 204 };
      },
    };
  },
};
