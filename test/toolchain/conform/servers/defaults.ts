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

const theme = { type: 'string', enum: ['light', 'dark'], default: 'light' };
const settings = closed({
  theme,
  margins: closed({ top: { type: 'integer', default: 4 }, left: { type: 'integer' } }),
});
const items = {
  type: 'array',
  maxItems: 3,
  items: closed({ name: { type: 'string', maxLength: 5 }, count: { type: 'integer', default: 1 } }),
};

/** Defaults that the server fills in, also within objects and lists. The contract router does. */
export const defaults: Habit = {
  document: documentOf(
    {
      '/profiles': {
        post: {
          operationId: 'createProfile',
          requestBody: body(closed({ settings, items })),
          responses: responses(201, ref('Profile')),
        },
      },
      '/profiles/{profileId}': {
        parameters: [inPath('profileId')],
        get: { operationId: 'getProfile', responses: responses(200, ref('Profile')) },
        put: {
          operationId: 'replaceProfile',
          requestBody: body(closed({ settings, items })),
          responses: responses(204),
        },
        delete: { operationId: 'deleteProfile', responses: responses(204) },
      },
    },
    { Profile: closed({ id: { type: 'string' }, settings, items }, ['id']) },
  ),
  faults: { 'fills in another value': 'read-after-create', 'keeps replaced members': 'read-after-update' },
  handlers(fault) {
    const profiles = new Map<string, Record<string, unknown>>();
    const next = counter('profile');
    return {
      createProfile: ({ body }) => {
        const profile: Record<string, unknown> = { id: next(), ...(body as object) };
        if (fault === 'fills in another value' && typeof profile.settings === 'object') {
          profile.settings = { margins: { left: 3 }, ...profile.settings };
        }
        profiles.set(String(profile.id), profile);
        return { status: 201, body: profile };
      },
      getProfile: ({ path }) => ({ status: 200, body: found(profiles.get(path.profileId ?? '')) }),
      replaceProfile: ({ path, body }) => {
        const before = found(profiles.get(path.profileId ?? ''));
        const { id } = before;
        const kept = fault === 'keeps replaced members' ? before.items : undefined;
        profiles.set(String(id), { id, ...(body as object), ...(kept !== undefined && { items: kept }) });
        return { status: 204 };
      },
      deleteProfile: ({ path }) => (profiles.delete(path.profileId ?? '') ? { status: 204 } : reject(404)),
    };
  },
};
