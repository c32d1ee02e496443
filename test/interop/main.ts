// `npm run interop` uses public programs of the platform with this service.

import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { checkIntegrations } from './integrations/command.ts';
import { compareRenderer } from './renderer/command.ts';

const HELP = `Checks this service against public programs of the platform.

  npm run interop -- integrations FOLDER [--only NAME,NAME]
  npm run interop -- renderer FOLDER [--output FOLDER]
`;

/** The program. Returns its exit status: 1 if something fails, 2 for usage errors. */
async function main(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      only: { type: 'string', default: '' },
      output: { type: 'string', default: join(tmpdir(), 'colophon-renderer') },
      help: { type: 'boolean', default: false },
    },
  });
  const [command, folder] = positionals;
  if (command === 'integrations' && folder !== undefined && !values.help) {
    return await checkIntegrations(folder, values.only.split(',').filter(Boolean));
  }
  if (command === 'renderer' && folder !== undefined && !values.help) {
    return await compareRenderer(folder, values.output);
  }
  console.log(HELP);
  return values.help ? 0 : 2;
}

process.exitCode = await main(process.argv.slice(2));
