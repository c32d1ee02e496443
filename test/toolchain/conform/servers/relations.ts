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

const ofTenant = (noun: string) => ({
  [`/tenants/{tenantId}/${noun}s`]: {
    parameters: [inPath('tenantId')],
    post: {
      operationId: `create ${noun}`,
      requestBody: body(closed({ name: { type: 'string', maxLength: 9 } })),
      responses: responses(201, ref('Named')),
    },
  },
  [`/${noun}s/{${noun}Id}`]: {
    parameters: [inPath(`${noun}Id`)],
    get: { operationId: `get ${noun}`, responses: responses(200, ref('Named')) },
    delete: { operationId: `delete ${noun}`, responses: responses(204) },
  },
});

/** Memberships, which relate two resources of one tenant: they have no id, and can be created again once deleted. */
export const relations: Habit = {
  document: documentOf(
    {
      '/tenants': {
        post: {
          operationId: 'createTenant',
          requestBody: body(closed({ name: { type: 'string', maxLength: 9 } })),
          responses: responses(201, ref('Named')),
        },
      },
      '/tenants/{tenantId}': {
        parameters: [inPath('tenantId')],
        get: { operationId: 'getTenant', responses: responses(200, ref('Named')) },
      },
      ...ofTenant('group'),
      ...ofTenant('person'),
      '/groups/{groupId}/members': {
        parameters: [inPath('groupId')],
        post: {
          operationId: 'createMember',
          requestBody: body(closed({ personId: { type: 'string' } }, ['personId'])),
          responses: responses(201, ref('Member'), undefined, {
            Location: { required: true, schema: { type: 'string' } },
          }),
        },
      },
      '/groups/{groupId}/members/{memberId}': {
        parameters: [inPath('groupId'), inPath('memberId')],
        get: { operationId: 'getMember', responses: responses(200, ref('Member')) },
        delete: { operationId: 'deleteMember', responses: responses(204) },
      },
    },
    {
      Named: closed({ id: { type: 'string' }, name: { type: 'string', maxLength: 9 } }, ['id']),
      Member: closed({ role: { type: 'string', enum: ['guest'] } }, ['role']),
    },
  ),
  faults: { 'keeps deleted memberships': 'read-after-delete', 'loses memberships': 'read-after-create' },
  handlers(fault) {
    const next = counter('id');
    const tenants = new Map<string, object>();
    const all = { group: new Map<string, Owned>(), person: new Map<string, Owned>() };
    const members = new Set<string>();
    const key = ({ groupId = '', memberId = '' }: Record<string, string>) => `${groupId} ${memberId}`;
    const handlersOf = (noun: 'group' | 'person') => ({
      [`create ${noun}`]: ({
        path: { tenantId = '' },
        body,
      }: {
        path: Record<string, string>;
        body: unknown;
      }) => {
        found(tenants.get(tenantId));
        const created = { id: next(), ...(body as object) };
        all[noun].set(created.id, { tenantId, resource: created });
        return { status: 201, body: created };
      },
      [`get ${noun}`]: ({ path }: { path: Record<string, string> }) => ({
        status: 200,
        body: found(all[noun].get(path[`${noun}Id`] ?? '')).resource,
      }),
      [`delete ${noun}`]: ({ path }: { path: Record<string, string> }) => {
        const id = path[`${noun}Id`] ?? '';
        for (const member of members) {
          if (member.split(' ').includes(id)) {
            members.delete(member);
          }
        }
        return all[noun].delete(id) ? { status: 204 } : reject(404);
      },
    });
    return {
      createTenant: ({ body }) => {
        const tenant = { id: next(), ...(body as object) };
        tenants.set(tenant.id, tenant);
        return { status: 201, body: tenant };
      },
      getTenant: ({ path }) => ({ status: 200, body: found(tenants.get(path.tenantId ?? '')) }),
      ...handlersOf('group'),
      ...handlersOf('person'),
      createMember: ({ path: { groupId = '' }, body }) => {
        const { personId } = body as { personId: string };
        const group = found(all.group.get(groupId));
        if (all.person.get(personId)?.tenantId !== group.tenantId) {
          return reject(400, 'personId must be that of a person of the tenant.');
        }
        const member = `${groupId} ${personId}`;
        if (members.has(member)) {
          return reject(409);
        }
        if (fault !== 'loses memberships') {
          members.add(member);
        }
        return {
          status: 201,
          body: { role: 'guest' },
          headers: { Location: `/groups/${groupId}/members/${personId}` },
        };
      },
      getMember: ({ path }) =>
        members.has(key(path)) ? { status: 200, body: { role: 'guest' } } : reject(404),
      deleteMember: ({ path }) => {
        if (!members.has(key(path))) {
          return reject(404);
        }
        if (fault !== 'keeps deleted memberships') {
          members.delete(key(path));
        }
        return { status: 204 };
      },
    };
  },
};

interface Owned {
  tenantId: string;
  resource: object;
}
