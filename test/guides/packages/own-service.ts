import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { openReader, type Reader, readBlocks } from '../../support/guides.ts';
import { type BuiltPackages, linkPackagesOf } from '../../support/packages.ts';
import { freePort } from '../../support/processes/ports.ts';

/** Page that leads from an empty folder to a service of one's own. */
const PAGE = 'spec/your-own-service.md';

/** Command that the page runs in two empty folders, with the same result. It runs in the first, and the second gets a copy. */
const INSTALL = 'npm install ../colophon-toolkit-*.tgz';
// npm replaces installed files, but writes to its lists of packages.
const KEEP =
  'mkdir ../installed && cp package*.json ../installed && cp -al node_modules ../installed && rm ../installed/node_modules/.package-lock.json';
const COPY = 'cp ../installed/package*.json . && cp -al ../installed/node_modules .';

/** Relevant part of the workflow. */
interface Workflow {
  jobs: Record<string, { steps: { run?: string }[] }>;
}

/** Tests of the page about `colophon init`, in projects with the packed toolkit, next to the one that installed it. */
export function testOwnService(built: () => BuiltPackages): void {
  describe('the page about a service of your own', () => {
    let project: string;
    let reader: Reader;

    beforeAll(async () => {
      const port = String(await freePort());
      // The service of the page's second part. Its development loop starts in the folder of the reader.
      project = join(built().place, 'tasks');
      await mkdir(project);
      await mkdir(join(built().place, 'my-service'));
      reader = openReader({
        folder: project,
        environment: { ...built().environment, PORT: port },
        replace: (text) =>
          text
            .replaceAll('127.0.0.1:3000', `127.0.0.1:${port}`)
            .replace(
              INSTALL,
              text.includes('../tasks') ? COPY : `${linkPackagesOf('toolkit')} && ${INSTALL} && ${KEEP}`,
            )
            .replace('mkdir ../tasks && ', '')
            // Instead of a minute of requests.
            .replaceAll('colophon conform', 'colophon conform --seed 1 --max-requests 200'),
      });
      await reader.type('cd ../my-service');
    });
    afterAll(() => reader?.close());

    // A chapter continues where the previous one ended.
    const chapters = Map.groupBy(readBlocks(PAGE), ({ section }) => section);
    test.each([...chapters])('%s: works as described', async (_, blocks) => {
      for (const block of blocks) {
        await reader.follow(block);
      }
    });

    test('leads to a workflow whose steps succeed in order', async () => {
      const text = await readFile(join(project, '.github/workflows/contract.yml'), 'utf8');
      // The file of the template itself, so that its steps fail if it is incomplete.
      const { jobs } = parse(text) as Workflow;
      const steps = Object.values(jobs).flatMap((job) => job.steps.flatMap(({ run = [] }) => run));
      expect(steps).toEqual([
        'npm ci',
        'npm run check',
        'npm test',
        expect.stringContaining('npx colophon diff spec/released/openapi.json'),
      ]);
      await reader.type(`cd ${project} && export GITHUB_STEP_SUMMARY=${project}/summary.md`);
      for (const step of steps) {
        // The page has installed the packages of the lock file. That it matches the manifest is tested here.
        const command = step === 'npm ci' ? 'npm ci --dry-run' : step;
        await reader.type(`bash -e -c '${command}'`);
      }
      expect(await readFile(join(project, 'summary.md'), 'utf8')).toContain(
        'No changes that affect clients or servers.',
      );
    });
  });
}
