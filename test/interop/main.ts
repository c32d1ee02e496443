// `npm run interop -- integrations FOLDER` uses public integrations with this service.
import { parseArgs } from 'node:util';
import { checkIntegrations } from './integrations/command.ts';

const HELP = `Checks this service against public programs of the platform.

  npm run interop -- integrations FOLDER [--only NAME,NAME]
`;

/** The program. Returns its exit status: 1 if something fails, 2 for usage errors. */
async function main(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { only: { type: 'string', default: '' }, help: { type: 'boolean', default: false } },
  });
  const [command, folder] = positionals;
  if (command === 'integrations' && folder !== undefined && !values.help) {
    return await checkIntegrations(folder, values.only.split(',').filter(Boolean));
  }
  console.log(HELP);
  return values.help ? 0 : 2;
}

process.exitCode = await main(process.argv.slice(2));
