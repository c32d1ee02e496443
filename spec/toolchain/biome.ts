import { existsSync } from 'node:fs';
import { relative } from 'node:path';
import { installedFile } from './installed.ts';
import type { Problem } from './problem.ts';
import { type Project, pathIn } from './project.ts';
import { run } from './run.ts';

/** The names of settings that biome knows, in the order in which it looks for them. */
const settingsNames = ['biome.json', 'biome.jsonc', '.biome.json', '.biome.jsonc'];

/** Biome as a project has it. */
export interface Biome {
  /** The absolute path of its script. */
  command: string;
  /** The absolute path of its settings. */
  settings: string;
}

/** The project's biome, or why it has none. */
export function findBiome(project: Project): Biome | { missing: string } {
  const settings = settingsNames.map((name) => pathIn(project, name)).find((path) => existsSync(path));
  if (settings === undefined) return { missing: `there is no biome.json in ${project.root}` };
  const command = installedFile(project, '@biomejs/biome/bin/biome');
  if (command === undefined) {
    return {
      missing:
        'there are settings of biome, but @biomejs/biome is not installed (npm install --save-dev @biomejs/biome)',
    };
  }
  return { command, settings };
}

/**
 * What the formatter or the linter finds in the project's code; writes nothing. Mere hints are left out.
 * @throws when the project has none, or it ends with an error and names no place, as with settings that it cannot read
 */
export async function runBiome(project: Project, task: 'format' | 'lint'): Promise<Problem[]> {
  const biome = findBiome(project);
  if ('missing' in biome) throw new Error(`Biome cannot run: ${biome.missing}.`);
  const args = [
    biome.command,
    task,
    `--config-path=${biome.settings}`,
    '--reporter=github',
    '--max-diagnostics=none',
    '--error-on-warnings',
    '.',
  ];
  const { code, output } = await run(process.execPath, args, { cwd: project.root });
  const problems = parseAnnotations(output, project.root);
  if (code !== 0 && problems.length === 0) {
    throw new Error(`biome ${task} ended with code ${code} and named no place. It said:\n${output.trim()}`);
  }
  return problems;
}

/** Reads workflow annotations, the one report of biome with a line for each place: `::error title=…,file=…::text`. */
export function parseAnnotations(output: string, root: string): Problem[] {
  const problems: Problem[] = [];
  for (const line of output.split('\n')) {
    const match = /^::(error|warning) (.*?)::(.*)$/.exec(line.trimEnd());
    if (match === null) continue;
    const [, severity, properties = '', message = ''] = match;
    const of = new Map(
      properties
        .split(',')
        .map((part) => [part.slice(0, part.indexOf('=')), part.slice(part.indexOf('=') + 1)]),
    );
    const file = of.get('file');
    const code = of.get('title');
    problems.push({
      severity: severity === 'warning' ? 'warning' : 'error',
      message: decodeURIComponent(message.replace(/%(?![0-9A-F]{2})/g, '%25')),
      ...(code === undefined ? {} : { code }),
      ...(file === undefined
        ? {}
        : {
            file: relative(root, file) || file,
            line: Number(of.get('line')),
            column: Number(of.get('col')),
          }),
    });
  }
  return problems;
}
