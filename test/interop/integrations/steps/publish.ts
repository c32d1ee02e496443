/** Publishes with the public command line of the platform, and installs. */
import { execFile } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { ok } from '../../../../client/platform/index.ts';
import { COMMAND_LINE } from '../../../support/find-command-line.ts';
import { install, installed, named } from '../../../support/integrations/integrations.ts';
import { type Outcome, require, type Step, type Subject } from '../step.ts';

const PUBLISH_MS = 120_000;

/** A key in GitHub's format, for variables with names that end with `PRIVATE_KEY`. */
const PRIVATE_KEY = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
}).privateKey;

const variableValue = (variable: string): string =>
  variable.endsWith('PRIVATE_KEY')
    ? PRIVATE_KEY
    : variable.endsWith('URL')
      ? 'https://github.com/apps/interop/installations/new'
      : variable.endsWith('APP_ID')
        ? '12345'
        : `interop-${variable.toLowerCase()}`;

/** The password manager that manifests read secrets from. The command line runs it. */
const PASSWORD_MANAGER = '#!/bin/sh\ncase "$1" in --version) echo 2.30.0 ;; *) echo interop-secret ;; esac\n';

/** Returns the command line of the checkout, if it is built, or the published one. */
export function commandLineOf(manifest: string): string {
  const own = join(dirname(manifest), '../../packages/cli/cli.js');
  return existsSync(join(dirname(own), 'dist/cli.js')) ? own : COMMAND_LINE;
}

async function publish({ path, variables, manifest, service }: Subject): Promise<Outcome> {
  const folder = await mkdtemp(join(tmpdir(), 'colophon-interop-publish-'));
  await writeFile(join(folder, 'op'), PASSWORD_MANAGER, { mode: 0o700 });
  try {
    await promisify(execFile)(
      process.execPath,
      ['--no-warnings', commandLineOf(path), 'publish', path, '--organization', service.organization],
      {
        timeout: PUBLISH_MS,
        env: {
          ...Object.fromEntries(variables.map((variable) => [variable, variableValue(variable)])),
          PATH: `${folder}${delimiter}${process.env.PATH}`,
          GITBOOK_ENDPOINT: service.url,
          GITBOOK_TOKEN: service.admin.token,
          // It writes its settings and the bundles to the folders of the user.
          HOME: folder,
          XDG_CONFIG_HOME: folder,
          TMPDIR: folder,
        },
      },
    ).catch(({ stderr, message }: { stderr?: string; message: string }) => {
      throw new Error(stderr?.trim() || message);
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  const published = await ok(
    service.admin.client.GET('/v1/integrations/{integrationName}', named(manifest.name)),
  );
  require(published.owner.id === service.organization, 'the organization is not the owner');
  return 'ok';
}

async function installEverywhere(subject: Subject): Promise<Outcome> {
  const { service, manifest, targets } = subject;
  const { client } = service.admin;
  const { id } = await install(service.admin, manifest.name, service.organization);
  subject.installation = id;
  const path = installed(manifest.name, id);
  for (const target of targets) {
    if (target.kind === 'site') {
      const added = await ok(
        client.POST('/v1/integrations/{integrationName}/installations/{installationId}/sites', {
          ...path,
          body: { site: target.id },
        }),
      );
      require(added.site === target.id, 'the site installation names another site');
    } else {
      const added = await ok(
        client.POST('/v1/integrations/{integrationName}/installations/{installationId}/spaces', {
          ...path,
          body: { space: target.id },
        }),
      );
      require(added.space === target.id, 'the space installation names another space');
    }
  }
  return 'ok';
}

export const publishStep: Step = { name: 'publish', run: publish };
export const installStep: Step = { name: 'install', run: installEverywhere };
