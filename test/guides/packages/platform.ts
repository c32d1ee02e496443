import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Project } from '../../support/packages.ts';
import { ROOT } from '../../support/processes/program.ts';
import { talk } from './programs.ts';

/** Tests of `@colophon/platform` in a project that installed it, with a project that installed the client. */
export function testPlatform(installed: () => Project, client: () => Project): void {
  test('has a README that works as described, and serves pages, PDFs and documentation', async () => {
    const { reader, usage } = installed();
    for (const block of usage) {
      await reader.follow(block);
    }
    const output = reader.started?.output.stdout ?? '';
    const [, token = ''] = /^ {2}token +(\S+)$/m.exec(output) ?? [];
    const [, url = ''] = /^Documentation: (.*)\/docs$/m.exec(output) ?? [];
    expect(output).toContain('Create more tokens with npx colophon-platform-token');
    writeFileSync(join(client().project, 'talk.js'), talk);
    const answers = await client().run(process.execPath, 'talk.js', url, token);
    expect(answers.trim().split('\n')).toEqual(['My organization', 'Start here', '%PDF-', '200', 'http 404']);
    expect(await reader.type('npx colophon-platform --help')).toContain('npx colophon-platform\n');
  });

  test('contains the data files that its modules read', () => {
    // Pages are documentation; files at the top and for monitoring are for operators; all others are code or data.
    const dataOf = (root: string) =>
      readdirSync(join(root, 'server'), { recursive: true, encoding: 'utf8' })
        .filter(
          (name) => /\.\w+$/.test(name) && !/\.[jt]s$|(^|\/)README\.md$|^[^/]+$|^monitoring\//.test(name),
        )
        .sort();
    expect(dataOf(ROOT)).not.toEqual([]);
    expect(dataOf(installed().folder)).toEqual(dataOf(ROOT));
  });
}
