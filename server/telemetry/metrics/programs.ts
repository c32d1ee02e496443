import { readdir, readFile, readlink } from 'node:fs/promises';
import { basename } from 'node:path';
import type { GaugeSource, GaugeValue } from './collection.ts';

/** Maximum number of processes that are read. */
export const MAX_OBSERVED_PROCESSES = 500;
/** Size of a page of memory in `/proc`. */
const PAGE_BYTES = 4096;

/** The processes that the server has started, and their memory, by program (Linux). */
export const programGauges: GaugeSource = {
  gauges: [
    { name: 'colophon_programs', help: 'Processes of the server, by program.', labels: ['program'] },
    {
      name: 'colophon_program_resident_memory_bytes',
      help: 'Resident memory of the processes of the server, by program.',
      labels: ['program'],
    },
  ],
  read: async () => {
    const programs = Map.groupBy(await readDescendants(process.pid), ({ program }) => program);
    return [...programs].flatMap(([program, all]): GaugeValue[] => [
      { name: 'colophon_programs', labels: { program }, value: all.length },
      {
        name: 'colophon_program_resident_memory_bytes',
        labels: { program },
        value: all.reduce((sum, { residentBytes }) => sum + residentBytes, 0),
      },
    ]);
  },
};

interface Program {
  program: string;
  residentBytes: number;
}

/** Reads a process and its descendants, see proc(5). Those that end meanwhile are omitted. */
async function readDescendants(root: number): Promise<Program[]> {
  const found: Program[] = [];
  const pids = [root];
  for (
    let pid = pids.shift();
    pid !== undefined && found.length < MAX_OBSERVED_PROCESSES;
    pid = pids.shift()
  ) {
    try {
      const folder = `/proc/${pid}`;
      const [, residentPages] = (await readFile(`${folder}/statm`, 'ascii')).split(' ');
      const program = basename(await readlink(`${folder}/exe`));
      found.push({ program, residentBytes: Number(residentPages) * PAGE_BYTES });
      for (const thread of await readdir(`${folder}/task`)) {
        const children = await readFile(`${folder}/task/${thread}/children`, 'ascii');
        pids.push(...children.split(' ').filter(Boolean).map(Number));
      }
    } catch {
      // It has ended, or this system has no such files.
    }
  }
  return found;
}
