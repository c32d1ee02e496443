import { spawn } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { CorpusDocument } from './documents.ts';
import type { StageName, StageResult } from './stages.ts';

/** Results of a document by stage. */
export type DocumentResult = Partial<Record<StageName, StageResult & { ms: number }>>;

/** Options of {@link runDocument}. */
export interface RunOptions {
  /** Folder to write a project to. */
  folder: string;
  deadlineMs: number;
}

/** Runs stages of a document in a process of its own. Those that it does not complete before the deadline have failed. */
export async function runDocument(
  { name, file }: CorpusDocument,
  stages: readonly StageName[],
  { folder, deadlineMs }: RunOptions,
): Promise<DocumentResult> {
  const project = join(folder, name.replaceAll(/[^\w.-]+/g, '-'));
  await rm(project, { recursive: true, force: true });
  const args = [join(import.meta.dirname, 'child.ts'), '--name', name, '--file', file, '--folder', project];
  const { output, end } = await runChild([...args, ...stages], deadlineMs);
  const result: DocumentResult = {};
  for (const line of output.split('\n')) {
    if (line.startsWith('{"stage":')) {
      // The child prints such a line after each stage.
      const { stage, ...rest } = JSON.parse(line) as { stage: StageName; ms: number } & StageResult;
      result[stage] = rest;
    }
  }
  for (const stage of stages) {
    result[stage] ??= { problems: [end], ms: deadlineMs };
  }
  return result;
}

function runChild(args: readonly string[], deadlineMs: number): Promise<{ output: string; end: string }> {
  return new Promise((resolve) => {
    // A group of its own, so that the deadline also ends the compilers that it has started.
    const child = spawn(process.execPath, args, { detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    let errors = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      errors = (errors + text).slice(-4000);
    });
    let end = 'The process ended early.';
    const timer = setTimeout(() => {
      end = `Not completed within ${deadlineMs / 1000} seconds.`;
      if (child.pid !== undefined) {
        process.kill(-child.pid, 'SIGKILL');
      }
    }, deadlineMs);
    child.on('close', () => {
      clearTimeout(timer);
      resolve({ output, end: errors === '' ? end : `${end} ${errors}` });
    });
  });
}
