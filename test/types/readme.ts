// Checked by `tsc`, never run: the call on the first screen of the README.
import { type Client, ok } from '../../client/platform/index.ts';

export async function printTeam(client: Client): Promise<void> {
  const team = await ok(
    client.GET('/v1/orgs/{organizationId}/teams/{teamId}', {
      params: { path: { organizationId: 'org_acme', teamId: 'team_writers' } },
    }),
  );
  console.log(team.title, team.members);
}
