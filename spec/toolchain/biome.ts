import { createRequire } from 'node:module';
import { relative } from 'node:path';
import type { Problem } from './problem.ts';
import { type Project, pathIn } from './project.ts';
import { run } from './run.ts';

const command = createRequire(import.meta.url).resolve('@biomejs/biome/bin/biome');

/**
 * What the formatter or the linter finds in the project's code; writes nothing. Mere hints are left out.
 * @throws when it ends with an error and names no place, as with settings that it cannot read
 */
export async function runBiome(project: Project, task: 'format' | 'lint'): Promise<Problem[]> {
  const settings = `--config-path=${pathIn(project, project.biomeConfig)}`;
  const args = [
    command,
    task,
    settings,
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
