import { randomUUID } from 'node:crypto';
import type { Person } from '../support/server.ts';
import type { Attack, AttackClass, Target } from './target.ts';

/** A former admin of the victim repeats what worked as a member: signed addresses, and creations by their key. */
export const endedRights: AttackClass = {
  name: 'rights of a former member',
  async attacks(target) {
    const { server, victim } = target;
    const insider = await server.member('Insider', 'admin', victim.organization);
    const fileId = await victim.idFor('fileId');
    const [space, site] = [await victim.idFor('spaceId'), await victim.idFor('siteId')];
    const file = await sendAsMember(target, insider, 'GET', `/v1/spaces/${space}/content/files/${fileId}`);
    const pdf = await sendAsMember(
      target,
      insider,
      'GET',
      `/v1/spaces/${space}/change-requests/${await victim.idFor('changeRequestId')}/pdf`,
    );
    const organization = `/v1/orgs/${victim.organization}`;
    const creations: [path: string, body: object][] = [
      [`${organization}/sites/${site}/share-links`, { name: 'Taken along' }],
      [`${organization}/spaces`, { title: 'Taken along' }],
      [`${organization}/link-invites`, { role: 'admin' }],
      [`/v1/spaces/${space}/change-requests`, { subject: 'Taken along' }],
    ];
    const key = randomUUID();
    const keys = creations.map((_, at) => `${key}-${at}`);
    for (const [at, [path, body]] of creations.entries()) {
      await sendAsMember(target, insider, 'POST', path, body, keys[at]);
    }
    await server.database.query
      .deleteFrom('members')
      .where('user', '=', insider.id)
      .where('organization', '=', victim.organization)
      .execute();
    const read = (name: string, url: unknown): Attack => ({
      name: `the address of a ${name} of a former member`,
      send: async () => {
        const response = await fetch(String(url));
        return { status: response.status, text: await response.text(), mustFail: true };
      },
    });
    const repeated = creations.map(
      ([path, body], at): Attack => ({
        name: `a repeated creation at ${path}`,
        send: async () => {
          const { status, text } = await sendAsMember(target, insider, 'POST', path, body, keys[at]);
          return { status, text, mustFail: true };
        },
      }),
    );
    return [read('file', file.json.downloadURL), read('PDF', pdf.json.url), ...repeated];
  },
};

/** Sends a request with the token of a person. */
async function sendAsMember(
  { server }: Target,
  { token }: Person,
  method: string,
  path: string,
  body?: object,
  key?: string,
): Promise<{ status: number; text: string; json: Record<string, unknown> }> {
  const response = await fetch(`${server.url}${path}`, {
    method,
    headers: {
      Authorization: `Bearer ${token}`,
      ...(key !== undefined && { 'Idempotency-Key': key }),
      ...(body && { 'Content-Type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  // Responses of these operations are objects.
  return { status: response.status, text, json: JSON.parse(text) as Record<string, unknown> };
}
