// `npm run interop` uses public programs and repositories of the platform with this service, and compares it with their
// document.

import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { comparePlatform } from './api/command.ts';
import { checkIntegrations } from './integrations/command.ts';
import { compareRenderer } from './renderer/command.ts';
import { checkRepositories } from './repositories/command.ts';

const HELP = `Checks this service against public programs of the platform.

  npm run interop -- integrations FOLDER [--only NAME,NAME]
  npm run interop -- renderer FOLDER [--output FOLDER]
  npm run interop -- repositories FOLDER
  npm run interop -- VERSION          of the package @gitbook/api, or the path of its document
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
  const [command = '', folder] = positionals;
  const isProgram = ['integrations', 'renderer', 'repositories'].includes(command);
  if (values.help || command === '' || isProgram !== (folder !== undefined)) {
    console.log(HELP);
    return values.help ? 0 : 2;
  }
  if (folder === undefined) {
    return await comparePlatform(command);
  }
  if (command === 'repositories') {
    return await checkRepositories(folder);
  }
  return command === 'renderer'
    ? await compareRenderer(folder, values.output)
    : await checkIntegrations(folder, values.only.split(',').filter(Boolean));
}

process.exitCode = await main(process.argv.slice(2));
