/** Reads and writes the configuration of an installation at its levels. */
import { ok } from '../../../client/platform/index.ts';
import { installed } from '../../support/integrations/integrations.ts';
import type { Subject } from './step.ts';

export type Level = 'account' | 'space' | 'site';

/** An installation at a level. */
export interface LevelInstallation {
  configuration: Record<string, unknown>;
  externalIds: string[];
  status: string;
  publicEndpoint: string;
}

const SITE = '/v1/integrations/{integrationName}/installations/{installationId}/sites/{installedSiteId}';
const SPACE = '/v1/integrations/{integrationName}/installations/{installationId}/spaces/{installedSpaceId}';
const ACCOUNT = '/v1/integrations/{integrationName}/installations/{installationId}';

/** Returns the levels where an integration has settings, outermost first. */
export const levelsOf = ({ manifest, targets }: Subject): Level[] =>
  (['account', 'space', 'site'] as const).filter(
    (level) =>
      manifest.configurations?.[level] !== undefined &&
      (level === 'account' || targets.some(({ kind }) => kind === level)),
  );

/** Returns the ID of the target at a level. */
export const targetAt = ({ targets }: Subject, level: Level): string =>
  targets.find(({ kind }) => kind === level)?.id ?? '';

/** Reads the installation at a level. */
export async function readLevel(subject: Subject, level: Level): Promise<LevelInstallation> {
  const { client } = subject.service.admin;
  const { path } = installed(subject.manifest.name, subject.installation).params;
  const id = targetAt(subject, level);
  const { configuration, externalIds, status, urls } =
    level === 'account'
      ? await ok(client.GET(ACCOUNT, { params: { path } }))
      : level === 'space'
        ? await ok(client.GET(SPACE, { params: { path: { ...path, installedSpaceId: id } } }))
        : await ok(client.GET(SITE, { params: { path: { ...path, installedSiteId: id } } }));
  return { configuration, externalIds, status, publicEndpoint: urls.publicEndpoint };
}

/** Replaces the configuration at a level. */
export async function writeLevel(
  subject: Subject,
  level: Level,
  configuration: Record<string, unknown>,
): Promise<void> {
  const { client } = subject.service.admin;
  const { path } = installed(subject.manifest.name, subject.installation).params;
  const id = targetAt(subject, level);
  const body = { configuration };
  await (level === 'account'
    ? ok(client.PATCH(ACCOUNT, { params: { path }, body }))
    : level === 'space'
      ? ok(client.PATCH(SPACE, { params: { path: { ...path, installedSpaceId: id } }, body }))
      : ok(client.PATCH(SITE, { params: { path: { ...path, installedSiteId: id } }, body })));
}
