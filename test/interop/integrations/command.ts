/** `npm run interop -- integrations FOLDER` */
import { startGitServer } from '../../support/git/git-server.ts';
import { readCheckout } from './checkout.ts';
import { startFakeServices } from './fakes/services.ts';
import { createReplies, type IntegrationResults, runIntegration, STEPS } from './run.ts';
import { startService } from './service.ts';
import { formatResults } from './table.ts';

/**
 * Publishes, installs, configures and uses the integrations of a checkout, and prints a table. Returns the exit status.
 *
 * @param only names of folders, or parts of them; all by default
 */
export async function checkIntegrations(folder: string, only: readonly string[] = []): Promise<number> {
  const integrations = (await readCheckout(folder)).filter(
    ({ folder: name }) => only.length === 0 || only.includes(name),
  );
  const { replies, use } = createReplies();
  await using fakes = await startFakeServices(replies);
  await using service = await startService(fakes.ports);
  const git = await startGitServer();
  const results: (readonly [string, IntegrationResults])[] = [];
  try {
    const repository = await git.createRepository({ 'README.md': '# Interop\n\nInterop content.\n' });
    for (const integration of integrations) {
      const result = await runIntegration(integration, { service, fakes, use, repository });
      results.push([integration.folder, result]);
      const states = Object.entries(result).map(([step, { state }]) => `${step} ${state}`);
      console.error(`${integration.folder}: ${states.join(', ')}`);
    }
  } finally {
    await git.close();
  }
  console.log(
    formatResults(
      results,
      STEPS.map(({ name }) => name),
    ),
  );
  const hasFailed = results.some(([, result]) =>
    Object.values(result).some(({ state }) => state === 'failed'),
  );
  return hasFailed ? 1 : 0;
}
