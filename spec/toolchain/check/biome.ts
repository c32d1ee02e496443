import { existsSync } from 'node:fs';
import { relative } from 'node:path';
import type { Problem } from '../problem.ts';
import { type Project, pathIn } from '../project.ts';
import { run } from '../run.ts';
import { installedFile } from './installed.ts';

/** Names of Biome's configuration file, in its order of precedence. */
const CONFIG_NAMES = ['biome.json', 'biome.jsonc', '.biome.json', '.biome.jsonc'];

/** Biome installation of a project. */
export interface Biome {
  /** Absolute path of the script. */
  command: string;
  /** Absolute path of the configuration file. */
  config: string;
}

/** Finds the Biome installation of a project, or the reason why there is none. */
export function findBiome(project: Project): Biome | { missing: string } {
  const config = CONFIG_NAMES.map((name) => pathIn(project, name)).find((path) => existsSync(path));
  if (config === undefined) {
    return { missing: `there is no biome.json in ${project.root}` };
  }
  const command = installedFile(project, '@biomejs/biome/bin/biome');
  if (command === undefined) {
    return {
      missing: '@biomejs/biome is not installed (npm install --save-dev @biomejs/biome)',
    };
  }
  return { command, config };
}

/**
 * Runs the formatter or the linter over the code of a project; writes nothing. Hints are omitted.
 * @throws if Biome is missing, or fails without a location, for example because of an unreadable configuration file
 */
export async function runBiome(project: Project, task: 'format' | 'lint'): Promise<Problem[]> {
  const biome = findBiome(project);
  if ('missing' in biome) {
    throw new Error(`Biome cannot run: ${biome.missing}.`);
  }
  const args = [
    biome.command,
    task,
    `--config-path=${biome.config}`,
    '--reporter=github',
    '--max-diagnostics=none',
    '--error-on-warnings',
    '.',
  ];
  const { code, output } = await run(process.execPath, args, { cwd: project.root });
  const problems = parseAnnotations(output, project.root);
  if (code !== 0 && problems.length === 0) {
    throw new Error(`biome ${task} exited with code ${code} without a location. Output:\n${output.trim()}`);
  }
  return problems;
}

/** Parses workflow annotations, Biome's only report with one line per location: `::error title=…,file=…::text`. */
function parseAnnotations(output: string, root: string): Problem[] {
  const problems: Problem[] = [];
  for (const line of output.split('\n')) {
    const match = /^::(error|warning) (.*?)::(.*)$/.exec(line.trimEnd());
    if (match === null) {
      continue;
    }
    const [, severity, properties = '', message = ''] = match;
    const fields = new Map(
      properties
        .split(',')
        .map((part) => [part.slice(0, part.indexOf('=')), part.slice(part.indexOf('=') + 1)]),
    );
    const file = fields.get('file');
    const code = fields.get('title');
    problems.push({
      severity: severity === 'warning' ? 'warning' : 'error',
      message: decodeURIComponent(message.replace(/%(?![0-9A-F]{2})/g, '%25')),
      ...(code === undefined ? {} : { code }),
      ...(file === undefined
        ? {}
        : {
            file: relative(root, file) || file,
            line: Number(fields.get('line')),
            column: Number(fields.get('col')),
          }),
    });
  }
  return problems;
}
